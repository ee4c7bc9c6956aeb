#include "config/address.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <cstddef>
#include <iterator>
#include <netinet/in.h>
#include <optional>

#include <fmt/format.h>

#include "base/number.hpp"
#include "model/store_url.hpp"

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
    return text.size() > 1 && text.front() == '0' ? std::nullopt : parse_whole<unsigned>(text);
}

/// Parameters whose values may be shown. The value of any other may be a secret: `password`,
/// `sslpassword`, and those that later versions of the client library add.
constexpr std::string_view open_parameters[] = {
    "application_name",
    "channel_binding",
    "connect_timeout",
    "dbname",
    "gssencmode",
    "host",
    "hostaddr",
    "keepalives",
    "keepalives_count",
    "keepalives_idle",
    "keepalives_interval",
    "load_balance_hosts",
    "options",
    "passfile",
    "port",
    "service",
    "sslcert",
    "sslkey",
    "sslmode",
    "sslrootcert",
    "sslnegotiation",
    "target_session_attrs",
    "tcp_user_timeout",
    "user",
};

/// host[:port][,host[:port]…], with addresses of IPv6 in brackets.
bool is_host_list(std::string_view text) {
    while (!text.empty()) {
        const auto end = std::min(text.find(','), text.size());
        auto one = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (one.starts_with('[')) {
            one.remove_prefix(std::min(one.find(']'), one.size()));
        }
        const auto colon = one.find(':');
        if (colon != std::string_view::npos && !parse_number(one.substr(colon + 1))) {
            return false;
        }
    }
    return true;
}

/// Masks the password of [user[:password]@]hosts. Empty: the text has another form.
std::optional<std::string> mask_authority(std::string_view authority) {
    const auto at = authority.rfind('@');
    const bool has_user = at != std::string_view::npos;
    if (!is_host_list(has_user ? authority.substr(at + 1) : authority)) {
        return std::nullopt;
    }
    const auto colon = has_user ? authority.substr(0, at).find(':') : std::string_view::npos;
    if (colon == std::string_view::npos) {
        return std::string{authority};
    }
    return fmt::format("{}:{}{}", authority.substr(0, colon), hidden, authority.substr(at));
}

std::string mask_parameters(std::string_view query) {
    std::string masked;
    for (;;) {
        const auto end = std::min(query.find('&'), query.size());
        const auto pair = query.substr(0, end);
        const auto equals = std::min(pair.find('='), pair.size());
        const auto name = pair.substr(0, equals);
        const bool open = std::ranges::find(open_parameters, name) != std::end(open_parameters);
        masked += open                   ? std::string{pair}
                  : equals < pair.size() ? fmt::format("{}={}", name, hidden)
                                         : std::string{hidden};
        if (end == query.size()) {
            return masked;
        }
        masked += '&';
        query.remove_prefix(end + 1);
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
    return model::sqlite_file(text) || model::is_postgresql(text);
}

std::string mask_password(std::string_view url) {
    static constexpr std::string_view separator = "://";
    const auto scheme = url.find(separator);
    if (scheme == std::string_view::npos) {
        // A path, or a mistyped URL, or libpq's "host=… password=…".
        const bool is_path = model::sqlite_file(url) || url.find_first_of("@=") == url.npos;
        return std::string{is_path ? url : hidden};
    }
    const auto begin = url.substr(0, scheme + separator.size());
    const auto rest = url.substr(begin.size());
    const auto authority = rest.substr(0, std::min(rest.find_first_of("/?#"), rest.size()));
    const auto behind = rest.substr(authority.size());
    const auto masked = mask_authority(authority);
    // A password with an unencoded '/', '?' or '#': its end is not certain.
    if (!masked || behind.contains('@') || behind.contains('#')) {
        return fmt::format("{}{}", begin, hidden);
    }
    const auto question = behind.find('?');
    const auto path = behind.substr(0, question);
    return fmt::format("{}{}{}{}", begin, *masked, path,
                       question == std::string_view::npos
                           ? ""
                           : "?" + mask_parameters(behind.substr(question + 1)));
}

}  // namespace merpati::config
