// The secrets that an account's callbacks are signed with.
#pragma once

#include <vector>

#include "admission/directory.hpp"
#include "base/encoding.hpp"

namespace merpati::daemon {

/// One secret; two during a rotation; none if the account does not exist.
[[nodiscard]] std::vector<Bytes> signing_secrets(const admission::Directory& directory,
                                                 model::AccountId account, Timestamp now);

}  // namespace merpati::daemon
