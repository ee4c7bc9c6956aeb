// A whole request, as handlers see it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "http/party.hpp"
#include "http/peer_address.hpp"

namespace merpati::http {

enum class Method : std::uint8_t { get, head, post, put, patch, del, options, other };
[[nodiscard]] std::string_view to_string(Method method) noexcept;

/// Views into the connection's buffer, valid until the handler returns. A handler that answers
/// later must copy what it needs (or decode it, as api/ does).
class Request {
public:
    using Header = std::pair<std::string_view, std::string_view>;

    Method method = Method::other;
    std::string_view path;   // Without the query: "/v1/send". Not percent-decoded.
    std::string_view query;  // After '?', or empty.
    std::string_view body;
    std::string_view id;  // The X-Request-Id of the answer: the caller's, if valid, or ours.
    std::string_view authorization;   // The header's value, or empty: every operation needs it.
    std::span<const Header> headers;  // In order, names as they came.
    bool from_local_socket = false;   // Came through the management socket.
    bool from_loopback = false;       // PeerAddress::is_loopback.
    bool is_encrypted = false;        // Came over TLS that this server terminates.
    PeerAddress peer;
    std::optional<std::uint32_t> peer_user;  // Management socket only: the peer's user id.
    Party* party = nullptr;                  // See `vouch`.

    /// Call when the caller is authenticated, before the handler returns. Until its next request,
    /// the connection counts for this party instead of its address.
    void vouch(const Party& caller) const noexcept {
        if (party != nullptr) {
            *party = caller;
        }
    }

    /// The value of the first header of this name, in any case.
    [[nodiscard]] std::optional<std::string_view> header(std::string_view name) const noexcept;
};

}  // namespace merpati::http
