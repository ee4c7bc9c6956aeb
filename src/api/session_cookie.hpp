// The session cookie, and the protection of calls that carry it against other sites' pages.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "http/request.hpp"

namespace merpati::api {

/// Every request of the web app that changes something has this header, with the value 1. A page of
/// another site cannot set it: that needs a CORS answer that allows the header, and no answer of
/// this server does.
inline constexpr std::string_view change_header = "X-Merpati-Request";

/// How browsers reach this server, from the setting app.url.
struct AppAddress {
    /// app.url is https. A proxy may then end TLS, so cookies are for https only although requests
    /// come over http.
    bool is_https = false;
    /// app.url is http: the operator accepts that browsers come over http.
    bool is_http = false;

    /// The address of the client. For a request from this machine while app.url is https, the
    /// sender is a proxy, and the address is the last one of `X-Forwarded-For`, which the proxy has
    /// added. If that header is missing or malformed, the address of the peer.
    [[nodiscard]] http::PeerAddress client(const http::Request& request) const;

    /// What a proxy of this machine gave as the client's address, if it cannot be read. All such
    /// clients count as one.
    [[nodiscard]] std::optional<std::string_view> unreadable(const http::Request& request) const;

    /// Whether the request's cookie is the one that browsers send over TLS only.
    [[nodiscard]] bool is_secure(const http::Request& request) const noexcept {
        return request.is_encrypted || is_https;
    }
    /// Whether passwords and cookies may come by this connection: it uses TLS, stays within the
    /// machine, app.url is http, or app.url is https and a proxy on another machine says with
    /// `X-Forwarded-Proto` that the client uses TLS.
    [[nodiscard]] bool may_sign_in(const http::Request& request) const noexcept;

private:
    [[nodiscard]] std::optional<std::string_view> forwarded(const http::Request& request) const;
};

/// The token in the request's cookie, unchecked. Cookies for https and for http have different
/// names, so a cookie that an attacker has set over http is never used over https.
[[nodiscard]] std::optional<std::string_view> session_token(const http::Request& request,
                                                            bool is_secure) noexcept;

/// The header line that sets the cookie, and the one that removes it.
[[nodiscard]] std::string set_cookie(std::string_view token, bool is_secure,
                                     std::chrono::seconds lasts);
[[nodiscard]] std::string clear_cookie(bool is_secure);

/// Whether a request that changes something was made by a page of this server: it has
/// `change_header`, and is not of another site.
[[nodiscard]] bool is_own_request(const http::Request& request) noexcept;

/// Whether the browser says that a page of another site made the request, a link included:
/// `Sec-Fetch-Site` is neither `same-origin` nor `none`.
[[nodiscard]] bool is_of_other_site(const http::Request& request) noexcept;

}  // namespace merpati::api
