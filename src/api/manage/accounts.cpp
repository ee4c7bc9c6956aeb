// Accounts: who sends, what they may, how much they have left.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "api/manage/limits.hpp"
#include "api/manage/lookup.hpp"
#include "api/manage/route.hpp"
#include "api/manage/views.hpp"
#include "outbound/url.hpp"

namespace merpati::api::manage {
namespace {

using boost::json::value;

constexpr std::size_t name_bytes_max = 200;
constexpr std::size_t url_bytes_max = 2048;
constexpr std::size_t secret_bytes = 32;

Result<value> list(const Context& context, Call& call) {
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    auto reader = context.store.open_reader();
    if (!reader) {
        return pass(reader);
    }
    auto accounts = (*reader)->accounts();
    if (!accounts) {
        return pass(accounts);
    }
    std::ranges::sort(*accounts, {}, &model::Account::id);
    boost::json::array items;
    for (const auto& account : *accounts) {
        items.push_back(view(account));
    }
    return page(std::move(items));
}

Result<value> show(const Context& context, Call& call) {
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    auto account = find_account(context, call.id);
    if (!account) {
        return pass(account);
    }
    return view(*account);
}

std::optional<model::RateChoice> parse_rate(std::string_view text) {
    const auto rate = model::RateChoice::parse(text);
    return rate && rate->rate.count <= rate_count_max ? rate : std::nullopt;
}

/// The fields that creating and changing have in common, all but credit.
void take_choices(Fields& fields, const Context& context, model::Account& account) {
    account.plan =
        fields.word("plan", model::parse_plan, "paid, trial or free").value_or(account.plan);
    account.rate = fields
                       .word("rate", parse_rate,
                             "like 50/s or 600/min, at most 1000000 of them, or none, or default")
                       .value_or(account.rate);
    account.delivery =
        fields.word("delivery", model::parse_delivery, "at-least-once or at-most-once")
            .value_or(account.delivery);
    if (fields.none("expires_at")) {
        account.expires_at.reset();
    } else if (const auto time = fields.time("expires_at")) {
        account.expires_at = time;
    }
    if (const auto most = fields.integer("devices_max", 0, devices_most)) {
        account.devices_max = static_cast<std::uint32_t>(*most);
    }
    if (fields.none("callback")) {
        account.callback_url.clear();
    } else if (auto url = fields.text("callback", url_bytes_max)) {
        const auto schemes = context.allow_http_callbacks ? outbound::Schemes::http_and_https
                                                          : outbound::Schemes::https_only;
        if (const auto admitted = outbound::admit_url(*url, schemes, context.policy); !admitted) {
            fields.mistake("callback", "must be a public https URL: " + admitted.error().detail);
        }
        account.callback_url = std::move(*url);
    }
}

Bytes draw_secret(Random& random) {
    Bytes secret(secret_bytes);
    random.fill(secret);
    return secret;
}

/// Reads the account back, with the credit it has now, and puts it into the directory.
Result<model::Account> publish(const Context& context, model::AccountId id) {
    auto account = find_account(context, id.text());
    if (account) {
        context.directory.put_account(*account);
    }
    return account;
}

Result<value> create(const Context& context, Call& call) {
    auto& fields = call.fields;
    model::Account account;
    account.name = fields.required_text("name", name_bytes_max);
    if (!fields.none("credit")) {
        account.credit = fields.integer("credit", 0, credit_max);
    }
    take_choices(fields, context, account);
    if (auto checked = fields.finish(); !checked) {
        return pass(checked);
    }
    account.webhook_secret = draw_secret(context.random);
    account.created_at = context.clock.now();
    auto created = context.change([&account](store::Tables& tables) -> Result<void> {
        auto id = tables.create_account(account);
        if (!id) {
            return pass(id);
        }
        account.id = *id;
        return {};
    });
    if (!created) {
        return pass(created);
    }
    context.directory.put_account(account);
    auto shown = view(account);
    shown["webhook_secret"] = webhook_secret_text(account.webhook_secret);
    return shown;
}

Result<value> change(const Context& context, Call& call) {
    auto account = find_account(context, call.id);
    if (!account) {
        return pass(account);
    }
    auto& fields = call.fields;
    account->name =
        fields.given("name") ? fields.required_text("name", name_bytes_max) : account->name;
    const bool uncounted = fields.none("credit");
    const auto credit = fields.integer("credit", 0, credit_max);
    take_choices(fields, context, *account);
    if (auto checked = fields.finish(); !checked) {
        return pass(checked);
    }
    auto changed = context.change([&](store::Tables& tables) -> Result<void> {
        if (auto updated = tables.update_account(*account); !updated) {
            return updated;
        }
        return uncounted || credit ? tables.set_credit(account->id, credit) : Result<void>{};
    });
    if (!changed) {
        return pass(changed);
    }
    auto published = publish(context, account->id);
    if (!published) {
        return pass(published);
    }
    return view(*published);
}

Result<value> top_up(const Context& context, Call& call) {
    const auto account = find_account(context, call.id);
    if (!account) {
        return std::unexpected(account.error());
    }
    const auto amount = call.fields.integer("amount", -credit_max, credit_max);
    if (!amount) {
        call.fields.mistake("amount", "must be given");
    }
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    auto added = context.change([&](store::Tables& tables) -> Result<void> {
        const auto balance = tables.add_credit(account->id, *amount);
        if (!balance) {
            return std::unexpected(balance.error());
        }
        if (*balance > credit_max) {
            return fail(ErrorCode::invalid_argument,
                        fmt::format("the credit would be {}; an account can have at most {}",
                                    *balance, credit_max));
        }
        return {};
    });
    if (!added) {
        return pass(added);
    }
    auto published = publish(context, account->id);
    if (!published) {
        return pass(published);
    }
    return view(*published);
}

/// The old secret signs beside the new one until the overlap ends, so that receivers can change
/// over without missing a callback.
Result<value> rotate_secret(const Context& context, Call& call) {
    auto account = find_account(context, call.id);
    if (!account) {
        return pass(account);
    }
    const auto overlap = call.fields.integer("overlap_seconds", 0, overlap_max.count());
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    const auto until = context.clock.now() + std::chrono::seconds{overlap.value_or(24 * 3600)};
    account->webhook_secret_previous =
        std::exchange(account->webhook_secret, draw_secret(context.random));
    account->previous_secret_until = until;
    auto changed = context.change(
        [&account](store::Tables& tables) { return tables.update_account(*account); });
    if (!changed) {
        return pass(changed);
    }
    if (auto published = publish(context, account->id); !published) {
        return pass(published);
    }
    return boost::json::object{{"id", account->id.text()},
                               {"webhook_secret", webhook_secret_text(account->webhook_secret)},
                               {"previous_valid_until", to_rfc3339(until)}};
}

using http::Method;

constexpr std::array routes{
    Route{Method::get, "/accounts", Turn::shared, list},
    Route{Method::post, "/accounts", Turn::exclusive, create},
    Route{Method::get, "/accounts/{}", Turn::shared, show},
    Route{Method::patch, "/accounts/{}", Turn::exclusive, change},
    Route{Method::post, "/accounts/{}/topup", Turn::exclusive, top_up},
    Route{Method::post, "/accounts/{}/secret", Turn::exclusive, rotate_secret},
};

}  // namespace

std::span<const Route> account_routes() {
    return routes;
}

}  // namespace merpati::api::manage
