// What a receiver answered to a batch (docs/api.md, Callbacks in batches).
#pragma once

#include <cstddef>
#include <string_view>
#include <unordered_set>

#include "base/uuid.hpp"

namespace merpati::callback {

/// Whether an answer, or the beginning of one, may be JSON that names events. Most are empty, or a
/// word.
[[nodiscard]] bool begins_object(std::string_view body) noexcept;

/// The ids that a 2xx answer asks for again: `{"retry":["id",…]}`. None, if the body is anything
/// else, is longer than `batch_answer_bytes_max`, or one element of the list is not a string. Ids
/// that are none of ours are left out.
[[nodiscard]] std::unordered_set<Uuid> asked_again(std::string_view body);

/// Enough for 100 ids, spaced as one likes.
inline constexpr std::size_t batch_answer_bytes_max = std::size_t{64} << 10;

}  // namespace merpati::callback
