#include <array>
#include <utility>

#include "model/message.hpp"
#include "model/outcome.hpp"

namespace merpati::model {
namespace {

using enum MessageState;

constexpr std::array moves{
    std::pair{pending, sending},     std::pair{pending, cancelled}, std::pair{pending, failed},
    std::pair{sending, sent},        std::pair{sending, failed},    std::pair{sending, pending},
    std::pair{sending, held},        std::pair{held, pending},      std::pair{held, failed},
    std::pair{sending, handed_over}, std::pair{handed_over, sent},  std::pair{handed_over, failed},
    std::pair{handed_over, pending}, std::pair{handed_over, held},
};

}  // namespace

std::string_view to_string(MessageType type) noexcept {
    return type == MessageType::text ? "text" : "media";
}

std::string_view to_string(MessageState state) noexcept {
    switch (state) {
        case pending:
            return "pending";
        case sending:
            return "sending";
        case sent:
            return "sent";
        case failed:
            return "failed";
        case cancelled:
            return "cancelled";
        case held:
            return "held";
        case handed_over:
            return "handed_over";
    }
    return "unknown";
}

std::string_view to_string(Progress progress) noexcept {
    switch (progress) {
        case Progress::sent:
            return "sent";
        case Progress::failed:
            return "failed";
        case Progress::delivered:
            return "delivered";
        case Progress::read:
            return "read";
    }
    return "unknown";
}

std::optional<MessageState> parse_message_state(std::string_view word) noexcept {
    for (const auto state : {pending, sending, sent, failed, cancelled, held, handed_over}) {
        if (word == to_string(state)) {
            return state;
        }
    }
    return std::nullopt;
}

bool may_move(MessageState from, MessageState to) noexcept {
    for (const auto& [origin, target] : moves) {
        if (origin == from && target == to) {
            return true;
        }
    }
    return false;
}

bool is_final(MessageState state) noexcept {
    return state == sent || state == failed || state == cancelled;
}

}  // namespace merpati::model
