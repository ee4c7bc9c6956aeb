// Writes the log of changes (who changed what) in the transaction of the change.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "admission/caller_rights.hpp"
#include "admission/ownership.hpp"
#include "api/manage/engine/call.hpp"
#include "api/manage/engine/context.hpp"
#include "api/operation.hpp"
#include "store/audit_log.hpp"

namespace merpati::api::manage {

/// Who made a call, as the log of changes names it.
struct CallerName {
    std::string actor;       // "local", "key_3", "per_1", "anyone"
    std::string actor_name;  // "uid 1000", "mpt_9fK2", "ani@toko.example"; may be empty.
};
[[nodiscard]] CallerName name_of(const admission::Principal& principal);
using Change = std::move_only_function<Result<void>(store::Tables&)>;

/// One change inside its transaction: confirms the caller's rights (CallerRights), runs the change,
/// and logs the rows before and after it, unless `Call::changed_nothing` was set. Catalogue and
/// published operations change through it alike. Errors: forbidden, elsewhere (Call::placed), those
/// of `run`.
class LoggedChange {
public:
    struct Rooms {
        const Clock& clock;
        const admission::Directory& directory;
        const admission::CallerRights& rights;
        const admission::Ownership* ownership = nullptr;  // As Context::ownership.
    };
    LoggedChange(Rooms rooms, const Operation& operation, const Call& call)
        : rooms_(rooms), operation_(operation), call_(call) {}

    [[nodiscard]] Result<void> run(store::Tables& tables, Change& change) const;

    /// Whether the call may change something. Errors: elsewhere (this process does not work any
    /// more for the account of the call), forbidden (the caller's rights have changed).
    [[nodiscard]] Result<void> confirm(store::Tables& tables) const;

    /// The entry without rows and outcome.
    [[nodiscard]] store::AuditEntry entry() const;

private:
    Rooms rooms_;
    const Operation& operation_;
    const Call& call_;
};

/// The log entry of one call.
///
/// Operation: the handler makes its changes through `context`; each is a LoggedChange. For an
/// operation whose effect is outside the store or takes several commits
/// (Operation::recorded_first), `begin` writes the entry first, and `end` adds the outcome. Either
/// way, a call that changes something has one entry.
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
        : context_(context),
          operation_(operation),
          call_(call),
          logged_({.clock = context.clock,
                   .directory = context.directory,
                   .rights = context.rights,
                   .ownership = context.ownership},
                  operation, call) {}

    [[nodiscard]] Context context() const;

    /// Logs that the operation begins, unless the caller has no right to it; the handler will
    /// refuse that. Errors: forbidden (the caller's rights have changed), those of the store.
    [[nodiscard]] Result<void> begin();
    /// Call after `begin`. `outcome` is "done" or the code of the error.
    void end(std::string_view outcome);

private:
    [[nodiscard]] Result<std::optional<model::AccountId>> account_meant(
        store::Tables& tables) const;

    const Context& context_;
    const Operation& operation_;
    const Call& call_;
    const LoggedChange logged_;
    std::optional<model::AuditId> begun_;
};

}  // namespace merpati::api::manage
