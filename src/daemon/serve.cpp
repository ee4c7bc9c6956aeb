#include "daemon/serve.hpp"

#include <csignal>
#include <thread>
#include <unistd.h>

#include "base/random.hpp"
#include "base/thread.hpp"
#include "daemon/gateway.hpp"
#include "daemon/options.hpp"
#include "telemetry/log.hpp"
#include "telemetry/systemd_notify.hpp"

namespace merpati::daemon {
namespace {

/// The signals that stop the server: SIGTERM, SIGINT (Ctrl-C) and SIGHUP (a terminal closes; unless
/// ignored, as under nohup). Blocked before any thread starts, so that only `wait` receives them.
class StopSignals {
public:
    StopSignals() {
        sigemptyset(&set_);
        sigaddset(&set_, SIGTERM);
        sigaddset(&set_, SIGINT);
        struct sigaction hang_up{};
        if (sigaction(SIGHUP, nullptr, &hang_up) == 0 && hang_up.sa_handler != SIG_IGN) {
            sigaddset(&set_, SIGHUP);
        }
        pthread_sigmask(SIG_BLOCK, &set_, nullptr);
        std::signal(SIGPIPE, SIG_IGN);
    }

    void wait() const {
        int signal = 0;
        sigwait(&set_, &signal);
    }

    /// From now on a signal ends the process at once.
    void let_through() const {
        std::signal(SIGTERM, SIG_DFL);
        std::signal(SIGINT, SIG_DFL);
        pthread_sigmask(SIG_UNBLOCK, &set_, nullptr);
    }

private:
    sigset_t set_;
};

}  // namespace

Supervisor supervisor_of(const std::map<std::string, std::string>& environment) {
    const auto value = [&](const char* name) {
        const auto found = environment.find(name);
        return found == environment.end() ? std::string{} : found->second;
    };
    return {.notify_socket = value("NOTIFY_SOCKET"),
            .watchdog = telemetry::watchdog_period(value("WATCHDOG_USEC"), value("WATCHDOG_PID"),
                                                   ::getpid())};
}

int serve(const config::Loaded& loaded, const Supervisor& supervisor) {
    const StopSignals signals;
    const SystemClock clock;
    SystemRandom random;
    const telemetry::Log log = make_log(clock, loaded.settings.log);
    Gateway gateway{clock, random, loaded.settings, supervisor, log};
    if (const auto started = gateway.start(); !started) {
        log.error("cannot start", {{"why", started.error().detail}});
        return started.error().code == ErrorCode::damaged ? Gateway::exit_store_damaged : 1;
    }
    telemetry::notify_systemd(supervisor.notify_socket, "READY=1");
    signals.wait();
    log.info("stopping; a second signal ends the process at once");
    telemetry::notify_systemd(supervisor.notify_socket, "STOPPING=1");
    signals.let_through();
    gateway.stop();
    log.info("stopped");
    return 0;
}

}  // namespace merpati::daemon
