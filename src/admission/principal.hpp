// Who makes a call.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "admission/directory.hpp"
#include "model/person.hpp"
#include "model/scope.hpp"

namespace merpati::admission {

/// The maker of a call, and so what the call may do. Its rights are those of one moment
/// (principal_of): CallerRights says whether the caller still has them later.
///
/// Threads: any; the records it points to never change, but for the atomic times in `session`.
struct Principal {
    enum class Kind : std::uint8_t {
        anyone,          // Without credentials.
        local_operator,  // By the management socket, whose file permissions admit it.
        api_key,         // An account, by one of its keys.
        person,          // Signed in.
    };
    Kind kind = Kind::anyone;
    KeyEntry key{};                                      // Of api_key alone.
    std::shared_ptr<const model::Person> person = {};    // Of person alone,
    std::shared_ptr<people::SessionEntry> session = {};  // by which session,
    std::shared_ptr<people::PersonRates> rates = {};     // and how often it may call.
    std::optional<std::uint32_t> user = {};  // Of local_operator: the user of the machine.
    /// Those of its accounts whose validity is over: it may only read there (reading_scopes).
    std::vector<model::AccountId> expired = {};

    [[nodiscard]] static Principal of(KeyEntry key) {
        return {.kind = Kind::api_key, .key = std::move(key)};
    }
    [[nodiscard]] static Principal of(std::shared_ptr<const model::Person> person) {
        return {.kind = Kind::person, .person = std::move(person)};
    }
    [[nodiscard]] static Principal of(people::SignedIn signed_in) {
        return {.kind = Kind::person,
                .person = std::move(signed_in.person),
                .session = std::move(signed_in.session),
                .rates = std::move(signed_in.rates)};
    }
    [[nodiscard]] static Principal local(std::optional<std::uint32_t> user = {}) {
        return {.kind = Kind::local_operator, .user = user};
    }

    /// Of api_key alone.
    [[nodiscard]] const model::Account& account() const { return key.account->account; }

    /// Has every scope in every account.
    [[nodiscard]] bool is_administrator() const noexcept;

    /// Its scopes in the account; empty for an account that it does not belong to.
    [[nodiscard]] model::Scopes scopes_in(model::AccountId account) const noexcept;
    [[nodiscard]] bool permits(model::AccountId account, model::Scope scope) const noexcept {
        return scopes_in(account).has(scope);
    }
    /// Whether there is an account, or the server, for which it has the scope.
    [[nodiscard]] bool permits_somewhere(model::Scope scope) const noexcept;
    /// Whether it may learn that the account exists.
    [[nodiscard]] bool knows(model::AccountId account) const noexcept;
    /// Whether it is shown masked numbers of recipients in the account.
    [[nodiscard]] bool sees_masked(model::AccountId account) const noexcept;

    /// Whether its rights in the account are reduced because the account's validity is over.
    [[nodiscard]] bool is_expired_in(model::AccountId account) const noexcept;
    /// Whether the end of an account's validity alone keeps it from having the scope anywhere.
    [[nodiscard]] bool lost_by_expiry(model::Scope scope) const noexcept;

    /// Whether it has all rights of `earlier`, which is the same caller before.
    [[nodiscard]] bool covers(const Principal& earlier) const noexcept;

    /// The account of a call that names none: a key's own, or a person's only one.
    [[nodiscard]] std::optional<model::AccountId> only_account() const noexcept;

private:
    /// Of api_key alone.
    [[nodiscard]] model::Scopes key_scopes() const noexcept;
    [[nodiscard]] model::Scopes role_scopes(const model::Membership& membership) const noexcept;
};

}  // namespace merpati::admission
