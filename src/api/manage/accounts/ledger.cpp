// An account's ledger of credit.
#include <cstdint>
#include <string>

#include "api/manage/engine/handlers.hpp"
#include "api/manage/engine/listing.hpp"
#include "api/manage/engine/lookup.hpp"
#include "api/manage/engine/views.hpp"
#include "base/number.hpp"

namespace merpati::api::manage::ledger {
namespace {

using boost::json::value;

constexpr std::string_view list_name = "ledger";

boost::json::object shown_entry(const store::LedgerEntry& entry) {
    return {{"number", entry.number},
            {"kind", store::to_string(entry.kind)},
            {"begun_at", to_rfc3339(entry.begun_at)},
            {"ended_at", to_rfc3339(entry.ended_at)},
            {"charged", entry.charged},
            {"refunded", entry.refunded},
            {"amount", entry.amount},
            {"balance", value_or_null(entry.balance)},
            {"reason", entry.reason}};
}

}  // namespace

Result<value> list(const Context& context, Call& call) {
    const auto named = call.fields.account();
    const auto before = take_cursor(call.fields, list_name, parse_whole<std::int64_t>);
    const auto limit = take_limit(call.fields);
    const auto account = find_own_account(context, call, named);
    if (!account) {
        return pass(account);
    }
    const auto entries = context.read(
        [&](store::Reader& reader) { return reader.ledger(account->id, before, limit); });
    if (!entries) {
        return pass(entries);
    }
    return page_of(*entries, limit, list_name, shown_entry,
                   [](const store::LedgerEntry& entry) { return std::to_string(entry.number); });
}

}  // namespace merpati::api::manage::ledger
