// The tasks of Retention for usage and ledgers.
#include <chrono>
#include <optional>

#include "store/sql/retention.hpp"

namespace merpati::store::sql {
namespace {

using Visit = PruneTask::Visit;

/// Goes from account to account, because the keys of `usage` and `ledger` begin with the account.
/// Their times are old by whole hours, so a round is due once an hour.
class AccountWalk : public PruneTask {
public:
    bool is_due(const PruneLimits& limits) override { return hour_of(limits) != through_to_; }

protected:
    [[nodiscard]] virtual Timestamp before(const PruneLimits& limits) const = 0;

    [[nodiscard]] std::int64_t hour_of(const PruneLimits& limits) const {
        using std::chrono::floor;
        return floor<std::chrono::hours>(before(limits)).time_since_epoch().count();
    }
    Visit end_round(const PruneLimits& limits) {
        account_ = 0;
        through_to_ = hour_of(limits);
        return Visit::none;
    }
    Visit go_on_after(std::int64_t account) {
        account_ = account + 1;
        return Visit::kept;
    }

    std::int64_t account_ = 0;  // The next one.

private:
    std::optional<std::int64_t> through_to_;
};

class UsageCounts final : public AccountWalk {
public:
    UsageCounts(Connection& connection, UsageWriter& usage)
        : usage_(usage),
          find_(connection,
                "SELECT account, hour, number FROM usage WHERE account >= ? "
                "ORDER BY account, hour LIMIT 1"),
          remove_(connection, "DELETE FROM usage WHERE number = ?") {}

    Visit visit(const PruneLimits& limits) override {
        std::int64_t number = 0;
        {
            auto row = find_.query(account_);
            if (!row.next()) {
                return end_round(limits);
            }
            account_ = row.integer(0);
            number = row.integer(2);
            if (row.integer(1) >= hour_of(limits)) {
                return go_on_after(account_);
            }
        }
        remove_.run(number);
        usage_.forget_rows();
        return Visit::removed;
    }

private:
    [[nodiscard]] Timestamp before(const PruneLimits& limits) const override {
        return limits.usage_before;
    }

    UsageWriter& usage_;
    Statement find_;
    Statement remove_;
};

/// Adds an old row of a ledger to the one after it, so that all sums stay exact. The last old row
/// becomes the opening. What rows of reserves said is kept in `ledger_pruned`.
class LedgerRows final : public AccountWalk {
public:
    LedgerRows(Connection& connection, LedgerWriter& ledger)
        : ledger_(ledger),
          find_(connection,
                "SELECT account, number, kind, ended_at, charged, refunded, amount FROM ledger "
                "WHERE account >= ? ORDER BY account, number LIMIT 2"),
          add_(connection,
               "UPDATE ledger SET kind = ?3, reason = '', charged = charged + ?4, "
               "refunded = refunded + ?5, amount = amount + ?6 "
               "WHERE account = ?1 AND number = ?2"),
          remove_(connection, "DELETE FROM ledger WHERE account = ? AND number = ?") {}

    Visit visit(const PruneLimits& limits) override {
        Row first;
        Row second;
        {
            auto row = find_.query(account_);
            if (!row.next()) {
                return end_round(limits);
            }
            first = read(row);
            second = row.next() ? read(row) : Row{};
        }
        const auto hour = hour_of(limits);
        if (first.hour >= hour) {
            return go_on_after(first.account);
        }
        account_ = first.account;
        const bool is_last_old = second.account != first.account || second.hour >= hour;
        if (is_last_old && first.kind == opening) {
            return go_on_after(first.account);
        }
        ledger_.forget(model::AccountId{first.account});
        keep_reserved(first);
        if (is_last_old) {
            add_.run(first.account, first.number, opening, 0, 0, 0);
            return go_on_after(first.account);
        }
        keep_reserved(second);
        add_.run(second.account, second.number, opening, first.charged, first.refunded,
                 first.amount);
        remove_.run(first.account, first.number);
        return Visit::removed;
    }

private:
    static constexpr auto opening = static_cast<std::int64_t>(LedgerEntry::Kind::opening);
    static constexpr auto reserved = static_cast<std::int64_t>(LedgerEntry::Kind::reserved);
    static constexpr auto released = static_cast<std::int64_t>(LedgerEntry::Kind::released);

    struct Row {
        std::int64_t account = 0;
        std::int64_t number = 0;
        std::int64_t kind = 0;
        std::int64_t hour = 0;
        std::int64_t charged = 0;
        std::int64_t refunded = 0;
        std::int64_t amount = 0;
    };
    /// If the row is of a reserve.
    void keep_reserved(const Row& row) {
        if (row.kind == reserved || row.kind == released) {
            ledger_.keep_pruned(model::AccountId{row.account}, {.reserved = -row.amount});
        }
    }
    [[nodiscard]] static Row read(const Cursor& row) {
        using std::chrono::floor;
        return {.account = row.integer(0),
                .number = row.integer(1),
                .kind = row.integer(2),
                .hour = floor<std::chrono::hours>(row.time(3)).time_since_epoch().count(),
                .charged = row.integer(4),
                .refunded = row.integer(5),
                .amount = row.integer(6)};
    }
    [[nodiscard]] Timestamp before(const PruneLimits& limits) const override {
        return limits.ledger_before;
    }

    LedgerWriter& ledger_;
    Statement find_;
    Statement add_;
    Statement remove_;
};

}  // namespace

std::unique_ptr<PruneTask> usage_task(const PruneRooms& rooms) {
    return std::make_unique<UsageCounts>(rooms.connection, rooms.writer.usage());
}

std::unique_ptr<PruneTask> ledger_task(const PruneRooms& rooms) {
    return std::make_unique<LedgerRows>(rooms.connection, rooms.writer.credits().ledger());
}

}  // namespace merpati::store::sql
