// How many callbacks of an account may be replayed.
#pragma once

#include <chrono>
#include <cstddef>

#include "admission/principal.hpp"
#include "api/manage/engine/context.hpp"
#include "base/error.hpp"
#include "model/account.hpp"

namespace merpati::api::manage {

/// Of one account, by its keys and people. Each is a write, and a POST to an address of the
/// account's choice.
inline constexpr model::Rate replay_rate{.count = 10'000, .period = std::chrono::minutes{1}};

/// Counts `count` callbacks that are to be replayed, at most as many as the rate's. Does not count
/// those of the local operator. Errors: too_many_requests (says when to try again).
[[nodiscard]] Result<void> take_replays(const Context& context,
                                        const admission::Principal& principal,
                                        model::AccountId account, std::size_t count);

}  // namespace merpati::api::manage
