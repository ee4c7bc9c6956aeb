#include "connector/process/worker/worker_devices.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "connector/process/codec/fields.hpp"
#include "connector/process/codec/platform_answer.hpp"
#include "model/texts.hpp"

namespace merpati::connector::process {
namespace {

using model::DeviceState;

constexpr Millis again_after{5'000};
constexpr Millis given_up_after{
    60'000};  // Since the first failure, unless it was connected before.

/// For requests whose answer is not needed: the worker reports what happened.
void no_matter_whether(const Result<void>& /*settled*/) {}

bool may_pass(std::string_view kind) {
    return kind == "busy" || kind == "unavailable" || kind == "throttled" || kind == "closing" ||
           kind == "device_down";
}

}  // namespace

void WorkerDevices::start(const model::Device& record, std::string_view pairing_method) {
    const auto number = record.number;
    const auto identity = model::DeviceIdentity::of(record);
    auto& device = devices_[number];
    const bool repeated = device.generation != 0 && device.identity == identity;
    device = {.identity = identity,
              .pairing = std::string{pairing_method},
              .up = model::is_linked(record.state),
              .started = repeated && device.started,
              .generation = repeated ? device.generation : next_generation()};
    if (ask_) {
        starts_.add(identity.account, number);
        begin_starts();
    } else {
        await_worker(device, model::reasons::server_restarted);
        if (cannot_start_ && !device.up) {
            devices_.erase(number);
        }
    }
}

void WorkerDevices::answer(model::PhoneNumber number, std::string_view answer,
                           Connector::Settled settled) {
    if (!ask_ || !is_started(number)) {
        settled(no_step_asks());
        return;
    }
    ask_("device.answer", {{"device", number.text()}, {"answer", answer}},
         [settled = std::move(settled)](const Frame* said) mutable {
             settled(pairing_answered(said));
         });
}

void WorkerDevices::stop(model::PhoneNumber number) {
    const auto device = ref_of(number);
    devices_.erase(number);
    if (ask_) {
        ask_("device.stop", {{"device", number.text()}}, when_ended(number, no_matter_whether));
    }
    report(device, DeviceState::disconnected, model::reasons::requested);
}

void WorkerDevices::forget(model::PhoneNumber number) {
    devices_.erase(number);
    if (ask_) {
        ask_("device.forget", {{"device", number.text()}}, when_ended(number, no_matter_whether));
    }
}

void WorkerDevices::settle(model::PhoneNumber number, Connector::Settled settled) {
    const auto device = ref_of(number);
    if (devices_.erase(number) > 0) {
        report(device, DeviceState::disconnected, model::reasons::requested);
    }
    if (!ask_) {
        settled({});  // No worker, so nothing writes secrets.
        return;
    }
    ask_("device.stop", {{"device", number.text()}}, when_ended(number, std::move(settled)));
}

/// For the answer that the number's present generation has ended.
Worker::Answered WorkerDevices::when_ended(model::PhoneNumber number, Connector::Settled then) {
    const auto run = runs_.find(number);
    const auto generation = run == runs_.end() ? 0 : run->second.generation;
    return [this, number, generation, then = std::move(then)](const Frame* answer) mutable {
        const bool ended = answer != nullptr && answer->ok;
        if (ended && is_latest(number, generation)) {
            runs_.erase(number);
        }
        then(ended ? Result<void>{}
                   : fail(ErrorCode::busy,
                          "the connector's worker has not said that the device stopped: try "
                          "again"));
    };
}

void WorkerDevices::worker_ready(Ask ask) {
    ask_ = std::move(ask);
    cannot_start_ = false;
    for (auto& [number, device] : devices_) {
        starts_.add(device.identity.account, number);
    }
    begin_starts();
}

void WorkerDevices::worker_gone(bool cannot_start) {
    ask_ = {};
    cannot_start_ = cannot_start;
    starts_.clear();
    runs_.clear();
    for (auto at = devices_.begin(); at != devices_.end();) {
        auto& [number, device] = *at;
        device.started = false;
        device.generation = next_generation();
        device.again_at = SteadyTime::max();
        await_worker(device, model::reasons::connector_stopped);
        at = cannot_start && !device.up ? devices_.erase(at) : std::next(at);
    }
}

void WorkerDevices::tick() {
    if (!ask_) {
        return;
    }
    const auto now = clock_.steady_now();
    for (auto& [number, device] : devices_) {
        if (device.again_at <= now) {
            device.again_at = SteadyTime::max();
            starts_.add(device.identity.account, number);
        }
    }
    begin_starts();
}

void WorkerDevices::begin_starts() {
    while (ask_) {
        const auto number = starts_.next();
        if (!number) {
            return;
        }
        // It may have been stopped while it waited.
        if (const auto found = devices_.find(*number); found != devices_.end()) {
            ask_start(*number, found->second);
        }
    }
}

bool WorkerDevices::is_started(model::PhoneNumber number) const {
    const auto found = devices_.find(number);
    return found != devices_.end() && found->second.started;
}

model::AccountId WorkerDevices::account_of(model::PhoneNumber number) const {
    const auto found = devices_.find(number);
    return found == devices_.end() ? model::AccountId{} : found->second.identity.account;
}

std::optional<model::DeviceIdentity> WorkerDevices::writer(model::PhoneNumber number) const {
    const auto found = runs_.find(number);
    return found == runs_.end() ? std::nullopt : std::optional{found->second.device};
}

DeviceRef WorkerDevices::ref_of(model::PhoneNumber number) const {
    const auto found = devices_.find(number);
    return found == devices_.end() ? DeviceRef{number} : DeviceRef{found->second.identity};
}

bool WorkerDevices::is_latest(model::PhoneNumber number, std::uint64_t generation) const {
    const auto found = runs_.find(number);
    return found != runs_.end() && found->second.generation == generation;
}

bool WorkerDevices::takes_states(model::PhoneNumber number, std::uint64_t generation) const {
    const auto found = devices_.find(number);
    return found != devices_.end() && (generation == 0 ? found->second.started
                                                       : found->second.generation == generation &&
                                                             is_latest(number, generation));
}

void WorkerDevices::follow(model::PhoneNumber number, DeviceState state) {
    const auto found = devices_.find(number);
    if (found == devices_.end()) {
        return;
    }
    switch (state) {
        case DeviceState::connected:
        case DeviceState::restricted:
            found->second.up = true;
            found->second.pairing.clear();
            return;
        case DeviceState::reconnecting:
            return;
        case DeviceState::pairing:
            found->second.up = false;
            return;
        case DeviceState::disconnected:
        case DeviceState::logged_out:
        case DeviceState::replaced:
        case DeviceState::banned:
            devices_.erase(found);
            return;
    }
}

void WorkerDevices::ask_start(model::PhoneNumber number, Device& device) {
    runs_[number] = {.device = device.identity, .generation = device.generation};
    device.turn = ++turns_;
    boost::json::object fields{{"device", number.text()}, {"generation", device.generation}};
    if (!device.pairing.empty()) {
        fields["pairing"] = device.pairing;
    }
    device.started = false;
    ask_(
        "device.start", std::move(fields),
        [this, number, turn = device.turn](const Frame* answer) { started(number, turn, answer); });
}

void WorkerDevices::started(model::PhoneNumber number, std::uint64_t turn, const Frame* answer) {
    const auto found = devices_.find(number);
    if (found == devices_.end() || found->second.turn != turn) {
        return;
    }
    auto& device = found->second;
    if (answer != nullptr && answer->ok) {
        device.started = true;
        device.failing_since.reset();
        return;
    }
    if (!ask_) {
        return;  // The next worker will be asked.
    }
    static const boost::json::object none;
    const Fields error{answer != nullptr ? answer->fields : none};
    const auto now = clock_.steady_now();
    device.failing_since = device.failing_since.value_or(now);
    const bool in_time = now - *device.failing_since < given_up_after;
    const bool passes = answer == nullptr || may_pass(error.words("kind", 64));
    if (device.up || (passes && in_time)) {
        device.again_at = now + again_after;
        if (device.up) {
            report(device.identity, DeviceState::reconnecting, model::reasons::not_connected);
        }
        return;
    }
    const auto words = error.words("details", 512);
    const auto identity = device.identity;
    devices_.erase(found);
    report(identity, DeviceState::disconnected,
           words.empty() ? model::reasons::not_connected : words);
}

std::uint64_t WorkerDevices::next_generation() {
    const auto now =
        static_cast<std::uint64_t>(std::max<std::int64_t>(to_unix_millis(clock_.now()), 1));
    generation_ = std::max(generation_ + 1, now);
    return generation_;
}

/// Reports the state of a device while there is no worker.
void WorkerDevices::await_worker(const Device& device, std::string_view why) {
    if (device.up) {
        report(device.identity, DeviceState::reconnecting,
               cannot_start_ ? model::reasons::connector_unavailable : why);
    } else if (cannot_start_) {
        report(device.identity, DeviceState::disconnected, model::reasons::connector_unavailable);
    }
}

void WorkerDevices::report(const DeviceRef& device, DeviceState state, std::string_view reason) {
    events_->device_state(device, state, std::string{reason}, [](const Result<void>& /*stored*/) {
        // The state is reported again at the next start of the device.
    });
}

}  // namespace merpati::connector::process
