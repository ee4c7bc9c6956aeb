#include "daemon/serve.hpp"

#include <chrono>
#include <csignal>
#include <ctime>
#include <memory>
#include <string>
#include <unistd.h>

#include "base/periodic_thread.hpp"
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

    /// Whether a signal arrives within this time.
    [[nodiscard]] bool arrive_within(std::chrono::milliseconds time) const {
        const auto whole = std::chrono::floor<std::chrono::seconds>(time);
        const timespec limit{.tv_sec = whole.count(),
                             .tv_nsec = std::chrono::nanoseconds{time - whole}.count()};
        return sigtimedwait(&set_, nullptr, &limit) > 0;
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

/// A gateway that has started, or why it has not: empty if a signal came first.
using Started = Result<std::unique_ptr<Gateway>>;

/// Starts the gateway. While its database cannot be reached, it tries again each second, because
/// after a power cut both start at once.
Started start(const config::Loaded& loaded, const ServiceManager& service_manager,
              const Clock& clock, Random& random, const telemetry::Log& log,
              const StopSignals& signals) {
    constexpr std::chrono::seconds restart_every{1};
    std::string logged;
    PeriodicThread
        alive;  // systemd watches a server that has waited; what it then reads may be long.
    if (service_manager.watchdog) {
        alive.start("start", Millis{0}, [&]() -> PeriodicThread::Pause {
            telemetry::notify_systemd(service_manager.notify_socket, "WATCHDOG=1");
            return std::chrono::duration_cast<std::chrono::milliseconds>(*service_manager.watchdog /
                                                                         3);
        });
    }
    for (;;) {
        auto gateway =
            std::make_unique<Gateway>(clock, random, loaded.settings, service_manager, log);
        // systemd counts a server that waits for another one as started.
        auto started = gateway->start([&](std::chrono::milliseconds time) {
            telemetry::notify_systemd(service_manager.notify_socket,
                                      "READY=1\nSTATUS=waits for another node");
            return signals.arrive_within(time);
        });
        if (started) {
            return gateway;
        }
        if (started.error().code == ErrorCode::shutting_down) {
            return nullptr;
        }
        if (started.error().code != ErrorCode::unavailable) {
            return pass(started);
        }
        if (const auto& why = started.error().detail; why != logged) {
            log.error("waits for the database", {{"why", why}});
            logged = why;
        }
        // A database server that recovers after a crash may need longer than systemd waits.
        telemetry::notify_systemd(service_manager.notify_socket, "EXTEND_TIMEOUT_USEC=60000000");
        if (signals.arrive_within(restart_every)) {
            return nullptr;
        }
    }
}

}  // namespace

int exit_code_of(const Error& why) {
    if (why.code == ErrorCode::fenced) {  // It was frozen while it waited: the next one waits anew.
        return Gateway::exit_try_again;
    }
    if (why.code == ErrorCode::damaged) {
        return Gateway::exit_store_damaged;
    }
    if (why.code == ErrorCode::conflict) {
        return Gateway::exit_store_unfit;
    }
    return why.code == ErrorCode::invalid_argument ? Gateway::exit_wrong_settings : 1;
}

ServiceManager service_manager_of(const std::map<std::string, std::string>& environment) {
    const auto value = [&](const char* name) {
        const auto found = environment.find(name);
        return found == environment.end() ? std::string{} : found->second;
    };
    return {.notify_socket = value("NOTIFY_SOCKET"),
            .watchdog = telemetry::watchdog_period(value("WATCHDOG_USEC"), value("WATCHDOG_PID"),
                                                   ::getpid())};
}

int serve(const config::Loaded& loaded, const ServiceManager& service_manager) {
    const StopSignals signals;
    const SystemClock clock;
    SystemRandom random;
    const telemetry::Log log = make_log(clock, loaded.settings.log);
    const auto started = start(loaded, service_manager, clock, random, log, signals);
    if (!started) {
        log.error("cannot start", {{"why", started.error().detail}});
        return exit_code_of(started.error());
    }
    const auto& gateway = *started;
    if (gateway == nullptr) {
        log.info("stopped");
        return 0;
    }
    telemetry::notify_systemd(service_manager.notify_socket, "READY=1\nSTATUS=");
    signals.wait();
    log.info("stopping; a second signal ends the process at once");
    telemetry::notify_systemd(service_manager.notify_socket, "STOPPING=1");
    signals.let_through();
    gateway->stop();
    log.info("stopped");
    return 0;
}

}  // namespace merpati::daemon
