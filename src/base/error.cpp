#include "base/error.hpp"

#include <fmt/format.h>

namespace merpati {

std::string_view to_string(ErrorCode code) noexcept {
    switch (code) {
        case ErrorCode::invalid_argument:
            return "invalid_argument";
        case ErrorCode::not_found:
            return "not_found";
        case ErrorCode::conflict:
            return "conflict";
        case ErrorCode::refused:
            return "refused";
        case ErrorCode::forbidden:
            return "forbidden";
        case ErrorCode::precondition_failed:
            return "precondition_failed";
        case ErrorCode::busy:
            return "busy";
        case ErrorCode::unavailable:
            return "unavailable";
        case ErrorCode::fenced:
            return "fenced";
        case ErrorCode::elsewhere:
            return "elsewhere";
        case ErrorCode::too_many_requests:
            return "too_many_requests";
        case ErrorCode::timeout:
            return "timeout";
        case ErrorCode::unreachable:
            return "unreachable";
        case ErrorCode::protocol:
            return "protocol";
        case ErrorCode::store_failed:
            return "store_failed";
        case ErrorCode::damaged:
            return "damaged";
        case ErrorCode::io_failed:
            return "io_failed";
        case ErrorCode::shutting_down:
            return "shutting_down";
    }
    return "unknown";
}

std::string Error::describe() const {
    std::string_view file = origin.file_name();
    if (const auto src = file.rfind("/src/"); src != std::string_view::npos) {
        file.remove_prefix(src + 5);
    }
    return fmt::format("{}: {} ({}:{})", to_string(code), detail, file, origin.line());
}

}  // namespace merpati
