#include "api/session_cookie.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/ascii.hpp"

namespace merpati::api {
namespace {

constexpr std::string_view secure_name = "__Host-merpati_session";
constexpr std::string_view plain_name = "merpati_session";

constexpr std::string_view name_of(bool is_secure) {
    return is_secure ? secure_name : plain_name;
}

/// The last address of the last `X-Forwarded-For` header. Proxies append to the header that they
/// received, or add another one after it. Addresses before the last may be the client's invention.
std::string_view last_forwarded(const http::Request& request) {
    std::string_view line;
    for (const auto& [name, value] : request.headers) {
        line = equals_ignoring_case(name, "X-Forwarded-For") ? value : line;
    }
    return line.substr(line.rfind(',') + 1);
}

std::string cookie_line(std::string_view token, bool is_secure, std::chrono::seconds lasts) {
    return fmt::format("Set-Cookie: {}={}; Path=/; Max-Age={}; HttpOnly; SameSite=Lax{}\r\n",
                       name_of(is_secure), token, lasts.count(), is_secure ? "; Secure" : "");
}

}  // namespace

std::optional<std::string_view> AppAddress::forwarded(const http::Request& request) const {
    const auto last = last_forwarded(request);
    return is_https && request.from_loopback && !last.empty() ? std::optional{last} : std::nullopt;
}

http::PeerAddress AppAddress::client(const http::Request& request) const {
    const auto last = forwarded(request);
    return (last ? http::PeerAddress::parse(*last) : std::nullopt).value_or(request.peer);
}

std::optional<std::string_view> AppAddress::unreadable(const http::Request& request) const {
    const auto last = forwarded(request);
    return last && !http::PeerAddress::parse(*last) ? last : std::nullopt;
}

bool AppAddress::may_sign_in(const http::Request& request) const noexcept {
    return request.is_encrypted || request.from_loopback || is_http ||
           (is_https && request.header("X-Forwarded-Proto") == "https");
}

std::optional<std::string_view> session_token(const http::Request& request,
                                              bool is_secure) noexcept {
    auto cookies = request.header("Cookie").value_or(std::string_view{});
    const auto name = name_of(is_secure);
    while (!cookies.empty()) {
        auto cookie = cookies.substr(0, cookies.find(';'));
        cookies.remove_prefix(std::min(cookie.size() + 1, cookies.size()));
        cookie.remove_prefix(std::min(cookie.find_first_not_of(' '), cookie.size()));
        if (cookie.size() > name.size() && cookie.starts_with(name) && cookie[name.size()] == '=') {
            return cookie.substr(name.size() + 1);
        }
    }
    return std::nullopt;
}

std::string set_cookie(std::string_view token, bool is_secure, std::chrono::seconds lasts) {
    return cookie_line(token, is_secure, lasts);
}

std::string clear_cookie(bool is_secure) {
    return cookie_line({}, is_secure, std::chrono::seconds{0});
}

bool is_own_request(const http::Request& request) noexcept {
    return request.header(change_header) == "1" && !is_of_other_site(request);
}

bool is_of_other_site(const http::Request& request) noexcept {
    const auto site = request.header("Sec-Fetch-Site");
    return site && *site != "same-origin" && *site != "none";
}

}  // namespace merpati::api
