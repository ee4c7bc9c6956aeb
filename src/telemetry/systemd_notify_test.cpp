#include "telemetry/systemd_notify.hpp"

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace merpati::telemetry {
namespace {

/// Stands in for systemd: a datagram socket that receives states.
class Listener {
public:
    explicit Listener(const std::string& name) : socket_(::socket(AF_UNIX, SOCK_DGRAM, 0)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::memcpy(address.sun_path, name.data(), name.size());
        if (name.front() == '@') {
            address.sun_path[0] = '\0';
        }
        const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
        EXPECT_EQ(::bind(socket_, reinterpret_cast<const sockaddr*>(&address), size), 0);
    }
    ~Listener() { ::close(socket_); }
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    /// The next state, or empty if none has come. A datagram has arrived once it was sent.
    std::string received() const {
        std::string state(256, '\0');
        const auto size = ::recv(socket_, state.data(), state.size(), MSG_DONTWAIT);
        state.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
        return state;
    }

private:
    int socket_;
};

std::string own_name(std::string_view start) {
    return std::string{start} + "merpati_notify_test_" + std::to_string(::getpid());
}

TEST(SystemdNotifyTest, TellsStatesThroughASocketInTheFileSystem) {
    const auto name = own_name("/tmp/");
    {
        const Listener systemd{name};
        notify_systemd(name, "READY=1");
        notify_systemd(name, "STOPPING=1");
        EXPECT_EQ(systemd.received(), "READY=1");
        EXPECT_EQ(systemd.received(), "STOPPING=1");
        EXPECT_EQ(systemd.received(), "");
    }
    std::filesystem::remove(name);
}

TEST(SystemdNotifyTest, TellsStatesThroughAnAbstractSocket) {
    const auto name = own_name("@");
    const Listener systemd{name};
    notify_systemd(name, "WATCHDOG=1");
    EXPECT_EQ(systemd.received(), "WATCHDOG=1");
}

TEST(SystemdNotifyTest, WithoutSystemdNothingHappens) {
    notify_systemd("", "READY=1");
    notify_systemd("/nonexistent/notify", "READY=1");
    notify_systemd(std::string(4096, 'x'), "READY=1");
}

TEST(SystemdNotifyTest, FeedsTheWatchdogOnlyWhereItIsSetForThisProcess) {
    using namespace std::chrono_literals;
    EXPECT_EQ(watchdog_period("30000000", "", 7), 30s);
    EXPECT_EQ(watchdog_period("30000000", "7", 7), 30s);
    EXPECT_EQ(watchdog_period("30000000", "8", 7), std::nullopt);
    for (const auto* wrong : {"", "0", "-1", "30s", "99999999999999999999"}) {
        EXPECT_EQ(watchdog_period(wrong, "", 7), std::nullopt) << wrong;
    }
}

}  // namespace
}  // namespace merpati::telemetry
