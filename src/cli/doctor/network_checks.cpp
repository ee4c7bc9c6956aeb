// Checks of the network: certificates, addresses, names.
#include <cstdio>
#include <ctime>
#include <memory>
#include <netinet/in.h>
#include <resolv.h>

#include <fmt/format.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "cli/doctor/finding.hpp"
#include "http/listener.hpp"
#include "http/tls.hpp"

namespace merpati::cli::doctor {
namespace {

constexpr int certificate_note_days = 14;
constexpr int ask_seconds = 2;  // Per name server; the resolver's own default is 5, twice.

struct FileCloser {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};
struct X509Deleter {
    void operator()(X509* certificate) const noexcept { X509_free(certificate); }
};

using Certificate = std::unique_ptr<X509, X509Deleter>;

/// Keeps OpenSSL from asking for a pass phrase on the terminal.
int no_pass_phrase(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*unused*/) {
    return -1;
}

Certificate read_certificate(const std::string& file) {
    const std::unique_ptr<std::FILE, FileCloser> opened{std::fopen(file.c_str(), "re")};
    return Certificate{opened ? PEM_read_X509(opened.get(), nullptr, no_pass_phrase, nullptr)
                              : nullptr};
}

/// Whole days until the certificate ends; negative when it has.
int days_left(const X509& certificate, Timestamp now) {
    const std::time_t seconds =
        std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
    const std::unique_ptr<ASN1_TIME, decltype(&ASN1_TIME_free)> today{
        ASN1_TIME_set(nullptr, seconds), ASN1_TIME_free};
    int days = 0;
    int rest = 0;
    ASN1_TIME_diff(&days, &rest, today.get(), X509_get0_notAfter(&certificate));
    return rest < 0 ? days - 1 : days;
}

void check_certificate(const std::string& file, Timestamp now, Findings& findings) {
    const auto certificate = read_certificate(file);
    if (certificate == nullptr) {
        return;  // Unreadable certificates are reported by `check_tls`.
    }
    const int days = days_left(*certificate, now);
    const bool soon = days < certificate_note_days;
    findings.push_back({.subject = "tls",
                        .verdict = days < 0 ? Verdict::wrong
                                   : soon   ? Verdict::note
                                            : Verdict::good,
                        .found = days < 0 ? fmt::format("{} has expired", file)
                                          : fmt::format("{} is valid for {} days", file, days),
                        .remedy = soon ? "renew it, then restart the server" : ""});
}

}  // namespace

void check_tls(const config::Settings& settings, const Clock& clock, Findings& findings) {
    const auto& tls = settings.http.tls;
    if (tls.certificate && tls.key) {
        const auto loaded = http::load_tls_context(tls.certificate->string(), tls.key->string());
        if (loaded) {
            check_certificate(tls.certificate->string(), clock.now(), findings);
        } else {
            findings.push_back({.subject = "tls",
                                .verdict = Verdict::wrong,
                                .found = loaded.error().detail,
                                .remedy = "http.tls.certificate and http.tls.key must be PEM files "
                                          "of one pair that this user can read"});
        }
    }
    if (const auto& authority = settings.outbound.ca_file) {
        const bool readable = read_certificate(authority->string()) != nullptr;
        findings.push_back(
            {.subject = "tls",
             .verdict = readable ? Verdict::good : Verdict::wrong,
             .found = fmt::format("{} {}", authority->string(),
                                  readable ? "is read" : "holds no certificate we can read"),
             .remedy = readable ? "" : "outbound.ca_file must be a PEM file of certificates"});
    }
}

void check_addresses(const config::Settings& settings, Findings& findings) {
    for (const auto& address : settings.http.listen) {
        const auto bound = http::bind_network(address, 1);
        findings.push_back(
            {.subject = "address",
             .verdict = bound ? Verdict::good : Verdict::wrong,
             .found = bound ? fmt::format("{} is free", address) : bound.error().detail,
             .remedy = bound ? ""
                             : "stop what listens there, or choose another http.listen; a port "
                               "below 1024 needs AmbientCapabilities=CAP_NET_BIND_SERVICE"});
    }
}

void check_names(Findings& findings) {
    struct __res_state state{};
    if (::res_ninit(&state) != 0) {
        return;
    }
    state.retrans = ask_seconds;
    state.retry = 1;
    unsigned char answer[NS_PACKETSZ];
    // The root's name servers, which every working resolver knows.
    const int size = ::res_nquery(&state, ".", ns_c_in, ns_t_ns, answer, sizeof answer);
    ::res_nclose(&state);
    findings.push_back({.subject = "names",
                        .verdict = size > 0 ? Verdict::good : Verdict::note,
                        .found = size > 0 ? "the name server answers"
                                          : "no name server answers: callbacks, webhooks and media "
                                            "with names wait or fail",
                        .remedy = size > 0 ? "" : "check /etc/resolv.conf and the network"});
}

}  // namespace merpati::cli::doctor
