// What handlers ask of the devices of a running server, or of a stopped server's store.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "model/device.hpp"
#include "store/tables.hpp"

namespace merpati::api::manage {

/// The state of a device's pairing, with its latest step.
struct Pairing {
    bool under_way = false;
    std::string method;   // Empty: there is no step.
    std::string payload;  // What a person must scan, type in or answer.
    std::optional<Timestamp> expires_at;
    std::string reason;  // Why it ended without connecting the device.
};

/// What a running server knows of one of its connectors.
struct ConnectorFacts {
    std::string name;
    std::vector<std::string> pairing;        // The methods; empty: a device needs no pairing.
    std::string trouble;                     // Why it does not run; empty: it runs.
    std::size_t text_characters_max = 4096;  // The longest text that it takes.
};

/// Operations on devices that differ between a running server, which has connectors, and a stopped
/// server's store, where only the record changes.
class DeviceControl {
public:
    virtual ~DeviceControl() = default;

    /// All connectors of this server, by name.
    [[nodiscard]] virtual std::vector<ConnectorFacts> connectors() const = 0;

    /// Sets the initial state and pace of a new device. Errors: refused (no such connector here).
    [[nodiscard]] virtual Result<void> prepare(model::Device& device) = 0;

    /// Runs in the transaction that adds a device. Stores the notice of its first state for its
    /// webhook.
    [[nodiscard]] virtual Result<void> announce(store::Tables& tables,
                                                const model::Device& device) = 0;

    /// Runs in the transaction that gives a device what it needs to connect. Sets it `connected`,
    /// with the notice for its webhook.
    [[nodiscard]] virtual Result<void> mark_connected(store::Tables& tables,
                                                      const model::Device& device) = 0;

    /// Whether `connect` refuses a device that was exported.
    enum class Exported : std::uint8_t { refuse, connect };

    /// Both answer the device as it is afterwards, with its state committed and in the directory.
    /// While its connector is still at work, the state is `reconnecting` or `pairing`.
    /// Errors: not_found, refused (no such connector, pairing needed), conflict (it was exported,
    /// or is being moved), busy, store_failed; `connect` also too_many_requests, as `pair`.
    [[nodiscard]] virtual Result<model::Device> connect(model::PhoneNumber number,
                                                        Exported exported) = 0;
    [[nodiscard]] virtual Result<model::Device> disconnect(model::PhoneNumber number) = 0;

    /// Whether `pair` by this method may begin now. Errors: those of `pair`.
    [[nodiscard]] virtual Result<void> check_pairing(model::PhoneNumber number,
                                                     std::string_view method) const = 0;

    /// After too_many_requests: how long until the device may be connected or paired again.
    [[nodiscard]] virtual std::chrono::seconds pairing_wait(model::PhoneNumber) const { return {}; }

    /// Begins to pair the device by `method`; empty: the connector's default. `queue`: what happens
    /// to messages that wait for it; empty: as chosen for the pairing under way, else `hold`. A
    /// device that was exported is paired again without its old secrets. A method that is refused
    /// changes nothing. Errors: refused (no such connector, no such method, the server is stopped),
    /// conflict (it is being moved), not_found, busy, too_many_requests (it or another device of
    /// its account was paired too often).
    [[nodiscard]] virtual Result<void> pair(model::PhoneNumber number, std::string method,
                                            std::optional<model::QueueChoice> queue) = 0;
    /// Gives the answer to a step that asks for one, and waits until the connector has taken it.
    /// Errors: conflict (it is wrong), busy, timeout, unreachable, not_found.
    [[nodiscard]] virtual Result<void> answer(model::PhoneNumber number, std::string answer) = 0;
    [[nodiscard]] virtual Pairing pairing(model::PhoneNumber number) const = 0;

    /// While this object exists, the device is not connected or paired, and its connector does not
    /// write its secrets.
    class Stillness {
    public:
        virtual ~Stillness() = default;
    };
    /// Errors: conflict (the device is connected, connecting or pairing, or is being moved),
    /// refused (its connector keeps no secrets, or is not here), not_found, busy.
    [[nodiscard]] virtual Result<std::unique_ptr<Stillness>> keep_still(
        model::PhoneNumber number) = 0;
};

}  // namespace merpati::api::manage
