// Writes JSON by appending, for answers, callbacks and logs.
#pragma once

#include <string>
#include <string_view>

namespace merpati {

/// Appends `text` as a JSON string, with its quotes. `text` must be valid UTF-8.
void append_json_string(std::string& out, std::string_view text);

}  // namespace merpati
