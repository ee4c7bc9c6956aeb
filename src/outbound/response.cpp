#include "outbound/response.hpp"

#include <algorithm>

namespace merpati::outbound {

std::string_view Response::header(std::string_view name) const noexcept {
    const auto found = std::ranges::find(
        headers, name, [](const auto& one) { return std::string_view{one.first}; });
    return found == headers.end() ? std::string_view{} : std::string_view{found->second};
}

}  // namespace merpati::outbound
