// The devices that a worker shall keep connected.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include <boost/json/object.hpp>

#include "base/clock.hpp"
#include "connector/connector.hpp"
#include "connector/process/worker.hpp"

namespace merpati::connector::process {

/// Operation: holds each device from `start` until it is stopped, or the worker says that it is not
/// connected any more; asks every new worker to start them all. While there is no worker, those
/// that were connected are `reconnecting`.
///
/// What the worker says of a device is taken from the answer to `device.start` on: before, it
/// belongs to an earlier start.
///
/// Threads: one.
class Devices {
public:
    using Ask =
        std::function<void(std::string_view op, boost::json::object fields, Worker::Answered done)>;

    explicit Devices(const Clock& clock) : clock_(clock) {}

    void begin(ConnectorEvents& events) { events_ = &events; }
    /// Nothing is taken or reported any more.
    void end() { devices_.clear(); }

    void start(const model::Device& device, std::string_view pairing_method);
    void answer(model::PhoneNumber number, std::string_view answer);
    void stop(model::PhoneNumber number);
    void forget(model::PhoneNumber number);
    /// Stops it where it is started. `settled` gets an error where the worker did not say in time
    /// that it has stopped.
    void settle(model::PhoneNumber number, Connector::Settled settled);

    void worker_ready(Ask ask);
    void worker_gone(bool cannot_start);
    /// Asks again for what a worker could not start just now.
    void tick();

    [[nodiscard]] bool is_started(model::PhoneNumber number) const;
    /// Whose the device is; of one that is not held here: nobody's.
    [[nodiscard]] model::AccountId account_of(model::PhoneNumber number) const;
    /// What the worker reported of a device that is started.
    void follow(model::PhoneNumber number, model::DeviceState state);

private:
    struct Device {
        model::AccountId account;
        std::string pairing;  // How somebody asked to pair it; empty: nobody did.
        bool up = false;      // It was connected, and shall be again.
        bool started = false;
        std::uint64_t turn = 0;  // An answer to an earlier start counts no more.
        SteadyTime again_at = SteadyTime::max();
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
