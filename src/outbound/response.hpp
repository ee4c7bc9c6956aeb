// What a server answered.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace merpati::outbound {

struct Response {
    std::uint16_t status = 0;
    std::vector<std::pair<std::string, std::string>> headers;  // Names in lower case.
    std::string body;  // At most Request::body_bytes_max; empty with Request::on_body.

    /// The first header of this (lower case) name, or empty.
    [[nodiscard]] std::string_view header(std::string_view name) const noexcept;
};

}  // namespace merpati::outbound
