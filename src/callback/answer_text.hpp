// What a receiver answered, as operators may see it.
#pragma once

#include <string>
#include <string_view>

namespace merpati::callback {

/// The beginning of a receiver's body (model::CallbackAttempt::answer_bytes_max), which is text of
/// a stranger: UTF-8 with its line breaks and tabs; whatever else a terminal would obey, and bytes
/// that are no UTF-8, become '?'.
[[nodiscard]] std::string answer_text(std::string_view body);

}  // namespace merpati::callback
