// The server's certificate and what it accepts of TLS.
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

/// Reads a certificate chain and its key (PEM). TLS 1.2 and 1.3; ALPN offers http/1.1 alone and
/// refuses clients that offer only others; renegotiation is refused; buffers of idle connections
/// are released. Errors: io_failed, naming the file at fault.
[[nodiscard]] Result<TlsContext> load_tls_context(const std::string& certificate,
                                                  const std::string& key);

}  // namespace merpati::http
