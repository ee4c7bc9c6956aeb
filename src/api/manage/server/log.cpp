// Lists of the log of changes, for the server and for an account.
#include <boost/json/parse.hpp>

#include "api/manage/engine/listing.hpp"
#include "store/audit_log.hpp"

namespace merpati::api::manage::log {
namespace {

using boost::json::object;
using boost::json::value;

constexpr std::size_t object_bytes_max = 254;

value parsed_or_null(const std::string& json) {
    boost::system::error_code error;
    auto parsed = boost::json::parse(json, error);
    return error ? nullptr : parsed;
}

std::string_view kind_of(std::string_view actor) {
    return actor.starts_with(model::PersonTag::prefix) ? "person"
           : actor.starts_with(model::KeyTag::prefix)  ? "key"
           : actor == "local"                          ? "local"
                                                       : "anyone";
}

/// Accounts do not see ids of people, because their numbers would reveal how many there are.
object view(const store::AuditEntry& entry, bool for_account) {
    const auto kind = kind_of(entry.actor);
    const bool has_id = kind == "key" || (kind == "person" && !for_account);
    return {{"id", entry.id.text()},
            {"at", to_rfc3339(entry.at)},
            {"door", entry.door},
            {"actor",
             {{"kind", kind},
              {"id", has_id ? value(entry.actor) : nullptr},
              {"name", text_or_null(entry.actor_name)}}},
            {"account", text_or_null(entry.account)},
            {"operation", entry.operation},
            {"object", text_or_null(entry.object)},
            {"before", parsed_or_null(entry.before)},
            {"after", parsed_or_null(entry.after)},
            {"outcome", text_or_null(entry.outcome)},
            {"request_id", text_or_null(entry.request_id)}};
}

Result<value> answer(const Context& context, const store::AuditFilter& filter, bool for_account) {
    const auto found = context.read([&](store::Reader& reader) { return reader.audit(filter); });
    if (!found) {
        return pass(found);
    }
    return page_of(
        *found, filter.limit, "log",
        [&](const store::AuditEntry& entry) { return view(entry, for_account); },
        [](const store::AuditEntry& entry) { return entry.id.text(); });
}

}  // namespace

Result<value> of_server(const Context& context, Call& call) {
    store::AuditFilter filter;
    filter.actor = call.fields.text("actor", 64);
    filter.object = call.fields.text("object", object_bytes_max);
    if (auto taken = take_page(context, call, "log", model::AuditId::parse, filter); !taken) {
        return pass(taken);
    }
    return answer(context, filter, false);
}

Result<value> of_account(const Context& context, Call& call) {
    store::AuditFilter filter;
    const auto account = call.fields.account();
    filter.object = call.fields.text("object", object_bytes_max);
    filter.before = take_cursor(call.fields, "log", model::AuditId::parse);
    filter.limit = take_limit(call.fields);
    const auto owner = find_own_account(context, call, account);
    if (!owner) {
        return pass(owner);
    }
    filter.account = owner->id;
    return answer(context, filter, true);
}

}  // namespace merpati::api::manage::log
