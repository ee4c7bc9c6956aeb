// Notices answers that say that another node works for a request.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "forwarding/owner.hpp"
#include "http/reply.hpp"

namespace merpati::forwarding {

/// Calls `elsewhere` in place of an answer that has `not_here_header`: with the shard that the
/// answer names, if it does, and the right to answer. All other answers are passed on.
using Elsewhere = std::move_only_function<void(std::optional<Shard> shard, http::Responder)>;
[[nodiscard]] http::Responder watch_for_elsewhere(http::Responder responder, Elsewhere elsewhere);

}  // namespace merpati::forwarding
