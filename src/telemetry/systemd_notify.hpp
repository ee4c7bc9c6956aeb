// Reports the state of the service to systemd, by the protocol of sd_notify(3).
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace merpati::telemetry {

/// Sends `state` ("READY=1", "STOPPING=1") to the datagram socket of $NOTIFY_SOCKET, which the
/// caller passes in; an abstract one begins with '@'. Without one, or when nobody listens, nothing
/// happens: the service runs as well without systemd.
void notify_systemd(const std::string& notify_socket, std::string_view state) noexcept;

/// The longest time that systemd allows between two "WATCHDOG=1": $WATCHDOG_USEC, unless
/// $WATCHDOG_PID names another process. Empty: it expects none.
[[nodiscard]] std::optional<std::chrono::microseconds> watchdog_period(
    std::string_view watchdog_usec, std::string_view watchdog_pid, long own_pid) noexcept;

}  // namespace merpati::telemetry
