// TLS sessions with servers, by origin.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>

#include <openssl/ssl.h>

namespace merpati::outbound {

struct FreeTlsSession {
    void operator()(SSL_SESSION* session) const { SSL_SESSION_free(session); }
};
using TlsSession = std::unique_ptr<SSL_SESSION, FreeTlsSession>;

/// The latest session with each origin. It shortens the next handshake, also when no connection of
/// the origin is open any more; how long it is good for, its server decides.
///
/// Limits: `origins_max`; a further origin takes the place of another one. A session is 5 to 10 KiB
/// with its server's certificate.
///
/// Threads: the client's one.
class TlsSessions {
public:
    static constexpr std::size_t origins_max = 512;

    /// Null: there is none.
    [[nodiscard]] SSL_SESSION* find(const std::string& origin) const {
        const auto found = sessions_.find(origin);
        return found == sessions_.end() ? nullptr : found->second.get();
    }

    void put(const std::string& origin, TlsSession session) {
        if (sessions_.size() >= origins_max && !sessions_.contains(origin)) {
            sessions_.erase(sessions_.begin());
        }
        sessions_.insert_or_assign(origin, std::move(session));
    }

private:
    std::unordered_map<std::string, TlsSession> sessions_;
};

}  // namespace merpati::outbound
