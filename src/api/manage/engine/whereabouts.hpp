// The account that a call is about, before the call is carried out.
#pragma once

#include <optional>

#include "api/manage/engine/call.hpp"
#include "api/manage/engine/context.hpp"
#include "api/operation.hpp"
#include "base/error.hpp"
#include "model/ids.hpp"

namespace merpati::api::manage {

/// Operation: the account of the object that the path names; or else the one in the field
/// `account`; or else the caller's only one. It says only where the call is carried out: nothing is
/// said about the caller's rights, nor whether the object is there.
///
/// Empty: the call is about no account, or about all, or about something that does not exist. Any
/// node carries it out.
///
/// Errors: those of the store.
[[nodiscard]] Result<std::optional<model::AccountId>> account_meant(const Context& context,
                                                                    const Operation& operation,
                                                                    const Call& call);

}  // namespace merpati::api::manage
