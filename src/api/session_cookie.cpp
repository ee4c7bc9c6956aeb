#include "api/session_cookie.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <netinet/in.h>

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

http::PeerAddress AppAddress::client(const http::Request& request) const noexcept {
    const auto last = last_forwarded(request);
    if (!is_https || !request.from_loopback || last.empty()) {
        return request.peer;
    }
    const auto start = std::min(last.find_first_not_of(' '), last.size());
    std::array<char, INET6_ADDRSTRLEN> text{};
    last.substr(start).copy(text.data(), text.size() - 1);
    sockaddr_storage address{};
    auto& v4 = reinterpret_cast<sockaddr_in&>(address);
    auto& v6 = reinterpret_cast<sockaddr_in6&>(address);
    if (::inet_pton(AF_INET, text.data(), &v4.sin_addr) == 1) {
        address.ss_family = AF_INET;
    } else if (::inet_pton(AF_INET6, text.data(), &v6.sin6_addr) == 1) {
        address.ss_family = AF_INET6;
    } else {
        return request.peer;
    }
    return http::PeerAddress{address};
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
    const auto site = request.header("Sec-Fetch-Site");
    return request.header(change_header) == "1" &&
           (!site || *site == "same-origin" || *site == "none");
}

}  // namespace merpati::api
