#include "model/message_event.hpp"

namespace merpati::model {

std::string_view to_string(WaitReason reason) noexcept {
    switch (reason) {
        case WaitReason::due:
            return "due";
        case WaitReason::retry:
            return "retry";
        case WaitReason::queue:
            return "queue";
        case WaitReason::pace:
            return "pace";
        case WaitReason::cap:
            return "cap";
        case WaitReason::device:
            return "device";
        case WaitReason::paused:
            return "paused";
        case WaitReason::file:
            return "file";
        case WaitReason::disk:
            return "disk";
        case WaitReason::platform:
            return "platform";
        case WaitReason::restricted:
            return "restricted";
    }
    return "unknown";
}

std::string_view to_string(MessageStep step) noexcept {
    switch (step) {
        case MessageStep::waited:
            return "waited";
        case MessageStep::attempted:
            return "attempted";
        case MessageStep::hastened:
            return "hastened";
        case MessageStep::held:
            return "held";
        case MessageStep::released:
            return "released";
        case MessageStep::delivered:
            return "delivered";
        case MessageStep::read:
            return "read";
        case MessageStep::retry_of:
            return "retry_of";
        case MessageStep::retried_as:
            return "retried_as";
    }
    return "unknown";
}

}  // namespace merpati::model
