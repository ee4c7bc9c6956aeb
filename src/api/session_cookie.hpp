// The cookie that a session is known by, and what protects calls that come with it.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "http/request.hpp"

namespace merpati::api {

/// Every request of a browser that changes something carries it, with the value 1. A page of
/// another site can neither set it nor, since no answer allows that, ask to be let to.
inline constexpr std::string_view change_header = "X-Merpati-Request";

/// What the addresses of this server are, as browsers see them.
struct AppAddress {
    /// Behind a proxy that ends TLS (app.url is https) cookies are for https alone, too.
    bool is_https = false;
    /// The operator has said that browsers come over http (app.url).
    bool is_http = false;

    /// Where the client is. Behind a proxy on this machine (app.url is https) that is the last
    /// address of `X-Forwarded-For`, which the proxy has added.
    [[nodiscard]] http::PeerAddress client(const http::Request& request) const noexcept;

    /// Whether the request's cookie is the one that browsers send over TLS only.
    [[nodiscard]] bool is_secure(const http::Request& request) const noexcept {
        return request.is_encrypted || is_https;
    }
    /// Whether passwords and cookies may come this way: over TLS, or within the machine.
    [[nodiscard]] bool may_sign_in(const http::Request& request) const noexcept {
        return is_secure(request) || request.from_loopback || is_http;
    }
};

/// The token in the request's cookie, unchecked. The two kinds of cookie are never mixed: who can
/// set one over plain http cannot put it into a browser that speaks https.
[[nodiscard]] std::optional<std::string_view> session_token(const http::Request& request,
                                                            bool is_secure) noexcept;

/// The header line that gives the cookie to a browser, and the one that takes it back.
[[nodiscard]] std::string set_cookie(std::string_view token, bool is_secure,
                                     std::chrono::seconds lasts);
[[nodiscard]] std::string clear_cookie(bool is_secure);

/// Whether a request that changes something was made by a page of this server: it has the header
/// above, and the browser, where it says so (Sec-Fetch-Site), does not name another origin.
[[nodiscard]] bool is_own_request(const http::Request& request) noexcept;

}  // namespace merpati::api
