#include "api/texts/state_reasons.hpp"

#include <algorithm>

namespace merpati::api {

const StateReason* reason_of(std::string_view indonesian) noexcept {
    const auto* found = std::ranges::find(state_reasons, indonesian, &StateReason::indonesian);
    if (found == state_reasons.end()) {
        found = std::ranges::find_if(state_reasons, [indonesian](const StateReason& reason) {
            return indonesian.starts_with(reason.indonesian) &&
                   indonesian.substr(reason.indonesian.size()).starts_with(": ");
        });
    }
    return found == state_reasons.end() ? nullptr : found;
}

std::string reason_text(std::string_view indonesian, Language language) {
    const auto* reason = reason_of(indonesian);
    if (reason == nullptr || language == Language::indonesian) {
        return std::string{indonesian};
    }
    return std::string{reason->english}.append(indonesian.substr(reason->indonesian.size()));
}

}  // namespace merpati::api
