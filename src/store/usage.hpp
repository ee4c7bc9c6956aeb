// Counts of ended messages, which stay when retention removes the messages.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/clock.hpp"
#include "model/ids.hpp"
#include "model/message.hpp"
#include "model/outcome.hpp"

namespace merpati::store {

struct UsageFilter {
    std::optional<model::AccountId> account;
    // Wall clock, rounded down to whole hours, because usage is counted by the hour.
    Timestamp since;
    Timestamp until;  // Exclusive.
    /// The columns by which rows are grouped; account is always one.
    bool by_day = true;
    bool by_device = false;
    bool by_source = false;
    bool by_code = false;
    /// Offset from UTC of the days in `by_day`.
    std::chrono::minutes offset{0};
    std::size_t limit = 10'000;
};

/// How many messages of one account ended, with the columns that the filter requested.
struct UsageRow {
    model::AccountId account;
    std::optional<std::chrono::sys_days> day;
    std::optional<model::PhoneNumber> device;
    std::optional<model::Source> source;
    std::optional<model::StatusCode> code;
    std::uint64_t sent = 0;
    std::uint64_t failed = 0;
    std::uint64_t cancelled = 0;
};

}  // namespace merpati::store
