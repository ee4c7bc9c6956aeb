// The methods of StoredReader for ledger and usage.
#include <chrono>
#include <map>
#include <string>
#include <tuple>

#include <fmt/format.h>

#include "store/sql/rows.hpp"
#include "store/sql/stored_reader.hpp"

namespace merpati::store::sql {
namespace {

std::uint64_t count(const Cursor& row, int column) {
    constexpr std::int64_t most = 1'000'000'000'000'000;
    return static_cast<std::uint64_t>(row.between(column, 0, most));
}

LedgerEntry read_entry(const Cursor& row) {
    return {.number = row.integer(0),
            .kind = row.enumerator(1, LedgerEntry::kind_last),
            .begun_at = row.time(2),
            .ended_at = row.time(3),
            .charged = count(row, 4),
            .refunded = count(row, 5),
            .amount = row.integer(6),
            .balance = row.null(7) ? std::nullopt : std::optional{row.integer(7)},
            .reason = std::string{row.text(8)}};
}

/// Sums of counts by the columns that the filter requests.
class UsageSums {
public:
    explicit UsageSums(const UsageFilter& filter) : filter_(filter) {}

    /// Columns: account, hour, device, source, state, code, messages.
    void add(const Cursor& row) {
        constexpr std::int64_t hours_max = 72'000'000;
        const auto minutes = row.between(1, 0, hours_max) * 60 + filter_.offset.count();
        auto& sum =
            sums_[{filter_.by_day ? minutes / 1'440 : 0, row.integer(0),
                   filter_.by_device ? row.integer(2) : 0, filter_.by_source ? row.integer(3) : 0,
                   filter_.by_code ? row.integer(5) : 0}];
        const auto messages = count(row, 6);
        switch (row.enumerator(4, model::MessageState::held)) {
            case model::MessageState::sent:
                sum.sent += messages;
                break;
            case model::MessageState::failed:
                sum.failed += messages;
                break;
            case model::MessageState::cancelled:
                sum.cancelled += messages;
                break;
            case model::MessageState::pending:
            case model::MessageState::sending:
            case model::MessageState::handed_over:
            case model::MessageState::held:
                break;  // No end; never counted.
        }
    }

    [[nodiscard]] std::vector<UsageRow> rows() const {
        std::vector<UsageRow> rows;
        for (const auto& [key, sum] : sums_) {
            if (rows.size() == filter_.limit) {
                break;
            }
            rows.push_back(row_of(key, sum));
        }
        return rows;
    }

private:
    using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t>;
    struct Sum {
        std::uint64_t sent = 0;
        std::uint64_t failed = 0;
        std::uint64_t cancelled = 0;
    };

    [[nodiscard]] UsageRow row_of(const Key& key, const Sum& sum) const {
        const auto [day, account, device, source, code] = key;
        UsageRow row;
        row.account = {account};
        if (filter_.by_day) {
            row.day = std::chrono::sys_days{std::chrono::days{day}};
        }
        if (filter_.by_device) {
            row.device = model::PhoneNumber::from_stored(device);
        }
        if (filter_.by_source) {
            row.source = source == 0 ? model::Source::api : model::Source::campaign;
        }
        if (filter_.by_code) {
            row.code = static_cast<model::StatusCode>(code);
        }
        row.sent = sum.sent;
        row.failed = sum.failed;
        row.cancelled = sum.cancelled;
        return row;
    }

    const UsageFilter& filter_;
    std::map<Key, Sum> sums_;  // By day, account, device, source and code.
};

}  // namespace

Result<std::vector<LedgerEntry>> StoredReader::ledger(model::AccountId account,
                                                      std::optional<std::int64_t> before,
                                                      std::size_t limit) {
    return guarded([&]() -> Result<std::vector<LedgerEntry>> {
        Statement find{connection_,
                       "SELECT number, kind, begun_at, ended_at, charged, refunded, amount, "
                       "balance, reason FROM ledger WHERE account = ?1 AND number < ?2 "
                       "ORDER BY number DESC LIMIT ?3"};
        return all_rows(find.query(account.value, before.value_or(sequence_max), limit),
                        read_entry);
    });
}

/// Reads account by account, because the index of `usage` begins with the account.
Result<std::vector<UsageRow>> StoredReader::usage(const UsageFilter& filter) {
    using std::chrono::floor;
    using std::chrono::hours;
    return guarded([&]() -> Result<std::vector<UsageRow>> {
        Statement next_account{connection_,
                               "SELECT account FROM usage WHERE account > ? "
                               "ORDER BY account LIMIT 1"};
        Statement find{connection_,
                       "SELECT account, hour, device, source, state, code, messages FROM usage "
                       "WHERE account = ? AND hour >= ? AND hour < ? ORDER BY hour LIMIT ?",
                       Rows::many};
        UsageSums sums{filter};
        std::size_t left = usage_counts_max;
        const auto add = [&](std::int64_t account) {
            auto row = find.query(account, floor<hours>(filter.since).time_since_epoch().count(),
                                  floor<hours>(filter.until).time_since_epoch().count(), left + 1);
            for (; row.next(); --left) {
                if (left == 0) {
                    return false;
                }
                sums.add(row);
            }
            return true;
        };
        const auto too_many = [] {
            return fail(ErrorCode::refused,
                        fmt::format("this would add up more than {} counts", usage_counts_max));
        };
        if (filter.account) {
            return add(filter.account->value) ? Result<std::vector<UsageRow>>{sums.rows()}
                                              : too_many();
        }
        for (std::int64_t account = 0;;) {
            {
                auto row = next_account.query(account);
                if (!row.next()) {
                    return sums.rows();
                }
                account = row.integer(0);
            }
            if (!add(account) || left == 0) {
                return too_many();
            }
            --left;  // For an account without counts in the range, too.
        }
    });
}

}  // namespace merpati::store::sql
