#include "callback/attempt_result.hpp"

namespace merpati::callback {

std::string_view to_string(AttemptResult result) noexcept {
    switch (result) {
        case AttemptResult::delivered:
            return "delivered";
        case AttemptResult::redirected:
            return "redirected";
        case AttemptResult::refused:
            return "refused";
        case AttemptResult::receiver_fault:
            return "receiver_fault";
        case AttemptResult::timeout:
            return "timeout";
        case AttemptResult::unreachable:
            return "unreachable";
        case AttemptResult::forbidden:
            return "forbidden";
        case AttemptResult::broken:
            return "broken";
        case AttemptResult::asked_again:
            return "asked_again";
    }
    return "broken";
}

std::string error_text(const Result<outbound::Response>& answer) {
    if (answer) {
        return "HTTP " + std::to_string(answer->status);
    }
    return std::string{to_string(answer.error().code)} + ": " + answer.error().detail;
}

AttemptResult result_of(const Result<outbound::Response>& answer) {
    if (answer) {
        switch (answer->status / 100) {
            case 2:
                return AttemptResult::delivered;
            case 3:
                return AttemptResult::redirected;
            case 4:
                return AttemptResult::refused;
            default:
                return AttemptResult::receiver_fault;
        }
    }
    switch (answer.error().code) {
        case ErrorCode::timeout:
            return AttemptResult::timeout;
        case ErrorCode::refused:
        case ErrorCode::invalid_argument:
            return AttemptResult::forbidden;
        case ErrorCode::protocol:
            return AttemptResult::broken;
        case ErrorCode::not_found:
        case ErrorCode::conflict:
        case ErrorCode::forbidden:
        case ErrorCode::precondition_failed:
        case ErrorCode::too_many_requests:
        case ErrorCode::busy:
        case ErrorCode::unavailable:
        case ErrorCode::fenced:
        case ErrorCode::elsewhere:
        case ErrorCode::unreachable:
        case ErrorCode::store_failed:
        case ErrorCode::damaged:
        case ErrorCode::io_failed:
        case ErrorCode::shutting_down:
            return AttemptResult::unreachable;
    }
    return AttemptResult::unreachable;
}

Health::Answer answer_of(const Result<outbound::Response>& answer) {
    constexpr std::uint16_t too_many_requests = 429;
    switch (result_of(answer)) {
        case AttemptResult::delivered:
        case AttemptResult::asked_again:
            return Health::Answer::success;
        case AttemptResult::redirected:
            return Health::Answer::client_error;
        case AttemptResult::refused:
            return answer->status == too_many_requests ? Health::Answer::too_many_requests
                                                       : Health::Answer::client_error;
        case AttemptResult::receiver_fault:
        case AttemptResult::timeout:
        case AttemptResult::unreachable:
        case AttemptResult::forbidden:
        case AttemptResult::broken:
            return Health::Answer::failure;
    }
    return Health::Answer::failure;
}

}  // namespace merpati::callback
