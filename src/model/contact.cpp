#include "model/contact.hpp"

#include <array>

namespace merpati::model {

std::string_view to_string(SuppressionReason reason) noexcept {
    switch (reason) {
        case SuppressionReason::manual:
            return "manual";
        case SuppressionReason::import:
            return "import";
        case SuppressionReason::opt_out:
            return "opt_out";
        case SuppressionReason::unregistered:
            return "unregistered";
    }
    return "unknown";
}

std::optional<SuppressionReason> parse_suppression_reason(std::string_view word) noexcept {
    using enum SuppressionReason;
    for (const auto reason : std::array{manual, import, opt_out, unregistered}) {
        if (word == to_string(reason)) {
            return reason;
        }
    }
    return std::nullopt;
}

}  // namespace merpati::model
