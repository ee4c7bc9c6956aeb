// The whole gateway: creates the rooms, connects them, starts and stops them in order.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/random.hpp"
#include "config/settings.hpp"
#include "telemetry/log.hpp"

namespace merpati::store {
class Store;
}

namespace merpati::daemon {

class AccountKeeper;
class Front;
class Node;
struct NodeContacts;

/// Waits for some time. True: the process should stop.
using Pause = std::function<bool(std::chrono::milliseconds)>;
[[nodiscard]] Pause never_stopped();

/// The service manager that started the process: systemd, or none.
struct ServiceManager {
    std::string notify_socket;  // $NOTIFY_SOCKET
    /// How long the server may go without a keep-alive message; empty: there is no watchdog.
    std::optional<std::chrono::microseconds> watchdog{};
};

/// Operation: `start` opens the store, recovers waiting work, connects the devices, and listens
/// last. It waits up to 5 s for a command that has the stopped server's store open, and, as long as
/// it takes, for another node that works alone on the same database (node.hpp). With other nodes
/// (cluster.listen) it listens first, working for no account; their shards come and go while it
/// runs. `stop` first refuses new connections, then starts no new sends. It waits for the outcomes
/// of sends in flight, stops the connectors, which report the remaining outcomes they know, and
/// commits them. Then it finishes open requests and callback attempts, and closes the store. These
/// waits have deadlines; the next start decides about work that missed one.
///
/// Watchdog: notified only while the store's thread and the scheduler answer; see health.hpp.
///
/// Faults: if the store cannot commit or checkpoint, the process ends at once, without answering
/// open requests: exit code 74 (EX_IOERR), or 65 (EX_DATAERR) if damage prevents every write. With
/// a database, which others may have mended by the next start, it is 75 (EX_TEMPFAIL) instead of
/// 74, so that the service manager starts it anew; also if another node has taken over. Smaller
/// damage and a full disk make the server not ready; see
/// store/condition.hpp.
class Gateway {
public:
    static constexpr int exit_store_failed = 74;
    static constexpr int exit_store_damaged = 65;
    static constexpr int exit_try_again = 75;

    // If it could not start (EX_CONFIG): the key file, the schema or the tables are not those of
    // this program, so that only another file, store or program helps.
    static constexpr int exit_store_unfit = 78;
    static constexpr int exit_wrong_settings = 2;

    Gateway(const Clock& clock, Random& random, const config::Settings& settings,
            ServiceManager service_manager, telemetry::Log log);
    ~Gateway();

    /// Errors: those of the room that cannot start, with a sentence for the operator; shutting_down
    /// if `pause` said so while another node worked. Call `stop`, or destroy the gateway, after an
    /// error too.
    [[nodiscard]] Result<void> start(const Pause& pause = never_stopped());

    /// Idempotent.
    void stop();

    /// Moves accounts while the gateway runs.
    [[nodiscard]] AccountKeeper& accounts() noexcept;

private:
    class Rooms;
    [[nodiscard]] NodeContacts contacts() const;

    const Clock& clock_;
    Random& random_;
    config::Settings settings_;
    const ServiceManager service_manager_;
    const telemetry::Log log_;
    // Each uses those before it, and is destroyed before them.
    std::unique_ptr<store::Store> store_;
    std::unique_ptr<Front> front_;  // Null: this node is alone.
    std::unique_ptr<Node> node_;    // Null: no other process can share the store.
    std::unique_ptr<Rooms> rooms_;
};

}  // namespace merpati::daemon
