#include "scheduler/outage.hpp"

#include <algorithm>

namespace merpati::scheduler {

void Outage::end(Timestamp now) noexcept {
    last_ = span(now);
    since_.reset();
}

void Outage::probe_later(Timestamp now, bool is_probe, std::optional<Millis> asked,
                         Millis asked_longest) noexcept {
    const bool begins = !probing_;
    if (begins) {
        probing_ = true;
        probe_wait_ = Millis{0};
        since_ = since_.value_or(now);
    }
    if (asked) {
        const auto until =
            now + std::max<Millis>(std::min<Millis>(*asked, asked_longest), asked_wait_min);
        probe_at_ = begins || is_probe ? until : std::max<Timestamp>(probe_at_, until);
    } else if (begins || is_probe) {
        probe_wait_ = std::clamp<Millis>(probe_wait_ * 2, probe_first, probe_longest);
        probe_at_ = now + probe_wait_;
    }
}

}  // namespace merpati::scheduler
