#include "store/sql/ledger_check.hpp"

#include <string>

#include <fmt/format.h>

#include "store/sql/rows.hpp"

namespace merpati::store::sql {
namespace {

/// Each account's balance, the sums and the last balance of its ledger, and the number of its
/// charged messages: those in the store, and those that retention has removed. Then what its
/// campaigns must hold in reserve, and what they hold: credit that was reserved and not released,
/// without the messages that were charged from it. `ledger_pruned.reserved` replaces rows of
/// reserves and charged messages that retention has removed, and messages that were refunded while
/// credit was not counted.
constexpr const char* books = R"sql(
SELECT a.id, a.credit, b.amount, b.standing, n.balance,
       coalesce(p.charged, 0) + coalesce(m.charged, 0), n.account IS NULL,
       coalesce(b.reserved, 0) + coalesce(p.reserved, 0) - coalesce(m.from_reserve, 0),
       coalesce(c.reserved, 0)
FROM account a
LEFT JOIN (SELECT account, CAST(sum(amount) AS bigint) AS amount,
                  CAST(sum(charged) - sum(refunded) AS bigint) AS standing,
                  CAST(-sum(amount) FILTER (WHERE kind IN ({reserved}, {released})) AS bigint)
                      AS reserved,
                  max(number) AS newest FROM ledger GROUP BY account) b ON b.account = a.id
LEFT JOIN (SELECT account, CAST(sum(reserved) AS bigint) AS reserved
           FROM campaign GROUP BY account) c
       ON c.account = a.id
LEFT JOIN ledger n ON n.account = a.id AND n.number = b.newest
LEFT JOIN ledger_pruned p ON p.account = a.id
LEFT JOIN (SELECT m.account, count(*) AS charged,
                  count(*) FILTER (WHERE m.campaign_row IS NOT NULL) AS from_reserve
           FROM message m LEFT JOIN completion c ON c.id = m.id
           WHERE (m.flags & {charged}) <> 0 AND
                 coalesce(c.state, {pending}) NOT IN ({failed}, {cancelled})
           GROUP BY m.account) m
       ON m.account = a.id
)sql";

std::string balance_text(const Cursor& row, int column) {
    return row.null(column) ? std::string{"not counted"} : std::to_string(row.integer(column));
}

std::string fault_of(const Cursor& row) {
    const bool is_empty = row.integer(6) != 0;
    if (is_empty ? !row.null(1) : balance_text(row, 1) != balance_text(row, 4)) {
        return fmt::format("its credit is {}, but its ledger ends with {}", balance_text(row, 1),
                           is_empty ? "nothing" : balance_text(row, 4));
    }
    const auto credit = row.null(1) ? 0 : row.integer(1);
    if (row.integer(2) != credit) {
        return fmt::format("the amounts in its ledger add up to {}, but its credit is {}",
                           row.integer(2), credit);
    }
    if (row.integer(3) != row.integer(5)) {
        return fmt::format("its ledger has {} messages charged, but {} are", row.integer(3),
                           row.integer(5));
    }
    if (row.integer(7) != row.integer(8)) {
        return fmt::format("its campaigns hold {} credits in reserve, but {} are reserved",
                           row.integer(8), row.integer(7));
    }
    return {};
}

}  // namespace

std::vector<LedgerFault> compare_ledgers(Connection& connection) {
    std::vector<LedgerFault> faults;
    using Kind = LedgerEntry::Kind;
    using model::MessageState;
    const auto text = fmt::format(books, fmt::arg("reserved", number_of(Kind::reserved)),
                                  fmt::arg("released", number_of(Kind::released)),
                                  fmt::arg("charged", charged_flag),
                                  fmt::arg("pending", number_of(MessageState::pending)),
                                  fmt::arg("failed", number_of(MessageState::failed)),
                                  fmt::arg("cancelled", number_of(MessageState::cancelled)));
    Statement compare{connection, text, Rows::many};
    for (auto row = compare.query(); row.next();) {
        if (auto what = fault_of(row); !what.empty()) {
            faults.push_back({.account = {row.integer(0)}, .what = std::move(what)});
        }
    }
    return faults;
}

}  // namespace merpati::store::sql
