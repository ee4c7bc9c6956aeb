#include "scheduler/details.hpp"

#include "base/utf8.hpp"

namespace merpati::scheduler::details {

std::string of_platform(std::string text, std::string_view otherwise) {
    if (text.empty()) {
        return std::string{otherwise};
    }
    text.resize(utf8_prefix(text, length_max).size());
    return text;
}

}  // namespace merpati::scheduler::details
