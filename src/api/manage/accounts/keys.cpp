// API keys: list, create, revoke and rotate. A key is shown once and stored as a digest.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "admission/api_key_format.hpp"
#include "admission/checks.hpp"
#include "api/manage/accounts/limits.hpp"
#include "api/manage/engine/handlers.hpp"
#include "api/manage/engine/listing.hpp"
#include "api/manage/engine/lookup.hpp"
#include "api/manage/engine/views.hpp"
#include "base/digest.hpp"

namespace merpati::api::manage::keys {
namespace {

using boost::json::value;
constexpr std::size_t name_bytes_max = 100;
constexpr std::size_t keys_per_account_max = 1'000;

/// The revision to which a key is pinned; empty for `auto` (decisions.md, Which revision).
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

/// The caller must have all scopes that it gives to a key.
Result<void> check_grant(const Call& call, model::AccountId account, model::Scopes scopes) {
    if (call.principal.scopes_in(account).contains(scopes)) {
        return {};
    }
    return fail(ErrorCode::forbidden,
                fmt::format("only who has the scopes {} can give them to a key", scopes.text()));
}

/// Takes the field `scopes`, a list; by default, the scopes of keys from before scopes existed.
model::Scopes take_scopes(Fields& fields) {
    const auto words = fields.words("scopes", model::scopes_count);
    if (!words) {
        return model::ApiKey{}.scopes;
    }
    const auto scopes = model::Scopes::parse(fmt::format("{}", fmt::join(*words, ",")));
    if (!scopes) {
        fields.mistake("scopes", "must be a list of " + model::Scopes::all().text());
    }
    return scopes.value_or(model::Scopes{});
}

/// Makes a key, sets the record's digest and hint, and answers the key's text, which is not stored.
std::string draw_key(Random& random, model::ApiKey& record) {
    auto text = admission::make_api_key(random);
    record.digest = sha256(text);
    record.hint = text.substr(0, admission::api_key_hint_size);
    return text;
}

/// Adds the key. Errors: refused (the account has keys_per_account_max valid keys; revoked and
/// expired ones do not count).
Result<model::ApiKey> insert(store::AccountTables& tables, model::ApiKey key) {
    const auto live = tables.count_live_keys(key.account, key.created_at);
    if (!live) {
        return pass(live);
    }
    if (*live >= keys_per_account_max) {
        return fail(ErrorCode::refused, fmt::format("the account has {} keys that work: revoke "
                                                    "those that are not used",
                                                    keys_per_account_max));
    }
    const auto id = tables.create_key(key);
    if (!id) {
        return pass(id);
    }
    key.id = *id;
    return key;
}

/// The result of a rotation: the new key, and the old one, which stays valid for the overlap.
struct Rotation {
    model::ApiKey successor;
    model::ApiKey previous;
};

Result<Rotation> rotate_in(store::AccountTables& tables, const Call& call, model::ApiKey successor,
                           std::chrono::seconds overlap) {
    const auto now = successor.created_at;
    const auto key = find_key(tables, call, call.id);
    if (!key) {
        return pass(key);
    }
    // The caller is shown a key with the same scopes, so it must have them itself.
    if (auto allowed = check_grant(call, key->account, key->scopes); !allowed) {
        return pass(allowed);
    }
    if (!admission::is_live(*key, now)) {
        return fail(ErrorCode::conflict,
                    fmt::format("key {} does not work any more: create a new one", call.id));
    }
    successor.account = key->account;
    successor.name = key->name;
    successor.revision = key->revision;
    successor.scopes = key->scopes;
    auto made = insert(tables, std::move(successor));
    if (!made) {
        return pass(made);
    }
    auto previous = tables.expire_key(key->id, now + overlap);
    if (!previous) {
        return pass(previous);
    }
    return Rotation{.successor = std::move(*made), .previous = std::move(*previous)};
}

}  // namespace

Result<value> list(const Context& context, Call& call) {
    return list_numbered(
        context, call, "keys",
        [&](const auto& owner, const NumberedPage& page) {
            return context.directory.keys(
                owner, page.part([](auto number) { return model::KeyId{number}; }));
        },
        [now = context.clock.now()](const model::ApiKey& key) { return view(key, now); },
        [](const model::ApiKey& key) { return key.id.value; });
}

Result<value> create(const Context& context, Call& call) {
    auto& fields = call.fields;
    const auto account = fields.account();
    model::ApiKey key;
    key.name = fields.text("name", name_bytes_max).value_or("");
    key.revision = fields.word("revision", parse_pin, "A, B or auto").value_or(Pin{}).revision;
    key.scopes = take_scopes(fields);
    if (auto checked = fields.finish(); !checked) {
        return pass(checked);
    }
    key.created_at = context.clock.now();
    const auto text = draw_key(context.random, key);
    return context.commit_and_show(
        [&](store::Tables& tables) -> Result<model::ApiKey> {
            const auto owner = find_own_account(tables, call, account);
            if (!owner) {
                return pass(owner);
            }
            if (auto allowed = check_grant(call, owner->id, key.scopes); !allowed) {
                return pass(allowed);
            }
            key.account = owner->id;
            return insert(tables, key);
        },
        [&](const model::ApiKey& made) {
            auto shown = view(made, made.created_at);
            shown["key"] = text;
            return shown;
        });
}

Result<value> revoke(const Context& context, Call& call) {
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    const auto now = context.clock.now();
    return context.commit_and_show(
        [&](store::Tables& tables) -> Result<model::ApiKey> {
            const auto key = find_key(tables, call, call.id);
            if (!key) {
                return pass(key);
            }
            call.changed_nothing = key->revoked_at.has_value();
            return tables.revoke_key(key->id, now);
        },
        [now](const model::ApiKey& revoked) { return view(revoked, now); });
}

/// Makes a successor with the same name, revision and scopes. The old key stays valid until the
/// overlap ends.
Result<value> rotate(const Context& context, Call& call) {
    const std::chrono::seconds overlap{
        call.fields.integer("overlap_seconds", 0, overlap_max.count())
            .value_or(overlap_default.count())};
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    model::ApiKey successor{.created_at = context.clock.now()};
    const auto text = draw_key(context.random, successor);
    return context.commit_and_show(
        [&](store::Tables& tables) { return rotate_in(tables, call, successor, overlap); },
        [&](const Rotation& rotation) {
            auto shown = view(rotation.successor, rotation.successor.created_at);
            shown["key"] = text;
            shown["previous"] = rotation.previous.id.text();
            shown["previous_expires_at"] = to_rfc3339(*rotation.previous.expires_at);
            return shown;
        });
}

}  // namespace merpati::api::manage::keys
