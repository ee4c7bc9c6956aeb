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
#include "connector/process/worker/start_queue.hpp"
#include "connector/process/worker/worker.hpp"

namespace merpati::connector::process {

/// Operation: holds each device from `start` until it is stopped, or until the worker reports that
/// it is disconnected for good. Asks every new worker to start all of them, and asks again where a
/// start fails for a passing reason. A device that was not connected before is given up as
/// `disconnected` after 60 s of failures. While there is no worker, devices that were connected are
/// `reconnecting`. Starts leave at a limited rate, in turns of the accounts (StartQueue).
///
/// Generations: each start of a device has a number above all earlier ones, which the worker
/// repeats in everything that it says and stores for the device. A start that is repeated while the
/// device is started has the same number; a new worker, a stop, a forget, a final state or another
/// device with the number has a new one. A generation may write until the worker has confirmed its
/// stop, or a newer one has been asked for. So nothing of an earlier start, or of an earlier owner
/// of the number, is taken for the present one. The numbers begin at the wall clock's milliseconds:
/// after a restart they are above the earlier ones, if the clock was not set back. Nothing depends
/// on that, because no worker outlives its connection to the gateway.
///
/// Workers that know no generations: states and pairing steps of a device are taken only after the
/// answer to its `device.start`, because earlier ones belong to an earlier start.
///
/// Threads: one.
class WorkerDevices {
public:
    using Ask =
        std::function<void(std::string_view op, boost::json::object fields, Worker::Answered done)>;

    WorkerDevices(const Clock& clock, std::size_t starts_per_second)
        : clock_(clock), starts_(clock, starts_per_second) {}

    void begin(ConnectorEvents& events) { events_ = &events; }
    /// Forgets all devices: the worker's states and pairing steps are ignored from then on.
    void end() { devices_.clear(); }

    void start(const model::Device& device, std::string_view pairing_method);
    void answer(model::PhoneNumber number, std::string_view answer, Connector::Settled settled);
    void stop(model::PhoneNumber number);
    void forget(model::PhoneNumber number);
    /// Stops the device. `settled` gets an error (busy) if the worker does not confirm in time that
    /// the device has stopped; without a worker it succeeds at once.
    void settle(model::PhoneNumber number, Connector::Settled settled);

    void worker_ready(Ask ask);
    void worker_gone(bool cannot_start);
    /// Starts the devices whose turn has come, and those again that the worker could not start.
    void tick();

    [[nodiscard]] bool is_started(model::PhoneNumber number) const;
    /// The device for which the worker may report and store now: that of the number's latest start.
    /// Empty: there was none, or the worker has confirmed its end.
    [[nodiscard]] std::optional<model::DeviceIdentity> writer(model::PhoneNumber number) const;
    /// Whether `generation` is that of the device that `writer` returns.
    [[nodiscard]] bool is_latest(model::PhoneNumber number, std::uint64_t generation) const;
    /// Whether states and pairing steps of the device are taken. `generation` 0: the worker knows
    /// none.
    [[nodiscard]] bool takes_states(model::PhoneNumber number, std::uint64_t generation) const;
    /// The device's account; an empty id for a device that is not held here.
    [[nodiscard]] model::AccountId account_of(model::PhoneNumber number) const;
    /// Applies a state that the worker reported of a started device.
    void follow(model::PhoneNumber number, model::DeviceState state);

private:
    struct Device {
        model::DeviceIdentity identity;
        std::string pairing;  // The pairing method that was asked for; empty: none.
        bool up = false;      // It was connected, and shall be connected again.
        bool started = false;
        std::uint64_t generation = 0;
        std::uint64_t turn = 0;  // Of the latest `device.start`; answers to earlier ones are late.
        SteadyTime again_at = SteadyTime::max();  // When to ask again.
        std::optional<SteadyTime>
            failing_since;  // Empty: no start has failed since the last success.
    };
    /// The latest generation of a number that this worker was asked to start, until it has ended.
    struct Run {
        model::DeviceIdentity device;
        std::uint64_t generation = 0;
    };

    [[nodiscard]] DeviceRef ref_of(model::PhoneNumber number) const;
    void begin_starts();
    [[nodiscard]] Worker::Answered when_ended(model::PhoneNumber number, Connector::Settled then);
    void ask_start(model::PhoneNumber number, Device& device);
    void started(model::PhoneNumber number, std::uint64_t turn, const Frame* answer);
    void await_worker(const Device& device, std::string_view why);
    [[nodiscard]] std::uint64_t next_generation();
    void report(const DeviceRef& device, model::DeviceState state, std::string_view reason);

    const Clock& clock_;
    ConnectorEvents* events_ = nullptr;
    Ask ask_;  // Empty: there is no worker.
    bool cannot_start_ = false;
    StartQueue starts_;
    std::uint64_t generation_ = 0;  // The last one given.
    std::uint64_t turns_ = 0;
    std::unordered_map<model::PhoneNumber, Device> devices_;
    std::unordered_map<model::PhoneNumber, Run> runs_;
};

}  // namespace merpati::connector::process
