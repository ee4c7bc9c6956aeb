// The methods of SqliteReader for ledger and usage.
#include <chrono>
#include <string>

#include <fmt/format.h>

#include "store/sqlite/rows.hpp"
#include "store/sqlite/sqlite_reader.hpp"

namespace merpati::store::sqlite {
namespace {

std::uint64_t count(const Cursor& row, int column) {
    constexpr std::int64_t most = 1'000'000'000'000'000;
    return static_cast<std::uint64_t>(row.between(column, 0, most));
}

LedgerEntry read_entry(const Cursor& row) {
    return {.number = row.integer(0),
            .kind = row.enumerator(1, LedgerEntry::Kind::set),
            .begun_at = row.time(2),
            .ended_at = row.time(3),
            .charged = count(row, 4),
            .refunded = count(row, 5),
            .amount = row.integer(6),
            .balance = row.null(7) ? std::nullopt : std::optional{row.integer(7)},
            .reason = std::string{row.text(8)}};
}

/// Groups by the requested columns. The others are selected as 0, so that their rows are summed.
std::string usage_query(const UsageFilter& filter) {
    return fmt::format(
        "SELECT account, {} AS day, {} AS device, {} AS source, {} AS code, "
        "sum(iif(state = 2, messages, 0)), sum(iif(state = 3, messages, 0)), "
        "sum(iif(state = 4, messages, 0)) FROM usage "
        "WHERE (?1 IS NULL OR account = ?1) AND hour >= ?2 AND hour < ?3 "
        "GROUP BY 1, 2, 3, 4, 5 ORDER BY 2, 1, 3, 4, 5 LIMIT ?4",
        filter.by_day ? "(hour * 60 + ?5) / 1440" : "0 * ?5", filter.by_device ? "device" : "0",
        filter.by_source ? "source" : "0", filter.by_code ? "code" : "0");
}

UsageRow read_usage(const Cursor& row, const UsageFilter& filter) {
    constexpr std::int64_t days_max = 3'000'000;
    UsageRow read;
    read.account = {row.integer(0)};
    if (filter.by_day) {
        read.day = std::chrono::sys_days{std::chrono::days{row.between(1, 0, days_max)}};
    }
    if (filter.by_device) {
        read.device = model::PhoneNumber::from_stored(row.integer(2));
    }
    if (filter.by_source) {
        read.source = row.enumerator(3, model::Source::campaign);
    }
    if (filter.by_code) {
        read.code = static_cast<model::StatusCode>(row.number<std::uint16_t>(4));
    }
    read.sent = count(row, 5);
    read.failed = count(row, 6);
    read.cancelled = count(row, 7);
    return read;
}

}  // namespace

Result<std::vector<LedgerEntry>> SqliteReader::ledger(model::AccountId account,
                                                      std::optional<std::int64_t> before,
                                                      std::size_t limit) {
    return guarded([&]() -> Result<std::vector<LedgerEntry>> {
        Statement find{connection_,
                       "SELECT number, kind, begun_at, ended_at, charged, refunded, amount, "
                       "balance, reason FROM ledger WHERE account = ?1 AND "
                       "(?2 IS NULL OR number < ?2) ORDER BY number DESC LIMIT ?3"};
        std::vector<LedgerEntry> entries;
        for (auto row = find.query(account.value, before, limit); row.next();) {
            entries.push_back(read_entry(row));
        }
        return entries;
    });
}

Result<std::vector<UsageRow>> SqliteReader::usage(const UsageFilter& filter) {
    using std::chrono::floor;
    using std::chrono::hours;
    return guarded([&]() -> Result<std::vector<UsageRow>> {
        Statement sum{connection_, usage_query(filter)};
        std::vector<UsageRow> rows;
        const auto account = filter.account.transform([](auto id) { return id.value; });
        for (auto row = sum.query(account, floor<hours>(filter.since).time_since_epoch().count(),
                                  floor<hours>(filter.until).time_since_epoch().count(),
                                  filter.limit, filter.offset.count());
             row.next();) {
            rows.push_back(read_usage(row, filter));
        }
        return rows;
    });
}

}  // namespace merpati::store::sqlite
