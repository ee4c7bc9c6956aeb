// A receiver's answer, made safe to show to operators.
#pragma once

#include <string>
#include <string_view>

namespace merpati::callback {

/// The beginning of a receiver's untrusted body (model::CallbackAttempt::answer_bytes_max) as
/// UTF-8. Tabs and line breaks stay (CR LF becomes LF); what `printable` replaces becomes '?'.
[[nodiscard]] std::string answer_text(std::string_view body);

}  // namespace merpati::callback
