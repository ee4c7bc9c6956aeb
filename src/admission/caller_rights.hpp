// Whether a caller still has the rights with which its call was admitted.
#pragma once

#include <optional>
#include <string_view>

#include "admission/directory.hpp"
#include "admission/principal.hpp"
#include "admission/refusal.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "model/ids.hpp"
#include "model/scope.hpp"
#include "store/tables.hpp"

namespace merpati::admission {

/// A principal has the rights that its caller had when the call arrived. Meanwhile the key may have
/// been revoked, the session ended, the role lowered, or the account's validity may be over.
///
/// Operation: whatever is done for a caller after a wait asks here first: `renew` when a waiting
/// call gets its thread, `check` after the probe of a file, `are_held` before each piece of a
/// stream, and `confirm` in the transaction of each change. Rights that grew meanwhile are no
/// reason to refuse. What an earlier caller has left for others asks `permits`.
///
/// Threads: any. What takes Tables reads the store, in its caller's transaction.
class CallerRights {
public:
    CallerRights(const Clock& clock, const Directory& directory, people::SessionLimits limits)
        : clock_(clock), directory_(directory), limits_(limits) {}

    /// The caller with the rights that it has now. Empty: the key was revoked or has expired, the
    /// session has ended, or the person was removed.
    [[nodiscard]] std::optional<Principal> renew(const Principal& principal) const;

    /// Whether the caller still has all rights of `principal`.
    [[nodiscard]] bool are_held(const Principal& principal) const;

    /// The same for the published operations, whose answer names the reason: refuses with
    /// key_invalid, scope_missing or account_expired.
    [[nodiscard]] Checked<void> check(const Principal& principal) const;

    /// Both again, by the rows of the transaction, in which they cannot change before the commit.
    /// The time of a session's last request is not compared: the call itself was one. Errors of
    /// `confirm`: forbidden. Of both: those of the store.
    [[nodiscard]] Result<void> confirm(store::Tables& tables, const Principal& principal) const;
    [[nodiscard]] Result<Checked<void>> check(store::Tables& tables,
                                              const Principal& principal) const;

    /// Whether somebody who need not be there has all these scopes in the account, by the rows of
    /// the transaction: whom the log of changes names so ("per_1", "key_3", "local"). False for
    /// whoever does not exist any more. Errors: those of the store.
    [[nodiscard]] Result<bool> permits(store::Tables& tables, std::string_view actor,
                                       model::AccountId account, model::Scopes scopes) const;

private:
    [[nodiscard]] Result<std::optional<Principal>> find_in(store::Tables& tables,
                                                           const Principal& principal) const;

    const Clock& clock_;
    const Directory& directory_;
    const people::SessionLimits limits_;
};

}  // namespace merpati::admission
