#include "scheduler/details.hpp"

namespace merpati::scheduler::details {

std::string of_platform(std::string words, std::string_view otherwise) {
    if (words.empty()) {
        return std::string{otherwise};
    }
    if (words.size() > length_max) {
        std::size_t end = length_max;
        while (end > 0 && (static_cast<unsigned char>(words[end]) & 0xC0) == 0x80) {
            --end;  // Not in the middle of a character.
        }
        words.resize(end);
    }
    return words;
}

}  // namespace merpati::scheduler::details
