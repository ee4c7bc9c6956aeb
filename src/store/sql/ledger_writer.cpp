#include "store/sql/ledger_writer.hpp"

#include <chrono>

#include <fmt/format.h>

#include "model/message.hpp"

namespace merpati::store::sql {
namespace {

bool same_minute(Timestamp one, Timestamp other) {
    using std::chrono::floor;
    using std::chrono::minutes;
    return floor<minutes>(one) == floor<minutes>(other);
}

}  // namespace

LedgerWriter::LedgerWriter(Connection& connection)
    : find_newest_(connection,
                   "SELECT number, kind, begun_at FROM ledger WHERE account = ? "
                   "ORDER BY number DESC LIMIT 1"),
      insert_(connection, "INSERT INTO ledger VALUES(?,?,?,?,?,?,?,?,?,?)"),
      grow_(connection,
            "UPDATE ledger SET ended_at = CASE WHEN ended_at < ?3 THEN ?3 ELSE ended_at END, "
            "charged = charged + ?4, "
            "refunded = refunded + ?5, amount = amount + ?6, balance = ?7 "
            "WHERE account = ?1 AND number = ?2"),
      keep_pruned_(connection,
                   "INSERT INTO ledger_pruned(account, charged, reserved) VALUES(?1, ?2, ?3) "
                   "ON CONFLICT(account) DO UPDATE SET charged = ledger_pruned.charged + ?2, "
                   "reserved = ledger_pruned.reserved + ?3") {}

LedgerWriter::Newest& LedgerWriter::newest_of(model::AccountId account) {
    const auto [found, is_new] = newest_.try_emplace(account);
    if (is_new) {
        if (auto row = find_newest_.query(account.value); row.next()) {
            found->second = {.number = row.integer(0),
                             .kind = row.enumerator(1, LedgerEntry::kind_last),
                             .begun_at = row.time(2)};
        }
    }
    return found->second;
}

void LedgerWriter::add_messages(model::AccountId account, const Messages& messages) {
    damaged_.write(account.value, [&] { write_messages(account, messages); });
}

void LedgerWriter::write_messages(model::AccountId account, const Messages& messages) {
    auto& newest = newest_of(account);
    if (newest.kind == LedgerEntry::Kind::messages && same_minute(newest.begun_at, messages.at)) {
        grow_.run(account.value, newest.number, messages.at, messages.charged, messages.refunded,
                  messages.amount, messages.balance);
        return;
    }
    newest = {
        .number = newest.number + 1, .kind = LedgerEntry::Kind::messages, .begun_at = messages.at};
    insert_.run(account.value, newest.number, static_cast<int>(newest.kind), messages.at,
                messages.at, messages.charged, messages.refunded, messages.amount, messages.balance,
                "");
}

void LedgerWriter::add(model::AccountId account, LedgerEntry::Kind kind, std::int64_t amount,
                       std::optional<std::int64_t> balance, const CreditNote& note) {
    auto& newest = newest_of(account);
    newest = {.number = newest.number + 1, .kind = kind, .begun_at = note.at};
    insert_.run(account.value, newest.number, static_cast<int>(kind), note.at, note.at, 0, 0,
                amount, balance, note.reason);
}

void LedgerWriter::add_reserve(model::AccountId account, std::int64_t amount, std::int64_t balance,
                               const CreditNote& note) {
    damaged_.write(account.value, [&] {
        add(account, amount < 0 ? LedgerEntry::Kind::reserved : LedgerEntry::Kind::released, amount,
            balance, note);
    });
}

void LedgerWriter::keep_pruned(model::AccountId account, const Pruned& pruned) {
    keep_pruned_.run(account.value, pruned.charged, pruned.reserved);
}

UsageWriter::UsageWriter(Connection& connection)
    : connection_(connection),
      find_(connection,
            "UPDATE usage SET messages = messages + ?7 WHERE number = "
            "(SELECT min(number) FROM usage WHERE account = ?1 AND hour = ?2 AND "
            "device = ?3 AND source = ?4 AND state = ?5 AND code = ?6) "
            "RETURNING number"),
      insert_(connection,
              "INSERT INTO usage(account, hour, device, source, state, code, messages) "
              "SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7 WHERE NOT EXISTS (SELECT 1 FROM usage WHERE "
              "account = ?1 AND hour = ?2 AND device = ?3 AND source = ?4 AND state = ?5 AND "
              "code = ?6) RETURNING number"),
      grow_(connection, "UPDATE usage SET messages = messages + ?2 WHERE number = ?1") {
    if (const auto number = connection.new_number(); !number.empty()) {
        renumber_.emplace(connection,
                          fmt::format("UPDATE usage SET messages = messages + ?2, number = {} "
                                      "WHERE number = ?1 RETURNING number",
                                      number));
    }
}

void UsageWriter::count(const model::Message& message, const model::Completion& completion) {
    if (!model::is_final(completion.state)) {
        return;
    }
    using std::chrono::floor;
    const auto hour = floor<std::chrono::hours>(completion.finished_at).time_since_epoch();
    auto& count = counts_[{message.account.value, hour.count(),
                           static_cast<std::int64_t>(message.device.value()),
                           static_cast<int>(message.source), static_cast<int>(completion.state),
                           static_cast<int>(completion.code)}];
    ++count.messages;
}

void UsageWriter::flush() {
    if (rows_.size() > rows_max) {
        rows_.clear();
    }
    for (auto& [key, count] : counts_) {
        damaged_.write(std::get<0>(key), [&] { write(key, count); });
    }
    connection_.wait();
    for (auto& [key, count] : counts_) {
        if (count.is_renumbered ? !count.found : !count.has_row) {
            damaged_.write(std::get<0>(key), [&] { add(key, count); });
        }
    }
    connection_.wait();
    for (const auto& [key, count] : counts_) {
        if (const auto number = count.found ? count.found : count.made) {
            rows_[key] = {.number = *number};
        }
    }
    counts_.clear();
}

void UsageWriter::write(const Key& key, Count& count) {
    const auto known = rows_.find(key);
    if (known == rows_.end()) {
        add(key, count);
    } else if (renumber_ && ++known->second.updates >= updates_max) {
        count.is_renumbered = true;
        renumber_->run_returning(count.found, known->second.number, count.messages);
    } else {
        grow_.run(known->second.number, count.messages);
        connection_.note_changed(count.has_row);
    }
}

/// Adds to the row that is there, or makes one. Sets its number.
void UsageWriter::add(const Key& key, Count& count) {
    const auto& [account, hour, device, source, state, code] = key;
    find_.run_returning(count.found, account, hour, device, source, state, code, count.messages);
    insert_.run_returning(count.made, account, hour, device, source, state, code, count.messages);
}

void UsageWriter::forget() {
    counts_.clear();
    rows_.clear();
}

}  // namespace merpati::store::sql
