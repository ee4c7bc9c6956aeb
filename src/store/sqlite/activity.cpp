#include "store/sqlite/activity.hpp"

namespace merpati::store::sqlite {
namespace {

// The shift stands in schema.cpp and reader_lists.cpp too: `id >> 40`.
constexpr int span_bits = 40;

}  // namespace

Activity::Activity(Connection& connection)
    : connection_(connection), insert_(connection, "INSERT OR IGNORE INTO activity VALUES(?,?)") {}

void Activity::note(model::AccountId account, std::int64_t sequence) {
    const auto span = sequence >> span_bits;
    const auto [found, is_new] = noted_.try_emplace(account, span);
    if (is_new || found->second != span) {
        insert_.run(account.value, span);
        found->second = span;
    }
}

void Activity::prune(std::int64_t sequence, std::size_t rows_max) {
    Statement remove{connection_,
                     "DELETE FROM activity WHERE (account, span) IN (SELECT x.account, x.span "
                     "FROM account a CROSS JOIN activity x ON x.account = a.id AND x.span < ? "
                     "LIMIT ?)"};
    remove.run(sequence >> span_bits, rows_max);
    noted_.clear();
}

}  // namespace merpati::store::sqlite
