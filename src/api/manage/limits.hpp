// The most that callers may ask for, for those who check it before they call.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace merpati::api::manage {

/// Of an account, however it comes by it. Fits a JSON number everywhere.
inline constexpr std::int64_t credit_max = 1'000'000'000'000;
inline constexpr std::int64_t devices_most = 1'000'000;
/// Requests in a second or a minute; the same as of the setting api.rate.
inline constexpr std::uint32_t rate_count_max = 1'000'000;
/// Of a device's pace.
inline constexpr std::chrono::milliseconds gap_max = std::chrono::hours{24};
inline constexpr std::int64_t per_day_most = 1'000'000'000;
inline constexpr std::int64_t warm_up_days_max = 365;
/// How far the messages of one queue are counted.
inline constexpr std::uint64_t queue_counted_max = 10'000;
/// Of callbacks and webhooks.
inline constexpr std::size_t url_bytes_max = 2'048;
/// How long what a rotation replaces may work on.
inline constexpr std::chrono::seconds overlap_max = std::chrono::days{90};

}  // namespace merpati::api::manage
