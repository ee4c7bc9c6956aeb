// Addresses of Unix sockets, for paths of any length.
#pragma once

#include <string>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/error.hpp"
#include "base/file_descriptor.hpp"

namespace merpati::http {

/// A Unix socket's address has room for a path of 107 bytes. A longer path is replaced by one
/// through its opened directory, "/proc/self/fd/7/merpati.sock"; then only the file name must be
/// short (about 85 bytes).
///
/// The address is valid for bind and connect as long as the object lives.
class LocalAddress {
public:
    /// Errors: io_failed (the directory of a long path cannot be opened), invalid_argument (the
    /// path is empty or has a NUL, or the file name is too long).
    [[nodiscard]] static Result<LocalAddress> of(const std::string& path);

    [[nodiscard]] const sockaddr* data() const noexcept {
        return reinterpret_cast<const sockaddr*>(&address_);
    }
    [[nodiscard]] socklen_t size() const noexcept { return sizeof address_; }

    /// The path in the address, for chmod and unlink.
    [[nodiscard]] const char* path() const noexcept { return address_.sun_path; }

private:
    LocalAddress() = default;

    FileDescriptor directory_;
    sockaddr_un address_{};
};

}  // namespace merpati::http
