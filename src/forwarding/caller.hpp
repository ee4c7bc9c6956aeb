// Who sent a request, as the node that passes it on tells the one that carries it out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http/peer_address.hpp"
#include "http/request.hpp"

namespace merpati::forwarding {

/// How a request came to the node that it reached first. Who its caller is, by key or cookie, the
/// node that carries it out finds out itself.
struct Caller {
    http::PeerAddress peer;
    bool from_loopback = false;
    bool from_local_socket = false;
    bool is_encrypted = false;
    std::optional<std::uint32_t> peer_user{};  // Of the management socket.
};

[[nodiscard]] Caller caller_of(const http::Request& request);

/// "203.0.113.7 tls", "local loopback socket user=1000".
[[nodiscard]] std::string text_of(const Caller& caller);
/// Empty: no caller has this text.
[[nodiscard]] std::optional<Caller> parse_caller(std::string_view text);

/// Makes a request look as it came to the first node.
void amend(http::Request& request, const Caller& caller);

}  // namespace merpati::forwarding
