#include "admission/principal.hpp"

#include <algorithm>

namespace merpati::admission {

bool Principal::is_administrator() const noexcept {
    switch (kind) {
        case Kind::anyone:
            return false;
        case Kind::local_operator:
            return true;
        case Kind::api_key:
            return key_scopes().has(model::Scope::admin);
        case Kind::person:
            return person->is_admin;
    }
    return false;
}

model::Scopes Principal::scopes_in(model::AccountId account) const noexcept {
    if (is_administrator()) {
        return model::Scopes::all();
    }
    if (kind == Kind::api_key && key.key->account == account) {
        return key_scopes();
    }
    if (kind == Kind::person) {
        const auto role = person->role_in(account);
        return role ? model::scopes_of(*role) : model::Scopes{};
    }
    return {};
}

bool Principal::permits_somewhere(model::Scope scope) const noexcept {
    if (is_administrator()) {
        return true;
    }
    if (kind == Kind::api_key) {
        return key_scopes().has(scope);
    }
    return kind == Kind::person &&
           std::ranges::any_of(person->memberships, [scope](const model::Membership& one) {
               return model::scopes_of(one.role).has(scope);
           });
}

bool Principal::knows(model::AccountId account) const noexcept {
    return is_administrator() || (kind == Kind::api_key && key.key->account == account) ||
           (kind == Kind::person && person->role_in(account));
}

bool Principal::sees_masked(model::AccountId account) const noexcept {
    return kind == Kind::person && !person->is_admin &&
           person->role_in(account) == model::Role::viewer;
}

std::optional<model::AccountId> Principal::only_account() const noexcept {
    if (kind == Kind::api_key) {
        return key.key->account;
    }
    if (kind == Kind::person && person->memberships.size() == 1) {
        return person->memberships.front().account;
    }
    return std::nullopt;
}

model::Scopes Principal::key_scopes() const noexcept {
    const auto scopes = key.key->scopes;
    if (!is_expired) {
        return scopes;
    }
    const bool reads = scopes.has(model::Scope::account_read) || scopes.has(model::Scope::admin);
    return reads ? model::Scopes{model::Scope::account_read} : model::Scopes{};
}

}  // namespace merpati::admission
