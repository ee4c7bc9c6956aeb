// Reads what accounts have used and paid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "store/ledger.hpp"
#include "store/usage.hpp"

namespace merpati::store {

/// Errors: those of Reader, and those named.
class BookReader {
public:
    virtual ~BookReader() = default;

    /// The account's ledger, newest row first; `before` is the number of the last row of the
    /// previous page.
    [[nodiscard]] virtual Result<std::vector<LedgerEntry>> ledger(
        model::AccountId account, std::optional<std::int64_t> before, std::size_t limit) = 0;
    /// Ended messages by day and the other requested columns, between `since` and `until`, of all
    /// accounts if none is named. Errors: refused (more than `usage_counts_max` stored counts: a
    /// count is of one device, hour and outcome).
    [[nodiscard]] virtual Result<std::vector<UsageRow>> usage(const UsageFilter& filter) = 0;
    static constexpr std::size_t usage_counts_max = 1'000'000;
};

}  // namespace merpati::store
