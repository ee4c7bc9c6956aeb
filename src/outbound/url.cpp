#include "outbound/url.hpp"

#include <algorithm>
#include <array>

#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

#include "base/ascii.hpp"
#include "base/number.hpp"

namespace merpati::outbound {

namespace {

namespace ip = boost::asio::ip;

constexpr std::size_t host_bytes_max = 253;  // RFC 1035, without the dot of the root.
constexpr std::size_t label_bytes_max = 63;

/// Domains that, with their subdomains, never name a host of the public internet.
constexpr auto private_names = std::to_array<std::string_view>({"local", "internal", "home.arpa"});

std::unexpected<Error> malformed(std::string_view why) {
    return fail(ErrorCode::invalid_argument, "the URL " + std::string(why));
}

bool is_hex_digit(char c) noexcept {
    return hex_digits.find(c) != std::string_view::npos;
}

/// Refuses, before parsing, characters that URL parsers treat differently.
Result<void> check_characters(std::string_view text) {
    for (const char c : text) {
        if (static_cast<unsigned char>(c) >= 0x80) {
            return malformed("is not ASCII; write the host's name in punycode (IDNA)");
        }
        if (c <= ' ' || c == 0x7F) {
            return malformed("contains a space or a control character");
        }
        if (c == '\\') {
            return malformed("contains a backslash");
        }
    }
    return {};
}

/// Whether some systems would read the name as an IPv4 address: its last label is a number, decimal
/// or hexadecimal (the rule of the WHATWG URL standard).
bool ends_in_a_number(std::string_view host) noexcept {
    const auto label = host.substr(host.rfind('.') + 1);  // npos + 1 is 0: the whole host.
    if (label.starts_with("0x")) {
        return std::ranges::all_of(label.substr(2), is_hex_digit);
    }
    return std::ranges::all_of(label, is_digit);
}

/// Whether the name begins with an IPv4 address: "127.0.0.1.example.org", "8.8.8.8x". Such names
/// are made to deceive. Boost.URL 1.81 refuses them, later versions do not.
bool begins_as_an_address(const std::string& host) {
    std::size_t end = 0;
    for (int dots = 3; dots > 0; --dots) {
        const auto dot = host.find('.', end);
        if (dot == std::string::npos) {
            return false;
        }
        end = dot + 1;
    }
    while (end < host.size() && is_digit(host[end])) {
        ++end;
    }
    boost::system::error_code error;
    ip::make_address_v4(host.substr(0, end), error);
    return !error && end < host.size();
}

/// Whether `host` has only labels of letters, digits, '-' and '_', as the host names in use do.
bool is_host_name(std::string_view host) noexcept {
    if (host.empty() || host.size() > host_bytes_max) {
        return false;
    }
    std::size_t label_bytes = 0;
    for (const char c : host) {
        if (c == '.') {
            if (label_bytes == 0) {
                return false;
            }
            label_bytes = 0;
            continue;
        }
        const bool is_letter = c >= 'a' && c <= 'z';
        if ((!is_letter && !is_digit(c) && c != '-' && c != '_') ||
            ++label_bytes > label_bytes_max) {
            return false;
        }
    }
    return label_bytes > 0;
}

Result<void> read_name(std::string_view encoded, Url& url) {
    url.host = lower_case(encoded);
    const bool has_root_dot = url.host.ends_with('.');
    if (has_root_dot) {
        url.host.pop_back();  // The same host, but the checks below compare names.
    }
    if (!is_host_name(url.host)) {
        return malformed("has no valid host name");
    }
    if (!ends_in_a_number(url.host)) {
        return begins_as_an_address(url.host)
                   ? malformed("has a host name that begins as an IPv4 address")
                   : Result<void>{};
    }
    boost::system::error_code error;
    const auto address = ip::make_address_v4(url.host, error);
    if (error || has_root_dot) {
        return malformed("has an IPv4 address that is not written as four decimal numbers");
    }
    url.literal = address;
    return {};
}

Result<void> read_host(const boost::urls::url_view& view, Url& url) {
    const std::string_view encoded{view.encoded_host().data(), view.encoded_host().size()};
    if (encoded.contains('%')) {
        return malformed("has a percent sign in its host");
    }
    switch (view.host_type()) {
        case boost::urls::host_type::ipv6: {
            const auto address = ip::address_v6{view.host_ipv6_address().to_bytes()};
            url.host = address.to_string();
            url.literal = address;
            return {};
        }
        case boost::urls::host_type::ipv4:
        case boost::urls::host_type::name:
            return read_name(encoded, url);
        case boost::urls::host_type::ipvfuture:
        case boost::urls::host_type::none:
            break;
    }
    return malformed("has no host");
}

Result<void> read_port(const boost::urls::url_view& view, Url& url) {
    url.port = url.scheme == "https" ? 443 : 80;
    const std::string_view digits{view.port().data(), view.port().size()};
    if (digits.empty()) {
        return {};
    }
    url.port = parse_whole<std::uint16_t>(digits).value_or(0);
    if (url.port == 0) {
        return malformed("has a port that is not between 1 and 65535");
    }
    return {};
}

bool is_below(std::string_view host, std::string_view name) noexcept {
    return host.ends_with(name) &&
           (host.size() == name.size() || host[host.size() - name.size() - 1] == '.');
}

Result<void> admit_name(const Url& url, const AddressPolicy& policy) {
    if (is_below(url.host, "localhost")) {
        if (policy.allowed_by_operator(ip::address_v4::loopback()) ||
            policy.allowed_by_operator(ip::address_v6::loopback())) {
            return {};
        }
        return fail(ErrorCode::refused, "the URL names this machine");
    }
    const bool is_private = !url.host.contains('.') ||
                            std::ranges::any_of(private_names, [&url](std::string_view name) {
                                return is_below(url.host, name);
                            });
    if (is_private && !policy.allows_inner_network()) {
        return fail(ErrorCode::refused, "the URL's host is private by its name");
    }
    return {};
}

}  // namespace

std::string Url::origin() const {
    const bool in_brackets = literal && literal->is_v6();
    std::string text;
    text.reserve(scheme.size() + host.size() + 11);
    text += scheme;
    text += in_brackets ? "://[" : "://";
    text += host;
    if (in_brackets) {
        text += ']';
    }
    if (port != (scheme == "https" ? 443 : 80)) {
        text += ':';
        text += std::to_string(port);
    }
    return text;
}

Result<Url> Url::parse(std::string_view text, std::size_t bytes_max) {
    if (text.size() > bytes_max) {
        return malformed("is longer than " + std::to_string(bytes_max) + " bytes");
    }
    if (auto checked = check_characters(text); !checked) {
        return pass(checked);
    }
    const auto parsed = boost::urls::parse_uri({text.data(), text.size()});
    if (!parsed || !parsed->has_authority()) {
        return malformed("is malformed");
    }
    Url url;
    url.scheme = lower_case({parsed->scheme().data(), parsed->scheme().size()});
    if (url.scheme != "http" && url.scheme != "https") {
        return malformed("is neither http nor https");
    }
    if (parsed->has_userinfo()) {
        return malformed("contains user information");
    }
    if (auto host = read_host(*parsed, url); !host) {
        return pass(host);
    }
    if (auto port = read_port(*parsed, url); !port) {
        return pass(port);
    }
    url.target.assign(parsed->encoded_path().data(), parsed->encoded_path().size());
    // If a character other than a digit follows "host:", the parser reads it as a path.
    if (!url.target.empty() && url.target.front() != '/') {
        return malformed("has a port that is not a number");
    }
    if (url.target.empty()) {
        url.target = "/";
    }
    if (parsed->has_query()) {
        url.target += '?';
        url.target.append(parsed->encoded_query().data(), parsed->encoded_query().size());
    }
    return url;
}

Result<Url> admit_url(std::string_view text, Schemes schemes, const AddressPolicy& policy) {
    auto url = Url::parse(text);
    if (!url) {
        return url;
    }
    if (schemes == Schemes::https_only && url->scheme != "https") {
        return malformed("is not https");
    }
    if (url->literal) {
        if (!policy.permits(*url->literal)) {
            return fail(ErrorCode::refused, "the URL's address is not public");
        }
        return url;
    }
    if (auto admitted = admit_name(*url, policy); !admitted) {
        return pass(admitted);
    }
    return url;
}

}  // namespace merpati::outbound
