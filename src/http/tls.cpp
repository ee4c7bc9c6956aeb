#include "http/tls.hpp"

#include <array>

#include <fmt/format.h>
#include <openssl/err.h>

namespace merpati::http {
namespace {

constexpr std::string_view alpn_http_1_1{"\x08http/1.1"};

/// OpenSSL's newest error as text. Clears its error queue.
std::string last_tls_error() {
    std::array<char, 256> text{};
    ERR_error_string_n(ERR_peek_last_error(), text.data(), text.size());
    ERR_clear_error();
    return text.data();
}

int choose_protocol(SSL* /*connection*/, const unsigned char** chosen, unsigned char* chosen_size,
                    const unsigned char* offered, unsigned int offered_size, void* /*context*/) {
    unsigned char* choice = nullptr;
    const int result = SSL_select_next_proto(
        &choice, chosen_size, reinterpret_cast<const unsigned char*>(alpn_http_1_1.data()),
        static_cast<unsigned int>(alpn_http_1_1.size()), offered, offered_size);
    *chosen = choice;
    return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

/// Replaces OpenSSL's prompt on the terminal. `encrypted` is a bool that becomes true.
int refuse_pass_phrase(char* /*buffer*/, int /*size*/, int /*writing*/, void* encrypted) {
    *static_cast<bool*>(encrypted) = true;
    return -1;
}

/// Why the key could not be used.
std::unexpected<Error> key_failure(const std::string& key, const std::string& certificate,
                                   bool encrypted) {
    const auto reason = last_tls_error();
    if (encrypted) {
        return fail(ErrorCode::io_failed,
                    fmt::format("the key {} is encrypted, and nobody can type its pass phrase when "
                                "a server starts; give a decrypted one: openssl pkey -in {} -out "
                                "FILE, with mode 0600",
                                key, key));
    }
    return fail(ErrorCode::io_failed,
                fmt::format("cannot use the key {}: {}; give the unencrypted PEM key of {}", key,
                            reason, certificate));
}

}  // namespace

Result<TlsContext> load_tls_context(const std::string& certificate, const std::string& key) {
    TlsContext context{SSL_CTX_new(TLS_server_method())};
    if (!context) {
        return fail(ErrorCode::io_failed, fmt::format("TLS cannot start: {}", last_tls_error()));
    }
    SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
    SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                           SSL_OP_CIPHER_SERVER_PREFERENCE);
    SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE |
                                        SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                        SSL_MODE_RELEASE_BUFFERS);
    // Sessions are resumed by tickets, which the clients store.
    SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
    SSL_CTX_set_alpn_select_cb(context.get(), choose_protocol, nullptr);
    bool encrypted = false;
    SSL_CTX_set_default_passwd_cb(context.get(), refuse_pass_phrase);
    SSL_CTX_set_default_passwd_cb_userdata(context.get(), &encrypted);
    if (SSL_CTX_use_certificate_chain_file(context.get(), certificate.c_str()) != 1) {
        return fail(ErrorCode::io_failed,
                    fmt::format("cannot read the certificate {}: {}; give a PEM file that this "
                                "process may read",
                                certificate, last_tls_error()));
    }
    if (SSL_CTX_use_PrivateKey_file(context.get(), key.c_str(), SSL_FILETYPE_PEM) != 1) {
        return key_failure(key, certificate, encrypted);
    }
    SSL_CTX_set_default_passwd_cb_userdata(context.get(), nullptr);
    return context;
}

}  // namespace merpati::http
