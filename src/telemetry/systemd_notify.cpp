#include "telemetry/systemd_notify.hpp"

#include <charconv>
#include <cstddef>
#include <cstring>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/file_descriptor.hpp"

namespace merpati::telemetry {
namespace {

std::optional<long> number(std::string_view text) noexcept {
    long value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc{} && end == text.data() + text.size();
    return whole && value > 0 ? std::optional{value} : std::nullopt;
}

}  // namespace

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
    const FileDescriptor socket{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
    if (!socket) {
        return;
    }
    const auto size =
        static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + notify_socket.size());
    (void)::sendto(socket.get(), state.data(), state.size(), MSG_NOSIGNAL,
                   reinterpret_cast<const sockaddr*>(&address), size);
}

std::optional<std::chrono::microseconds> watchdog_period(std::string_view watchdog_usec,
                                                         std::string_view watchdog_pid,
                                                         long own_pid) noexcept {
    const auto period = number(watchdog_usec);
    if (!period || (!watchdog_pid.empty() && number(watchdog_pid) != own_pid)) {
        return std::nullopt;
    }
    return std::chrono::microseconds{*period};
}

}  // namespace merpati::telemetry
