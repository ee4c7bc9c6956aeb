// What an account's callbacks are signed with.
#pragma once

#include <vector>

#include "admission/directory.hpp"
#include "base/encoding.hpp"

namespace merpati::daemon {

/// One secret; two while it is being changed; none of an account that is not there.
[[nodiscard]] std::vector<Bytes> signing_secrets(const admission::Directory& directory,
                                                 model::AccountId account, Timestamp now);

}  // namespace merpati::daemon
