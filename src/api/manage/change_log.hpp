// Writes the log of changes (who changed what) in the transaction of the change.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "api/manage/call.hpp"
#include "api/manage/context.hpp"
#include "api/operation.hpp"
#include "store/people.hpp"

namespace merpati::api::manage {

/// The log entry of one call.
///
/// Operation: the handler makes its changes through `context`. Each of these transactions first
/// checks the caller again: a key that was revoked, a session that was ended or a membership that
/// was changed since the call came in makes it fail with forbidden. Then it logs the rows before
/// and after the change. For an operation whose effect is outside the store or takes several
/// commits (Operation::recorded_first), `begin` writes the entry first, and `end` adds the outcome.
/// Either way, a call that changes something has one entry.
///
/// Faults: an entry without an outcome means that the process died or the store failed during the
/// call. How the call ended is not known.
///
/// Entries hold rows as the API shows them, so they hold no secrets.
///
/// Threads: that of the call. Context, operation and call must outlive this object. It must outlive
/// the Context that `context` answers.
class ChangeLog {
public:
    ChangeLog(const Context& context, const Operation& operation, const Call& call)
        : context_(context), operation_(operation), call_(call) {}

    [[nodiscard]] Context context() const;

    /// Logs that the operation begins, unless the caller has no right to it; the handler will
    /// refuse that. Errors: forbidden (the caller's rights have changed), those of the store.
    [[nodiscard]] Result<void> begin();
    /// Call after `begin`. `outcome` is "done" or the code of the error.
    void end(std::string_view outcome);

private:
    using Run = std::move_only_function<Result<void>(store::Tables&)>;

    [[nodiscard]] Result<void> change(store::Tables& tables, Run& run) const;
    [[nodiscard]] Result<void> check_caller(store::Tables& tables) const;
    [[nodiscard]] Result<std::optional<model::AccountId>> account_meant(
        store::Tables& tables) const;
    [[nodiscard]] store::AuditEntry entry() const;

    const Context& context_;
    const Operation& operation_;
    const Call& call_;
    std::optional<model::AuditId> begun_;
};

}  // namespace merpati::api::manage
