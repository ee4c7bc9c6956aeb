// The account that a call is about, for operations that Manage does not run.
#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <string>

#include "admission/directory.hpp"
#include "admission/principal.hpp"
#include "api/manage/engine/problem.hpp"
#include "model/scope.hpp"

namespace merpati::api {

/// The account that was named, or else the caller's only one. Errors, as answers: 400 (none was
/// named, and the caller has not exactly one), 404 (the caller knows no such account), 403 (it
/// lacks the scope there).
[[nodiscard]] std::expected<std::shared_ptr<const admission::AccountEntry>, manage::Outcome>
find_meant_account(const admission::Directory& directory, const admission::Principal& caller,
                   const std::optional<std::string>& named, model::Scope needed);

}  // namespace merpati::api
