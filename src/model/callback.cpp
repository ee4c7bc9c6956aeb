#include "model/callback.hpp"

namespace merpati::model {

std::string_view to_string(CallbackState state) noexcept {
    switch (state) {
        case CallbackState::waiting:
            return "waiting";
        case CallbackState::delivered:
            return "delivered";
        case CallbackState::exhausted:
            return "exhausted";
        case CallbackState::gone:
            return "gone";
    }
    return "unknown";
}

std::optional<CallbackState> parse_callback_state(std::string_view word) noexcept {
    for (const auto state : {CallbackState::waiting, CallbackState::delivered,
                             CallbackState::exhausted, CallbackState::gone}) {
        if (word == to_string(state)) {
            return state;
        }
    }
    return std::nullopt;
}

}  // namespace merpati::model
