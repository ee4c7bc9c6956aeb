#include "scheduler/platform_text.hpp"

#include "base/utf8.hpp"

namespace merpati::scheduler {

std::string of_platform(std::string text, std::string_view otherwise) {
    if (text.empty()) {
        return std::string{otherwise};
    }
    text.resize(utf8_prefix(text, platform_text_max).size());
    return text;
}

}  // namespace merpati::scheduler
