#include "connector/outcomes.hpp"

#include <string>

namespace merpati::connector {

using model::Outcome;

Outcome unknown_outcome(std::string_view why) {
    return {.kind = Outcome::Kind::unknown, .details = std::string{why}, .platform_id = {}};
}

Outcome device_down(std::string_view why) {
    return {.kind = Outcome::Kind::device_down, .details = std::string{why}, .platform_id = {}};
}

Outcome refused_here(std::string_view why, model::StatusCode code) {
    return {.kind = Outcome::Kind::failed,
            .code = code,
            .details = std::string{why},
            .platform_id = {}};
}

}  // namespace merpati::connector
