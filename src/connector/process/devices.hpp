// The devices that a worker is to keep connected.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include <boost/json/object.hpp>

#include "base/clock.hpp"
#include "connector/connector.hpp"
#include "connector/process/worker.hpp"

namespace merpati::connector::process {

/// Operation: holds each device from `start` until it is stopped, or until the worker reports that
/// it is disconnected for good. Asks every new worker to start all of them, and asks again where a
/// start fails for a passing reason. A device that was not connected before is given up as
/// `disconnected` after 60 s of failures. While there is no worker, devices that were connected are
/// `reconnecting`.
///
/// States and pairing steps of a device are taken only after the answer to its `device.start`:
/// earlier ones belong to an earlier start.
///
/// Threads: one.
class Devices {
public:
    using Ask =
        std::function<void(std::string_view op, boost::json::object fields, Worker::Answered done)>;

    explicit Devices(const Clock& clock) : clock_(clock) {}

    void begin(ConnectorEvents& events) { events_ = &events; }
    /// Forgets all devices: the worker's states and pairing steps are ignored from then on.
    void end() { devices_.clear(); }

    void start(const model::Device& device, std::string_view pairing_method);
    void answer(model::PhoneNumber number, std::string_view answer);
    void stop(model::PhoneNumber number);
    void forget(model::PhoneNumber number);
    /// Stops the device. `settled` gets an error (busy) if the worker does not confirm in time that
    /// the device has stopped; without a worker it succeeds at once.
    void settle(model::PhoneNumber number, Connector::Settled settled);

    void worker_ready(Ask ask);
    void worker_gone(bool cannot_start);
    /// Asks again to start devices that the worker could not start before.
    void tick();

    [[nodiscard]] bool is_started(model::PhoneNumber number) const;
    /// The device's account; an empty id for a device that is not held here.
    [[nodiscard]] model::AccountId account_of(model::PhoneNumber number) const;
    /// Applies a state that the worker reported of a started device.
    void follow(model::PhoneNumber number, model::DeviceState state);

private:
    struct Device {
        model::AccountId account;
        std::string pairing;  // The pairing method that was asked for; empty: none.
        bool up = false;      // It was connected, and shall be connected again.
        bool started = false;
        std::uint64_t turn = 0;  // Of the latest `device.start`; answers to earlier ones are stale.
        SteadyTime again_at = SteadyTime::max();  // When to ask again.
        std::optional<SteadyTime>
            failing_since;  // Empty: no start has failed since the last success.
    };

    void ask_start(model::PhoneNumber number, Device& device);
    void started(model::PhoneNumber number, std::uint64_t turn, const Frame* answer);
    void await_worker(model::PhoneNumber number, const Device& device, std::string_view why);
    void report(model::PhoneNumber number, model::DeviceState state, std::string_view reason);

    const Clock& clock_;
    ConnectorEvents* events_ = nullptr;
    Ask ask_;  // Empty: there is no worker.
    bool cannot_start_ = false;
    std::uint64_t turns_ = 0;
    std::unordered_map<model::PhoneNumber, Device> devices_;
};

}  // namespace merpati::connector::process
