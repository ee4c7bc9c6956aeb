// API keys: shown once, kept as a digest, rotated with an overlap, revoked at once.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "admission/api_key_format.hpp"
#include "api/manage/limits.hpp"
#include "api/manage/lookup.hpp"
#include "api/manage/route.hpp"
#include "api/manage/views.hpp"
#include "base/digest.hpp"

namespace merpati::api::manage {
namespace {

using boost::json::value;

constexpr std::size_t name_bytes_max = 100;
constexpr std::size_t keys_per_account_max = 1'000;
constexpr std::int64_t overlap_seconds_default = std::int64_t{24} * 3600;

/// What a caller may pin a key to; `auto` pins nothing (decisions.md, Which revision).
struct Pin {
    std::optional<model::Revision> revision;
};

std::optional<Pin> parse_pin(std::string_view word) {
    if (word == "auto") {
        return Pin{};
    }
    const auto revision = model::parse_revision(word);
    return revision ? std::optional{Pin{revision}} : std::nullopt;
}

/// Draws a key into the record and answers its text, which nothing keeps.
std::string draw_key(Random& random, model::ApiKey& record) {
    auto text = admission::make_api_key(random);
    record.digest = sha256(text);
    record.hint = text.substr(0, admission::api_key_hint_size);
    return text;
}

Result<void> insert(store::Tables& tables, model::ApiKey& key) {
    auto id = tables.create_key(key);
    if (!id) {
        return pass(id);
    }
    key.id = *id;
    return {};
}

bool is_live(const model::ApiKey& key, Timestamp now) {
    return !key.revoked_at && (!key.expires_at || now < *key.expires_at);
}

/// Only keys that work count: what was revoked stays as a record.
Result<void> check_room(const Context& context, model::AccountId account) {
    const auto keys = context.directory.keys(account);
    const auto now = context.clock.now();
    const auto live =
        std::ranges::count_if(keys, [now](const model::ApiKey& key) { return is_live(key, now); });
    if (static_cast<std::size_t>(live) < keys_per_account_max) {
        return {};
    }
    return fail(ErrorCode::refused, fmt::format("the account has {} keys that work: revoke those "
                                                "that are not used",
                                                keys_per_account_max));
}

Result<value> list(const Context& context, Call& call) {
    const auto account = call.fields.text("account", 32);
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    std::optional<model::AccountId> owner;
    if (account) {
        const auto found = find_account(context, *account);
        if (!found) {
            return std::unexpected(found.error());
        }
        owner = found->id;
    }
    auto keys = context.directory.keys(owner);
    std::ranges::sort(keys, {}, &model::ApiKey::id);
    boost::json::array items;
    for (const auto& key : keys) {
        items.push_back(view(key, context.clock.now()));
    }
    return page(std::move(items));
}

Result<value> create(const Context& context, Call& call) {
    auto& fields = call.fields;
    const auto account = fields.required_text("account", 32);
    model::ApiKey key;
    key.name = fields.text("name", name_bytes_max).value_or("");
    key.revision = fields.word("revision", parse_pin, "A, B or auto").value_or(Pin{}).revision;
    if (auto checked = fields.finish(); !checked) {
        return pass(checked);
    }
    const auto owner = find_account(context, account);
    if (!owner) {
        return std::unexpected(owner.error());
    }
    if (auto room = check_room(context, owner->id); !room) {
        return pass(room);
    }
    key.account = owner->id;
    key.created_at = context.clock.now();
    const auto text = draw_key(context.random, key);
    auto created = context.change([&key](store::Tables& tables) { return insert(tables, key); });
    if (!created) {
        return pass(created);
    }
    context.directory.put_key(key);
    auto shown = view(key, context.clock.now());
    shown["key"] = text;
    return shown;
}

Result<value> revoke(const Context& context, Call& call) {
    auto key = find_key(context, call.id);
    if (!key) {
        return pass(key);
    }
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    if (!key->revoked_at) {
        key->revoked_at = context.clock.now();
        auto changed =
            context.change([&key](store::Tables& tables) { return tables.update_key(*key); });
        if (!changed) {
            return pass(changed);
        }
        context.directory.put_key(*key);
    }
    return view(*key, context.clock.now());
}

/// A successor takes the key's place; the old one works on until the overlap ends.
Result<value> rotate(const Context& context, Call& call) {
    auto key = find_key(context, call.id);
    if (!key) {
        return pass(key);
    }
    const auto overlap = call.fields.integer("overlap_seconds", 0, overlap_max.count())
                             .value_or(overlap_seconds_default);
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    const auto now = context.clock.now();
    if (!is_live(*key, now)) {
        return fail(ErrorCode::conflict, fmt::format("key {} does not work any more: create a new "
                                                     "one with `merpati key create {}`",
                                                     call.id, key->account.text()));
    }
    if (auto room = check_room(context, key->account); !room) {
        return pass(room);
    }
    model::ApiKey successor{
        .account = key->account, .name = key->name, .revision = key->revision, .created_at = now};
    const auto text = draw_key(context.random, successor);
    const Timestamp end = now + std::chrono::seconds{overlap};
    key->expires_at = key->expires_at ? std::min(*key->expires_at, end) : end;
    auto changed = context.change([&](store::Tables& tables) -> Result<void> {
        if (auto inserted = insert(tables, successor); !inserted) {
            return inserted;
        }
        return tables.update_key(*key);
    });
    if (!changed) {
        return pass(changed);
    }
    context.directory.put_key(successor);
    context.directory.put_key(*key);
    auto shown = view(successor, now);
    shown["key"] = text;
    shown["previous"] = key->id.text();
    shown["previous_expires_at"] = to_rfc3339(*key->expires_at);
    return shown;
}

using http::Method;

constexpr std::array routes{
    Route{Method::get, "/keys", Turn::shared, list},
    Route{Method::post, "/keys", Turn::exclusive, create},
    Route{Method::post, "/keys/{}/revoke", Turn::exclusive, revoke},
    Route{Method::post, "/keys/{}/rotate", Turn::exclusive, rotate},
};

}  // namespace

std::span<const Route> key_routes() {
    return routes;
}

}  // namespace merpati::api::manage
