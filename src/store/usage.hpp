// How many messages ended, and how; kept when the messages are removed.
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
    Timestamp since;  // In whole hours, as usage is counted.
    Timestamp until;
    /// The columns by which rows are told apart; all others are summed.
    bool by_day = true;
    bool by_device = false;
    bool by_source = false;
    bool by_code = false;
    /// What is added to UTC to get the days that are meant.
    std::chrono::minutes offset{0};
    std::size_t limit = 10'000;
};

/// How many messages ended, of one account and of those columns that were asked for.
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
