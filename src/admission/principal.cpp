#include "admission/principal.hpp"

#include <algorithm>

namespace merpati::admission {
namespace {

bool is_in(const std::vector<model::AccountId>& accounts, model::AccountId account) noexcept {
    return std::ranges::find(accounts, account) != accounts.end();
}

}  // namespace

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
        const auto& all = person->memberships;
        const auto found = std::ranges::find(all, account, &model::Membership::account);
        return found == all.end() ? model::Scopes{} : role_scopes(*found);
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
           std::ranges::any_of(person->memberships, [&](const model::Membership& one) {
               return role_scopes(one).has(scope);
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

bool Principal::is_expired_in(model::AccountId account) const noexcept {
    return !is_administrator() && is_in(expired, account);
}

bool Principal::lost_by_expiry(model::Scope scope) const noexcept {
    if (expired.empty() || permits_somewhere(scope)) {
        return false;
    }
    auto before = *this;
    before.expired.clear();
    return before.permits_somewhere(scope);
}

bool Principal::covers(const Principal& earlier) const noexcept {
    if (kind != earlier.kind) {
        return false;
    }
    switch (kind) {
        case Kind::anyone:
        case Kind::local_operator:
            return true;
        case Kind::api_key:
            return key_scopes().contains(earlier.key_scopes());
        case Kind::person:
            return is_administrator() ||
                   (!earlier.is_administrator() &&
                    std::ranges::all_of(
                        earlier.person->memberships, [&](const model::Membership& one) {
                            return scopes_in(one.account).contains(earlier.role_scopes(one));
                        }));
    }
    return false;
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

/// The scope `admin` has all others, and so those that read.
model::Scopes Principal::key_scopes() const noexcept {
    const auto scopes = key.key->scopes;
    if (!is_in(expired, key.key->account)) {
        return scopes;
    }
    return scopes.has(model::Scope::admin) ? model::reading_scopes
                                           : scopes.among(model::reading_scopes);
}

model::Scopes Principal::role_scopes(const model::Membership& membership) const noexcept {
    const auto scopes = model::scopes_of(membership.role);
    return is_in(expired, membership.account) ? scopes.among(model::reading_scopes) : scopes;
}

}  // namespace merpati::admission
