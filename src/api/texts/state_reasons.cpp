#include "api/texts/state_reasons.hpp"

#include <algorithm>

namespace merpati::api {

const StateReason* reason_of(std::string_view indonesian) noexcept {
    const auto* found = std::ranges::find(state_reasons, indonesian, &StateReason::indonesian);
    return found == state_reasons.end() ? nullptr : found;
}

std::string_view reason_text(std::string_view indonesian, Language language) noexcept {
    const auto* reason = reason_of(indonesian);
    return reason == nullptr || language == Language::indonesian ? indonesian : reason->english;
}

}  // namespace merpati::api
