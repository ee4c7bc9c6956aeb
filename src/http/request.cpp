#include "http/request.hpp"

#include "http/ascii.hpp"

namespace merpati::http {

std::string_view to_string(Method method) noexcept {
    switch (method) {
        case Method::get:
            return "GET";
        case Method::head:
            return "HEAD";
        case Method::post:
            return "POST";
        case Method::put:
            return "PUT";
        case Method::patch:
            return "PATCH";
        case Method::del:
            return "DELETE";
        case Method::options:
            return "OPTIONS";
        case Method::other:
            return "OTHER";
    }
    return "OTHER";
}

std::optional<std::string_view> Request::header(std::string_view name) const noexcept {
    for (const auto& [key, value] : headers) {
        if (equals_ignoring_case(key, name)) {
            return value;
        }
    }
    return std::nullopt;
}

}  // namespace merpati::http
