#include "callback/health.hpp"

#include <algorithm>

namespace merpati::callback {
namespace {

using namespace std::chrono_literals;

constexpr Millis probe_first = 5s;
constexpr Millis probe_longest = 5min;

}  // namespace

void Health::answered(Answer answer, SteadyTime now, Millis took, bool all_in_use,
                      std::size_t events) noexcept {
    const bool late = took > prompt_max;
    if (late) {
        prompt_ = false;
    }
    if (answer == Answer::failure) {
        failed(now - took, now, events);
        return;
    }
    failures_ = 0;
    counted_from_ = now;
    wait_ = 0ms;
    prompt_ = !late;
    if (answer == Answer::too_many_requests) {
        halve();
    } else if (answer == Answer::success && all_in_use) {
        add_slot(late ? std::max<std::size_t>(slots_max_ / 4, 1) : slots_max_);
    }
}

void Health::stalled() noexcept {
    prompt_ = false;
    halve();
}

void Health::failed(SteadyTime began, SteadyTime now, std::size_t events) noexcept {
    halve();
    if (began < counted_from_) {
        return;
    }
    failures_ +=
        static_cast<std::uint32_t>(std::clamp<std::size_t>(events, 1, failures_to_open - 1));
    if (open()) {
        wait_ = wait_ == 0ms ? probe_first : std::min(wait_ * 2, probe_longest);
        probe_at_ = now + wait_;
        counted_from_ = now;
    }
}

void Health::add_slot(std::size_t most) noexcept {
    if (slots_ < most) {
        ++slots_;
    } else if (slots_ > most) {
        halve();
    }
}

}  // namespace merpati::callback
