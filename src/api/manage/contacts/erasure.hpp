// Erases what is known of a person from campaigns and messages.
#pragma once

#include "api/manage/engine/context.hpp"

namespace merpati::api::manage {

/// Cancels the person's pending recipients, and erases values and texts from the account's
/// campaigns and from its messages that have ended, in steps of one commit each. Numbers and counts
/// stay. A call that fails in between has erased a part; a repeat erases the rest.
[[nodiscard]] Result<void> erase_everywhere(const Context& context, model::AccountId account,
                                            model::PhoneNumber number);

}  // namespace merpati::api::manage
