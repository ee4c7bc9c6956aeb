// How long a campaign takes.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "base/clock.hpp"
#include "model/device.hpp"

namespace merpati::campaign {

/// A device that sends for the campaign.
struct EstimateSender {
    model::Pace pace;
    Timestamp added_at;            // Its warm-up counts from then.
    std::uint32_t sent_today = 0;  // Of the cap of the day (UTC) in which the campaign begins.
};

/// A time in which nothing is sent.
struct Silence {
    Timestamp from;
    Timestamp until;  // After `from`.
};

struct EstimateInput {
    std::int64_t messages = 0;
    Timestamp begin;
    std::span<const EstimateSender> senders;
    std::optional<std::uint32_t> per_minute{};  // Of all senders together; empty: no limit.
    std::optional<Timestamp> finish_by{};       // Messages are spread evenly until then.
    /// The quiet time of a moment, else the next one; empty: there is none. May not be set.
    std::function<std::optional<Silence>(Timestamp)> silence_at{};
};

/// From `begin` to the last message; at least a second for any message, 0 without senders.
///
/// Assumes that nothing else is sent and that nothing fails: each sender sends after its gap and
/// half its jitter, a sender without a gap a thousand messages a second, at most its cap of each
/// day (UTC); recipients are shared among the senders as these have room.
///
/// Limits: `estimate_max`, which also stands for everything longer.
[[nodiscard]] std::chrono::seconds estimate(const EstimateInput& input);
inline constexpr std::chrono::days estimate_max{3'652};

}  // namespace merpati::campaign
