// Upper bounds of fields, also for callers that check values before a call.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace merpati::api::manage {

/// Of an account, by whatever operation. A double holds it exactly, so every JSON reader does.
inline constexpr std::int64_t credit_max = 1'000'000'000'000;
inline constexpr std::int64_t devices_most = 1'000'000;
/// Requests in a second or a minute. The setting api.rate has the same bound.
inline constexpr std::uint32_t rate_count_max = 1'000'000;
/// Of a device's pace.
inline constexpr std::chrono::milliseconds gap_max = std::chrono::hours{24};
inline constexpr std::int64_t per_day_most = 1'000'000'000;
inline constexpr std::int64_t warm_up_days_max = 365;
/// The messages of one queue are counted up to this number.
inline constexpr std::uint64_t queue_counted_max = 10'000;
/// Of callbacks and webhooks.
inline constexpr std::size_t url_bytes_max = 2'048;
/// How long a key or secret stays valid after its rotation, and may stay at most.
inline constexpr std::chrono::seconds overlap_default = std::chrono::days{1};
inline constexpr std::chrono::seconds overlap_max = std::chrono::days{90};

}  // namespace merpati::api::manage
