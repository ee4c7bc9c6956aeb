// Who makes a call.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "admission/directory.hpp"
#include "model/person.hpp"
#include "model/scope.hpp"

namespace merpati::admission {

/// Goes with each call, so that what it may do is decided by who makes it.
///
/// Threads: any; what it points to never changes.
struct Principal {
    enum class Kind : std::uint8_t {
        anyone,          // Has shown nothing.
        local_operator,  // Came through the management socket; its file permissions let them in.
        api_key,         // An account, by one of its keys.
        person,          // Signed in.
    };
    Kind kind = Kind::anyone;
    KeyEntry key{};           // Of api_key alone,
    bool is_expired = false;  // and whether its account's validity is over: it reads the account.
    std::shared_ptr<const model::Person> person = {};  // Of person alone,
    std::shared_ptr<SessionEntry> session = {};        // and by which session.
    std::optional<std::uint32_t> user = {};  // Of local_operator: the user of the machine.

    [[nodiscard]] static Principal of(KeyEntry key) {
        return {.kind = Kind::api_key, .key = std::move(key)};
    }
    [[nodiscard]] static Principal of(std::shared_ptr<const model::Person> person) {
        return {.kind = Kind::person, .person = std::move(person)};
    }
    [[nodiscard]] static Principal of(SignedIn signed_in) {
        return {.kind = Kind::person,
                .person = std::move(signed_in.person),
                .session = std::move(signed_in.session)};
    }
    [[nodiscard]] static Principal local(std::optional<std::uint32_t> user = {}) {
        return {.kind = Kind::local_operator, .user = user};
    }

    /// Of api_key alone.
    [[nodiscard]] const model::Account& account() const { return key.account->account; }

    /// Has every scope in every account.
    [[nodiscard]] bool is_administrator() const noexcept;

    /// What it may do in the account; none in one that it has nothing to do with.
    [[nodiscard]] model::Scopes scopes_in(model::AccountId account) const noexcept;
    [[nodiscard]] bool permits(model::AccountId account, model::Scope scope) const noexcept {
        return scopes_in(account).has(scope);
    }
    /// Whether there is an account, or the server, for which it has the scope.
    [[nodiscard]] bool permits_somewhere(model::Scope scope) const noexcept;
    /// Whether it may learn that the account exists.
    [[nodiscard]] bool knows(model::AccountId account) const noexcept;
    /// Whether the numbers of recipients are masked in what it is shown of the account.
    [[nodiscard]] bool sees_masked(model::AccountId account) const noexcept;

    /// The account that is meant where a call names none: a key's own, a person's single one.
    [[nodiscard]] std::optional<model::AccountId> only_account() const noexcept;

private:
    /// Of api_key alone.
    [[nodiscard]] model::Scopes key_scopes() const noexcept;
};

}  // namespace merpati::admission
