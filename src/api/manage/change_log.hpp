// Logs who changed what, in the transaction of the change.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "api/manage/call.hpp"
#include "api/manage/context.hpp"
#include "api/operation.hpp"
#include "store/people.hpp"

namespace merpati::api::manage {

/// Of one call.
///
/// Operation: the handler works in `context`: each change that it makes is decided for the caller
/// as the store knows it in that transaction (a key that was revoked, a session that has ended and
/// a membership that was taken away a moment ago change nothing any more), and logged there with
/// what its rows were before and are after. For an operation whose effect is outside the store, or
/// takes several commits, `begin` logs that it was asked for before it is begun, and `end` adds to
/// that entry how it ended. Either way a call that changes something leaves one entry.
///
/// Faults: an entry without an outcome is of a call during which the process died, or the store
/// failed: how it ended is not known.
///
/// What is logged has the form in which it is shown, so it holds no secret.
///
/// Threads: that of the call. Context, operation and call must outlive it; it must outlive what
/// `context` answers.
class ChangeLog {
public:
    ChangeLog(const Context& context, const Operation& operation, const Call& call)
        : context_(context), operation_(operation), call_(call) {}

    [[nodiscard]] Context context() const;

    /// Logs that the operation was asked for, unless the caller may not do it: that is the
    /// handler's to say.
    [[nodiscard]] Result<void> begin();
    /// After `begin`. The outcome is "done", or the code of the error.
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
