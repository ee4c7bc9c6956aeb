#include "callback/answer_text.hpp"

#include <algorithm>

#include "base/printable.hpp"
#include "base/utf8.hpp"
#include "model/callback.hpp"

namespace merpati::callback {

std::string answer_text(std::string_view body) {
    constexpr std::string_view kept = "\n\t";
    auto left = utf8_prefix(body, model::CallbackAttempt::answer_bytes_max);
    std::string text;
    while (!left.empty()) {
        const auto end = std::min(left.find_first_of(kept), left.size());
        auto line = left.substr(0, end);
        const bool ends_with_return =
            end < left.size() && left[end] == '\n' && line.ends_with('\r');
        line.remove_suffix(ends_with_return ? 1 : 0);
        text += printable(line);
        if (end < left.size()) {
            text += left[end];
        }
        left.remove_prefix(std::min(end + 1, left.size()));
    }
    return text;
}

}  // namespace merpati::callback
