// Addresses of Unix sockets, of any length.
#pragma once

#include <string>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/error.hpp"
#include "base/file_descriptor.hpp"

namespace merpati::http {

/// A Unix socket's address has room for 107 bytes of path. A longer one is reached through its
/// opened directory: "/proc/self/fd/7/merpati.sock". Only the file's own name must then be short
/// (about 80 bytes).
///
/// Valid for bind and connect as long as the object lives.
class LocalAddress {
public:
    /// Errors: io_failed (the directory cannot be opened), invalid_argument (empty, a NUL, or the
    /// name too long).
    [[nodiscard]] static Result<LocalAddress> of(const std::string& path);

    [[nodiscard]] const sockaddr* data() const noexcept {
        return reinterpret_cast<const sockaddr*>(&address_);
    }
    [[nodiscard]] socklen_t size() const noexcept { return sizeof address_; }

    /// The path as the address spells it, for chmod and unlink.
    [[nodiscard]] const char* path() const noexcept { return address_.sun_path; }

private:
    LocalAddress() = default;

    FileDescriptor directory_;
    sockaddr_un address_{};
};

}  // namespace merpati::http
