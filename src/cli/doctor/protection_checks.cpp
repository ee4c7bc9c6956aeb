// Checks of settings that take protection away, which SECURITY.md leaves to the operator.
#include <algorithm>
#include <array>
#include <string_view>
#include <sys/stat.h>

#include <boost/asio/ip/address.hpp>
#include <fmt/format.h>

#include "cli/doctor/finding.hpp"
#include "config/address.hpp"
#include "outbound/address_policy.hpp"
#include "outbound/special_ranges.hpp"

namespace merpati::cli::doctor {
namespace {

using boost::asio::ip::address;

/// Prefixes shorter than these cover more than one private network.
constexpr unsigned narrow_v4 = 8;  // 10.0.0.0/8, the largest private network.
constexpr unsigned narrow_v6 = 7;  // fc00::/7, all unique local addresses.

struct SecretSetting {
    std::string_view key;
    std::string_view secret;
};

constexpr std::array secret_settings{
    SecretSetting{.key = "store.url", .secret = "the database's password"},
    SecretSetting{.key = "metrics.token", .secret = "metrics.token"},
    SecretSetting{.key = "cloud.verify_token", .secret = "cloud.verify_token"},
};

/// Whether the address itself allows connections from the whole Internet.
bool is_public(const address& literal) {
    if (literal.is_v4()) {
        const auto number = literal.to_v4().to_uint();
        return std::ranges::none_of(outbound::special_ipv4_ranges,
                                    [&](const auto& range) { return range.contains(number); });
    }
    return (literal.to_v6().to_bytes()[0] & 0xe0U) == 0x20;  // Global unicast, RFC 4291.
}

void check_outbound(const config::OutboundSettings& outbound, Findings& findings) {
    for (const auto& text : outbound.allow) {
        const auto range = outbound::Cidr::parse(text);
        if (!range) {
            continue;  // The server refuses to start with such a setting.
        }
        const bool wide = range->prefix < (range->network.is_v4() ? narrow_v4 : narrow_v6);
        findings.push_back(
            {.subject = "protection",
             .verdict = wide ? Verdict::wrong : Verdict::note,
             .found = fmt::format("outbound.allow lets callbacks, webhooks and media reach {}, "
                                  "whoever names the URL{}",
                                  text, wide ? ": nearly every private address there is" : ""),
             .remedy = wide ? "name only the networks that receivers are in, such as 10.20.0.0/16"
                            : "let only callers whom you trust have keys"});
    }
    if (outbound.allow_http_callbacks) {
        findings.push_back({.subject = "protection",
                            .verdict = Verdict::note,
                            .found =
                                "outbound.allow_http_callbacks lets numbers and statuses cross "
                                "the network in the clear; it is for development",
                            .remedy = "take it away where real messages are sent"});
    }
}

void check_plain_http(const config::Settings& settings, Findings& findings) {
    if (settings.http.tls.certificate) {
        return;
    }
    auto addresses = settings.http.listen;
    if (settings.metrics.listen) {
        addresses.push_back(*settings.metrics.listen);
    }
    for (const auto& text : addresses) {
        auto host = text.substr(0, text.rfind(':'));
        std::erase_if(host, [](char c) { return c == '[' || c == ']'; });
        boost::system::error_code error;
        const auto literal = boost::asio::ip::make_address(host, error);
        if (error || literal.is_loopback()) {
            continue;
        }
        const bool inner = !is_public(literal);
        findings.push_back(
            {.subject = "protection",
             .verdict = inner ? Verdict::note : Verdict::wrong,
             .found = fmt::format("{} is served without TLS{}: keys and messages cross the network "
                                  "in the clear",
                                  text, inner ? "" : ", to everybody"),
             .remedy = "set http.tls.certificate and http.tls.key, or let only a proxy with TLS "
                       "reach it"});
    }
}

void check_metrics(const config::MetricsSettings& metrics, Findings& findings) {
    const bool open = !metrics.token;
    findings.push_back({.subject = "protection",
                        .verdict = Verdict::good,
                        .found = open ? "/metrics is open to every peer on this machine, a reverse "
                                        "proxy too; metrics.token would close it"
                                      : "/metrics asks for metrics.token"});
}

/// For files with secrets other than the store's.
void check_secret_file(const std::string& file, std::string_view what, Findings& findings) {
    struct stat status{};
    if (::stat(file.c_str(), &status) == 0 && (status.st_mode & S_IRWXO) != 0) {
        findings.push_back({.subject = "protection",
                            .verdict = Verdict::wrong,
                            .found = fmt::format("others may open {}, {}", file, what),
                            .remedy = fmt::format("chmod o= {}", file)});
    }
}

/// The settings file, if it has a secret.
void check_settings_file(const config::Loaded& loaded, Findings& findings) {
    const auto& url = loaded.settings.store.url;
    for (const auto& [key, secret] : secret_settings) {
        const auto origin = loaded.origin(key);
        const bool is_secret = key != "store.url" || config::mask_password(url) != url;
        if (is_secret && origin.kind == config::Origin::Kind::file) {
            check_secret_file(origin.text.substr(0, origin.text.rfind(':')),
                              fmt::format("the settings file with {}", secret), findings);
            return;  // There is one settings file.
        }
    }
}

}  // namespace

void check_protection(const config::Loaded& loaded, Findings& findings) {
    const auto& settings = loaded.settings;
    check_outbound(settings.outbound, findings);
    check_plain_http(settings, findings);
    check_metrics(settings.metrics, findings);
    if (settings.http.tls.key) {
        check_secret_file(settings.http.tls.key->string(), "the key of the certificate", findings);
    }
    check_settings_file(loaded, findings);
    if (settings.cloud.app_secret_file) {
        check_secret_file(settings.cloud.app_secret_file->string(),
                          "the secret of the official platform's app", findings);
    }
    if (settings.simulator.log) {
        findings.push_back(
            {.subject = "protection",
             .verdict = Verdict::note,
             .found = fmt::format("simulator.log writes full numbers and texts to {}",
                                  settings.simulator.log->string()),
             .remedy = "take it away where real messages are sent"});
    }
}

}  // namespace merpati::cli::doctor
