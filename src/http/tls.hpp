// The server's certificate and its TLS settings.
#pragma once

#include <memory>
#include <string>

#include <openssl/ssl.h>

#include "base/error.hpp"

namespace merpati::http {

struct TlsContextDeleter {
    void operator()(SSL_CTX* context) const noexcept { SSL_CTX_free(context); }
};
using TlsContext = std::unique_ptr<SSL_CTX, TlsContextDeleter>;

/// Reads a certificate chain and its key (PEM). TLS 1.2 and 1.3. ALPN selects http/1.1 and refuses
/// clients that offer only other protocols. Renegotiation is refused. Idle connections keep no
/// buffers. Errors: io_failed, with the file that cannot be used and the remedy.
[[nodiscard]] Result<TlsContext> load_tls_context(const std::string& certificate,
                                                  const std::string& key);

}  // namespace merpati::http
