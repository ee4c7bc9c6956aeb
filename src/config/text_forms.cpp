#include "config/text_forms.hpp"

#include <algorithm>

#include "base/ascii.hpp"

namespace merpati::config {

bool is_argument(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) {
        return static_cast<unsigned char>(c) >= ' ' && c != '\x7f';
    });
}

bool is_key(std::string_view text) {
    return text.size() == 64 && std::ranges::all_of(text, [](char c) {
               return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
           });
}

bool is_platform_address(std::string_view text) {
    const auto is_host_of = [&](std::string_view start) {
        return text.starts_with(start) && (text.size() == start.size() ||
                                           text[start.size()] == ':' || text[start.size()] == '/');
    };
    return (text.starts_with("wss://") && text.size() > 6) || is_host_of("ws://127.0.0.1") ||
           is_host_of("ws://[::1]");
}

bool is_origin(std::string_view text) {
    const auto rest = text.starts_with("https://")  ? text.substr(8)
                      : text.starts_with("http://") ? text.substr(7)
                                                    : std::string_view{};
    return !rest.empty() && rest.size() <= 255 && std::ranges::all_of(rest, [](char c) {
        return is_letter(c) || is_digit(c) || c == '.' || c == '-' || c == ':' || c == '[' ||
               c == ']';
    });
}

bool is_cloud_url(std::string_view text) {
    const auto is_host_of = [&](std::string_view start) {
        return text.starts_with(start) &&
               (text.size() == start.size() || text[start.size()] == ':');
    };
    return is_origin(text) && (text.starts_with("https://") || is_host_of("http://127.0.0.1") ||
                               is_host_of("http://[::1]"));
}

bool is_cloud_version(std::string_view text) {
    const auto rest = text.starts_with('v') ? text.substr(1) : std::string_view{};
    const auto dot = rest.find('.');
    const auto is_number = [](std::string_view part) {
        return !part.empty() && part.size() <= 3 && std::ranges::all_of(part, is_digit);
    };
    return dot != std::string_view::npos && is_number(rest.substr(0, dot)) &&
           is_number(rest.substr(dot + 1));
}

bool is_node_name(std::string_view text) {
    return !text.empty() && text.size() <= 253 && std::ranges::all_of(text, [](char c) {
        return is_letter(c) || is_digit(c) || c == '.' || c == '-' || c == '_';
    });
}

}  // namespace merpati::config
