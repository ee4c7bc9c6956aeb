// Whether a caller still has the rights with which its call was admitted.
#pragma once

#include <optional>

#include "admission/directory.hpp"
#include "admission/principal.hpp"
#include "admission/refusal.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "store/tables.hpp"

namespace merpati::admission {

/// A principal has the rights that its caller had when the call arrived. Meanwhile the key may have
/// been revoked, the session ended, the role lowered, or the account's validity may be over.
///
/// Operation: whatever is done for a caller after a wait asks here first: `renew` when a waiting
/// call gets its thread, `check` after the probe of a file, `are_held` before each piece of a
/// stream, and `confirm` in the transaction of each change. Rights that grew meanwhile are no
/// reason to refuse.
///
/// Threads: any; only `confirm` reads the store, in its caller's transaction.
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

private:
    [[nodiscard]] Result<std::optional<Principal>> find_in(store::Tables& tables,
                                                           const Principal& principal) const;

    const Clock& clock_;
    const Directory& directory_;
    const people::SessionLimits limits_;
};

}  // namespace merpati::admission
