#include "admission/caller_rights.hpp"

#include <memory>
#include <utility>

#include "admission/checks.hpp"
#include "store/people.hpp"

namespace merpati::admission {
namespace {

using Kind = Principal::Kind;
using Found = Result<std::optional<Principal>>;

Found key_in(store::AccountTables& tables, model::KeyId id, Timestamp now) {
    auto key = tables.find_key(id);
    if (!key) {
        return pass(key);
    }
    if (!*key || !is_live(**key, now)) {
        return std::nullopt;
    }
    auto account = tables.find_account((**key).account);
    if (!account) {
        return pass(account);
    }
    if (!*account) {
        return std::nullopt;
    }
    auto entry = std::make_shared<AccountEntry>();
    entry->account = **std::move(account);
    return principal_of(
        KeyEntry{.key = std::make_shared<const model::ApiKey>(**std::move(key)), .account = entry},
        now);
}

/// No lock, so that calls of one person on several nodes do not wait for each other, nor two
/// changes that concern two persons each.
Found person_in(store::Tables& tables, model::PersonId id, Timestamp now) {
    auto person = tables.people().find_person_unlocked(id);
    if (!person) {
        return pass(person);
    }
    if (!*person) {
        return std::nullopt;
    }
    auto found = Principal::of(std::make_shared<const model::Person>(**std::move(person)));
    if (found.is_administrator()) {
        return found;
    }
    for (const auto& membership : found.person->memberships) {
        const auto account = tables.find_account(membership.account);
        if (!account) {
            return pass(account);
        }
        if (!*account || !check_validity(**account, now)) {
            found.expired.push_back(membership.account);
        }
    }
    return found;
}

Found signed_in(store::Tables& tables, const Principal& principal,
                const people::SessionLimits& limits, Timestamp now) {
    const auto session = tables.people().find_session(principal.session->session().id);
    if (!session) {
        return pass(session);
    }
    if (!*session || now >= (**session).created_at + limits.longest) {
        return std::nullopt;
    }
    return person_in(tables, principal.person->id, now);
}

/// The id, if the text is its printed form. RowId::parse also reads bare numbers.
template <class Tag>
std::optional<model::RowId<Tag>> printed(std::string_view text) {
    return text.starts_with(Tag::prefix) ? model::RowId<Tag>::parse(text) : std::nullopt;
}

Checked<void> judge(const std::optional<Principal>& present, const Principal& earlier) {
    if (!present) {
        return refuse(Refusal::key_invalid);
    }
    if (present->covers(earlier)) {
        return {};
    }
    return refuse(present->lost_by_expiry(model::Scope::send) ? Refusal::account_expired
                                                              : Refusal::scope_missing);
}

}  // namespace

std::optional<Principal> CallerRights::renew(const Principal& principal) const {
    const auto now = clock_.now();
    switch (principal.kind) {
        case Kind::anyone:
        case Kind::local_operator:
            return principal;
        case Kind::api_key: {
            auto found = directory_.find_key(principal.key.key->digest);
            if (!found || !is_live(*found->key, now)) {
                return std::nullopt;
            }
            return principal_of(*std::move(found), now);
        }
        case Kind::person: {
            if (principal.session == nullptr) {  // It is being opened.
                return principal;
            }
            auto found = directory_.people().find_session(principal.session->session().digest);
            if (!found || !found->session->is_live(limits_, now)) {
                return std::nullopt;
            }
            return principal_of(*std::move(found), directory_, now);
        }
    }
    return std::nullopt;
}

bool CallerRights::are_held(const Principal& principal) const {
    const auto present = renew(principal);
    return present && present->covers(principal);
}

Checked<void> CallerRights::check(const Principal& principal) const {
    return judge(renew(principal), principal);
}

Result<Checked<void>> CallerRights::check(store::Tables& tables, const Principal& principal) const {
    const auto present = find_in(tables, principal);
    return present ? Result<Checked<void>>{judge(*present, principal)} : pass(present);
}

Result<void> CallerRights::confirm(store::Tables& tables, const Principal& principal) const {
    const auto present = find_in(tables, principal);
    if (!present) {
        return pass(present);
    }
    return *present && (**present).covers(principal)
               ? Result<void>{}
               : fail(ErrorCode::forbidden,
                      "what you may do has changed a moment ago: nothing was changed");
}

Result<bool> CallerRights::permits(store::Tables& tables, std::string_view actor,
                                   model::AccountId account, model::Scopes scopes) const {
    const auto now = clock_.now();
    auto found = Found{std::nullopt};
    if (actor == "local") {
        found = Principal::local();
    } else if (const auto person = printed<model::PersonTag>(actor)) {
        found = person_in(tables, *person, now);
    } else if (const auto key = printed<model::KeyTag>(actor)) {
        found = key_in(tables, *key, now);
    }
    if (!found) {
        return pass(found);
    }
    return *found && (**found).scopes_in(account).contains(scopes);
}

Result<std::optional<Principal>> CallerRights::find_in(store::Tables& tables,
                                                       const Principal& principal) const {
    if (principal.kind == Kind::api_key) {
        return key_in(tables, principal.key.key->id, clock_.now());
    }
    if (principal.kind == Kind::person && principal.session != nullptr) {
        return signed_in(tables, principal, limits_, clock_.now());
    }
    return principal;
}

}  // namespace merpati::admission
