// Accounts: their plan, limits, credit and webhook secret.
#include <algorithm>

#include <fmt/format.h>

#include "api/manage/accounts/limits.hpp"
#include "api/manage/campaigns/people_upload.hpp"
#include "api/manage/engine/callback_url.hpp"
#include "api/manage/engine/entity_tag.hpp"
#include "api/manage/engine/handlers.hpp"
#include "api/manage/engine/listing.hpp"
#include "api/manage/engine/lookup.hpp"
#include "api/manage/engine/views.hpp"

namespace merpati::api::manage::accounts {
namespace {

using boost::json::object;
using boost::json::value;
constexpr std::size_t name_bytes_max = 200;
constexpr std::size_t secret_bytes = 32;

std::optional<model::RateChoice> parse_rate(std::string_view text) {
    const auto rate = model::RateChoice::parse(text);
    return rate && rate->rate.count <= rate_count_max ? rate : std::nullopt;
}

/// Empty: the field is missing or wrong; empty inside: each status alone.
std::optional<std::optional<model::CallbackBatch>> take_callback_batch(Fields& fields) {
    constexpr const char* name = "callback_batch";
    if (fields.none(name)) {
        return std::optional<model::CallbackBatch>{};
    }
    auto given = fields.object(name);
    if (!given) {
        return std::nullopt;
    }
    const auto most = given->required_integer("max", 1, model::CallbackBatch::max_most);
    const auto wait =
        given->required_integer("wait_ms", 0, model::CallbackBatch::wait_most.count());
    fields.add_mistakes(name, *given);
    return model::CallbackBatch{.max = static_cast<std::uint32_t>(most), .wait = Millis{wait}};
}

/// Takes the fields that `create` and `change` share, except name and credit.
store::AccountPatch take_choices(Fields& fields, const Context& context) {
    store::AccountPatch patch;
    patch.plan = fields.word("plan", model::parse_plan, "paid, trial or free");
    patch.rate = fields.word("rate", parse_rate,
                             "like 50/s or 600/min, at most 1000000 of them, or none, or default");
    patch.delivery =
        fields.word("delivery", model::parse_delivery, "at-least-once or at-most-once");
    if (fields.none("expires_at")) {
        patch.expires_at = std::optional<Timestamp>{};
    } else if (const auto time = fields.time("expires_at")) {
        patch.expires_at = time;
    }
    if (const auto most = fields.integer("devices_max", 0, devices_most)) {
        patch.devices_max = static_cast<std::uint32_t>(*most);
    }
    patch.callback_url = take_callback_url(fields, "callback", context);
    patch.country = take_country(fields);
    patch.callback_batch = take_callback_batch(fields);
    return patch;
}

std::optional<std::string> take_name(Fields& fields) {
    return fields.given("name") ? std::optional{fields.required_text("name", name_bytes_max)}
                                : std::nullopt;
}

Bytes draw_secret(Random& random) {
    Bytes secret(secret_bytes);
    random.fill(secret);
    return secret;
}

object shown_account(const model::Account& account) {
    return view(account);
}

object with_secret(const model::Account& account) {
    auto shown = view(account);
    shown["webhook_secret"] = webhook_secret_text(account.webhook_secret);
    return shown;
}

}  // namespace

Result<value> list(const Context& context, Call& call) {
    const auto page = take_numbered_page(call.fields, "accounts");
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    const auto part = page.part([](auto number) { return model::AccountId{number}; });
    auto accounts = context.read(
        [&](store::Reader& reader) { return reader.accounts_after(part.after, part.limit); });
    if (!accounts) {
        return pass(accounts);
    }
    return numbered_page_of(*accounts, page, "accounts", shown_account,
                            [](const model::Account& account) { return account.id.value; });
}

Result<value> show(const Context& context, Call& call) {
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    auto account = find_account(context, call, call.id);
    if (!account) {
        return pass(account);
    }
    return view(*account);
}

Result<value> create(const Context& context, Call& call) {
    auto& fields = call.fields;
    model::Account account;
    account.name = fields.required_text("name", name_bytes_max);
    if (!fields.none("credit")) {
        account.credit = fields.integer("credit", 0, credit_max);
    }
    const auto choices = take_choices(fields, context);
    if (auto checked = fields.finish(); !checked) {
        return pass(checked);
    }
    account.webhook_secret = draw_secret(context.random);
    account.created_at = context.clock.now();
    return context.commit_and_show(
        [&](store::Tables& tables) -> Result<model::Account> {
            const auto id = tables.create_account(account);
            return id ? tables.update_account(*id, choices) : pass(id);
        },
        with_secret);
}

Result<value> show_own(const Context& context, Call& call) {
    const auto id = call.fields.account();
    auto account = find_own_account(context, call, id);
    if (!account) {
        return pass(account);
    }
    auto shown = view(*account);
    hide_from_viewer(shown, call.principal, account->id, {"callback"});
    return shown;
}

/// Writes only the given fields, so that concurrent changes of different fields are all kept.
Result<value> change(const Context& context, Call& call) {
    if (const auto account = find_account(context, call, call.id); !account) {
        return pass(account);
    }
    auto& fields = call.fields;
    const auto name = take_name(fields);
    const bool uncounted = fields.none("credit");
    const auto credit = fields.integer("credit", 0, credit_max);
    auto patch = take_choices(fields, context);
    patch.name = name;
    if (auto checked = fields.finish(); !checked) {
        return pass(checked);
    }
    return context.commit_and_show(
        [&](store::Tables& tables) -> Result<model::Account> {
            const auto account = matching(call, find_account(tables, call, call.id), shown_account);
            if (!account) {
                return pass(account);
            }
            if (uncounted || credit) {
                const store::CreditNote note{.at = context.clock.now()};
                if (auto set = tables.set_credit(account->id, credit, note); !set) {
                    return pass(set);
                }
            }
            return tables.update_account(account->id, patch);
        },
        shown_account);
}

/// The fields that an account may change itself: its name, its country, the callback address, and
/// how statuses are posted together.
Result<value> change_own(const Context& context, Call& call) {
    const auto id = call.fields.account();
    store::AccountPatch patch;
    patch.name = take_name(call.fields);
    patch.callback_url = take_callback_url(call.fields, "callback", context);
    patch.country = take_country(call.fields);
    patch.callback_batch = take_callback_batch(call.fields);
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    return context.commit_and_show(
        [&](store::Tables& tables) -> Result<model::Account> {
            const auto account = matching(call, find_own_account(tables, call, id), shown_account);
            if (!account) {
                return pass(account);
            }
            return tables.update_account(account->id, patch);
        },
        shown_account);
}

Result<value> top_up(const Context& context, Call& call) {
    const auto account = find_account(context, call, call.id);
    if (!account) {
        return pass(account);
    }
    const auto amount = call.fields.required_integer("amount", -credit_max, credit_max);
    const auto reason = call.fields.text("reason", store::CreditNote::reason_bytes_max);
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    return context.commit_and_show(
        [&](store::Tables& tables) -> Result<model::Account> {
            const auto balance = tables.add_credit(
                account->id, amount, {.at = context.clock.now(), .reason = reason.value_or("")});
            if (!balance) {
                return pass(balance);
            }
            if (*balance > credit_max) {
                call.fields.mistake(
                    "amount",
                    fmt::format(
                        "is too much: the credit would be {}; an account can have at most {}",
                        *balance, credit_max));
                return pass(call.fields.finish());
            }
            return find_account(tables, call, call.id);
        },
        shown_account);
}

namespace {

/// Until the overlap ends, callbacks are signed with both secrets, so that receivers can switch
/// without refusing any. `find` answers the account, inside the change.
template <class Find>
Result<value> rotate(const Context& context, Call& call, Find find) {
    const auto overlap = call.fields.integer("overlap_seconds", 0, overlap_max.count());
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    const auto until =
        context.clock.now() + std::chrono::seconds{overlap.value_or(overlap_default.count())};
    const auto secret = draw_secret(context.random);
    return context.commit_and_show(
        [&](store::Tables& tables) -> Result<model::AccountId> {
            const auto account = find(tables);
            if (!account) {
                return pass(account);
            }
            auto rotated = tables.rotate_webhook_secret(account->id, secret, until);
            return rotated ? Result<model::AccountId>{account->id} : pass(rotated);
        },
        [&](model::AccountId id) {
            return object{{"id", id.text()},
                          {"webhook_secret", webhook_secret_text(secret)},
                          {"previous_valid_until", to_rfc3339(until)}};
        });
}

}  // namespace

Result<value> rotate_secret(const Context& context, Call& call) {
    return rotate(context, call,
                  [&call](store::Tables& tables) { return find_account(tables, call, call.id); });
}

Result<value> rotate_own_secret(const Context& context, Call& call) {
    const auto id = call.fields.account();
    return rotate(context, call,
                  [&](store::Tables& tables) { return find_own_account(tables, call, id); });
}

}  // namespace merpati::api::manage::accounts
