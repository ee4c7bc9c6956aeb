// The simulated platform's devices: their states and their pairing.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/clock.hpp"
#include "connector/connector.hpp"
#include "connector/patient_secrets.hpp"
#include "connector/simulator/pairing.hpp"

namespace merpati::connector::simulator {

/// Operation: a device that needs no pairing connects at once; another connects with the secret of
/// an earlier pairing, or is paired step by step. Starting, stopping or forgetting a device ends
/// its pairing. A secret that cannot be read or stored because the gateway is busy is asked for
/// again after Options::step.
///
/// Threads: any. States are reported under the lock, so that reports have the order of the states.
class SimulatedDevices {
public:
    /// Runs a function after Options::step, on the simulator's thread.
    using Later = PatientSecrets::Later;

    SimulatedDevices(const Clock& clock, Later later)
        : clock_(clock), later_(std::move(later)), secrets_(later_) {}

    void begin(ConnectorEvents& events, DeviceSecrets& secrets);

    /// Called when a device has connected, without the lock.
    std::function<void(model::PhoneNumber)> on_connected;

    void start(const model::Device& device, std::string_view method);
    /// Errors: conflict (the answer is wrong, or nothing asks for one).
    Result<void> answer(model::PhoneNumber number, std::string_view answer);
    void stop(model::PhoneNumber number);
    void forget(model::PhoneNumber number);

    [[nodiscard]] bool is_connected(model::PhoneNumber number) const;

    /// Call for each send. A device whose number ends in 997004 is restricted for a minute with its
    /// first one. Returns until when the device may not send to the recipient; empty: it may.
    [[nodiscard]] std::optional<Timestamp> restrict_send(model::PhoneNumber number,
                                                         std::string_view recipient);
    /// The sender wrote to the device, so the device may always answer.
    void note_inbound(model::PhoneNumber number, std::string_view sender);

    /// Plays a worker that dies: all connections are lost, and come back after Options::step.
    void lose_all();

private:
    struct Device {
        model::DeviceState state = model::DeviceState::disconnected;
        std::optional<Pairing> pairing;
        std::optional<Timestamp> restricted_until;  // Empty: it was never restricted.
        std::set<std::string, std::less<>> wrote;   // To it, if it can be restricted.
        int turn = 0;  // Of its last start or stop; work planned for an earlier turn is void.
    };

    [[nodiscard]] bool is_current(model::PhoneNumber number, int turn) const;
    void set(model::PhoneNumber number, model::DeviceState state, std::string_view reason);
    void set_online(model::PhoneNumber number);
    void connect(model::PhoneNumber number, int turn);
    void find_secret(model::PhoneNumber number, int turn, std::string method);
    void pair(model::PhoneNumber number, int turn, std::string method);
    void go_on(model::PhoneNumber number, int turn);
    void do_next(model::PhoneNumber number, Device& device, Pairing::Next next);
    void keep_secret(model::PhoneNumber number, int turn);
    void give_up(model::PhoneNumber number, int turn);

    const Clock& clock_;
    const Later later_;
    ConnectorEvents* events_ = nullptr;
    PatientSecrets secrets_;
    mutable std::mutex mutex_;
    int turns_ = 0;  // Of all devices: a number that is added again begins no turn anew.
    std::unordered_map<model::PhoneNumber, Device> devices_;
};

}  // namespace merpati::connector::simulator
