// Reads a worker's hello and its capabilities (docs/connector-protocol.md, sections 3 and 4).
#pragma once

#include <array>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "base/error.hpp"
#include "connector/connector.hpp"

namespace merpati::connector::process {

constexpr int protocol_version = 1;

/// The pairing methods that the gateway knows.
inline constexpr std::array<std::string_view, 4> pairing_methods{"qr", "code", "otp", "passkey"};

struct Hello {
    bool speaks_ours = false;  // Whether it offers protocol_version.
    std::string name;
    std::string version;
    bool generations = false;  // Whether it repeats the generation of a start in all its lines.
    Capabilities capabilities;
};

// Errors: invalid_argument (names the field).
[[nodiscard]] Result<Hello> read_hello(const boost::json::object& fields);
[[nodiscard]] Result<Capabilities> read_capabilities(const boost::json::object& fields);

}  // namespace merpati::connector::process
