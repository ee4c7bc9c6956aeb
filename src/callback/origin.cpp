#include "callback/origin.hpp"

namespace merpati::callback {
namespace {

using namespace std::chrono_literals;

constexpr Millis probe_first = 5s;
constexpr Millis probe_longest = 5min;

}  // namespace

void Breaker::succeeded() noexcept {
    failures_ = 0;
    wait_ = 0ms;
}

void Breaker::failed(Timestamp now) noexcept {
    ++failures_;
    if (open()) {
        wait_ = wait_ == 0ms ? probe_first : std::min(wait_ * 2, probe_longest);
        probe_at_ = now + wait_;
    }
}

}  // namespace merpati::callback
