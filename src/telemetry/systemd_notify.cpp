#include "telemetry/systemd_notify.hpp"

#include <cstddef>
#include <cstring>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace merpati::telemetry {

void notify_systemd(const std::string& notify_socket, std::string_view state) noexcept {
    sockaddr_un address{};
    if (notify_socket.empty() || notify_socket.size() >= sizeof address.sun_path) {
        return;
    }
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, notify_socket.data(), notify_socket.size());
    if (address.sun_path[0] == '@') {
        address.sun_path[0] = '\0';
    }
    const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (socket < 0) {
        return;
    }
    const auto size =
        static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + notify_socket.size());
    (void)::sendto(socket, state.data(), state.size(), MSG_NOSIGNAL,
                   reinterpret_cast<const sockaddr*>(&address), size);
    ::close(socket);
}

}  // namespace merpati::telemetry
