// What a lane must still know after a restart.
#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.hpp"
#include "model/ids.hpp"

namespace merpati::store {

/// What a paced device has sent. All moments of this file are in queue time (base/queue_clock.hpp).
struct SentRecord {
    Timestamp last_at;      // Of the last send,
    Millis jitter{0};       // and what was drawn for it.
    Timestamp day_ends_at;  // Of the day that `of_day` counts.
    std::uint32_t of_day = 0;
    friend bool operator==(const SentRecord&, const SentRecord&) = default;
};

struct LaneRecord {
    model::PhoneNumber device;
    std::optional<Timestamp> down_since;  // Its device cannot send, since then.
    std::optional<SentRecord> sent;       // Only of a device that has, or had, a pace.
};

}  // namespace merpati::store
