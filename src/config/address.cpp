#include "config/address.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <charconv>
#include <cstddef>
#include <netinet/in.h>
#include <optional>

namespace merpati::config {
namespace {

constexpr std::string_view hidden = "***";

bool is_literal(int family, std::string_view text) {
    const std::string terminated{text};
    in6_addr bytes{};  // Large enough for both families.
    return !terminated.contains('\0') && inet_pton(family, terminated.c_str(), &bytes) == 1;
}

/// A decimal number without sign or leading zero.
std::optional<unsigned> parse_number(std::string_view text) {
    unsigned value = 0;
    const auto* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (text.empty() || error != std::errc{} || stop != end ||
        (text.size() > 1 && text.front() == '0')) {
        return std::nullopt;
    }
    return value;
}

void mask_user_info(std::string& url, std::size_t authority) {
    const auto end = std::min(url.find_first_of("/?#", authority), url.size());
    const auto at = url.substr(0, end).rfind('@');
    if (at == std::string::npos || at < authority) {
        return;
    }
    const auto colon = url.find(':', authority);
    if (colon < at) {
        url.replace(colon + 1, at - colon - 1, hidden);
    }
}

void mask_parameter(std::string& url) {
    for (const std::string_view name : {"?password=", "&password="}) {
        const auto found = url.find(name);
        if (found != std::string::npos) {
            const auto value = found + name.size();
            const auto end = std::min(url.find_first_of("&#", value), url.size());
            url.replace(value, end - value, hidden);
        }
    }
}

}  // namespace

bool is_listen_address(std::string_view text) {
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos) {
        return false;
    }
    const auto port = parse_number(text.substr(colon + 1));
    auto host = text.substr(0, colon);
    if (!port || *port > 65'535) {
        return false;
    }
    if (host.starts_with('[') && host.ends_with(']')) {
        return is_literal(AF_INET6, host.substr(1, host.size() - 2));
    }
    return is_literal(AF_INET, host);
}

bool is_cidr(std::string_view text) {
    const auto slash = text.find('/');
    const auto network = text.substr(0, slash);
    const bool v4 = is_literal(AF_INET, network);
    if (!v4 && !is_literal(AF_INET6, network)) {
        return false;
    }
    if (slash == std::string_view::npos) {
        return true;
    }
    const auto prefix = parse_number(text.substr(slash + 1));
    return prefix && *prefix <= (v4 ? 32U : 128U);
}

bool is_store_url(std::string_view text) {
    for (const std::string_view scheme : {"sqlite:", "postgresql://"}) {
        if (text.starts_with(scheme)) {
            return text.size() > scheme.size();
        }
    }
    return false;
}

std::string mask_password(std::string_view url) {
    std::string masked{url};
    const auto scheme = masked.find("://");
    if (scheme != std::string::npos) {
        mask_user_info(masked, scheme + 3);
    }
    mask_parameter(masked);
    return masked;
}

}  // namespace merpati::config
