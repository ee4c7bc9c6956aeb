#include "connector/process/devices.hpp"

#include <utility>
#include <vector>

#include "connector/process/fields.hpp"

namespace merpati::connector::process {
namespace {

using model::DeviceState;

constexpr Millis again_after{5'000};
constexpr Millis given_up_after{
    60'000};  // Since the first failure, unless it was connected before.
constexpr std::string_view worker_starts = "Gateway dimulai ulang; menunggu konektor";
constexpr std::string_view worker_lost = "Proses konektor berhenti";
constexpr std::string_view worker_missing = "Konektor tidak dapat dijalankan";
constexpr std::string_view not_started = "Perangkat tidak dapat dihubungkan";

/// For requests whose answer is not needed: the worker reports what happened.
void no_matter(const Frame* /*answer*/) {}

bool may_pass(std::string_view kind) {
    return kind == "busy" || kind == "unavailable" || kind == "throttled" || kind == "closing" ||
           kind == "device_down";
}

}  // namespace

void Devices::start(const model::Device& record, std::string_view pairing_method) {
    const auto number = record.number;
    auto& device = devices_[number];
    device = {.account = record.account,
              .pairing = std::string{pairing_method},
              .up = model::is_linked(record.state),
              .turn = ++turns_};
    if (ask_) {
        ask_start(number, device);
    } else {
        await_worker(number, device, worker_starts);
        if (cannot_start_ && !device.up) {
            devices_.erase(number);
        }
    }
}

void Devices::answer(model::PhoneNumber number, std::string_view answer) {
    if (ask_ && is_started(number)) {
        ask_("device.answer", {{"device", number.text()}, {"answer", answer}}, no_matter);
    }
}

void Devices::stop(model::PhoneNumber number) {
    devices_.erase(number);
    if (ask_) {
        ask_("device.stop", {{"device", number.text()}}, no_matter);
    }
    report(number, DeviceState::disconnected, model::disconnected_by_request);
}

void Devices::forget(model::PhoneNumber number) {
    devices_.erase(number);
    if (ask_) {
        ask_("device.forget", {{"device", number.text()}}, no_matter);
    }
}

void Devices::settle(model::PhoneNumber number, Connector::Settled settled) {
    if (devices_.erase(number) > 0) {
        report(number, DeviceState::disconnected, model::disconnected_by_request);
    }
    if (!ask_) {
        settled({});  // No worker, so nothing writes secrets.
        return;
    }
    ask_("device.stop", {{"device", number.text()}},
         [settled = std::move(settled)](const Frame* answer) mutable {
             settled(answer != nullptr && answer->ok
                         ? Result<void>{}
                         : fail(ErrorCode::busy,
                                "the connector's worker has not said that the device stopped: "
                                "try again"));
         });
}

void Devices::worker_ready(Ask ask) {
    ask_ = std::move(ask);
    cannot_start_ = false;
    for (auto& [number, device] : devices_) {
        device.turn = ++turns_;
        ask_start(number, device);
    }
}

void Devices::worker_gone(bool cannot_start) {
    ask_ = {};
    cannot_start_ = cannot_start;
    for (auto at = devices_.begin(); at != devices_.end();) {
        auto& [number, device] = *at;
        device.started = false;
        device.again_at = SteadyTime::max();
        await_worker(number, device, worker_lost);
        at = cannot_start && !device.up ? devices_.erase(at) : std::next(at);
    }
}

void Devices::tick() {
    if (!ask_) {
        return;
    }
    const auto now = clock_.steady_now();
    for (auto& [number, device] : devices_) {
        if (device.again_at <= now) {
            device.again_at = SteadyTime::max();
            device.turn = ++turns_;
            ask_start(number, device);
        }
    }
}

bool Devices::is_started(model::PhoneNumber number) const {
    const auto found = devices_.find(number);
    return found != devices_.end() && found->second.started;
}

model::AccountId Devices::account_of(model::PhoneNumber number) const {
    const auto found = devices_.find(number);
    return found == devices_.end() ? model::AccountId{} : found->second.account;
}

void Devices::follow(model::PhoneNumber number, DeviceState state) {
    switch (state) {
        case DeviceState::connected:
            devices_[number].up = true;
            devices_[number].pairing.clear();
            return;
        case DeviceState::reconnecting:
            return;
        case DeviceState::pairing:
            devices_[number].up = false;
            return;
        case DeviceState::disconnected:
        case DeviceState::logged_out:
        case DeviceState::replaced:
        case DeviceState::banned:
            devices_.erase(number);
            return;
    }
}

void Devices::ask_start(model::PhoneNumber number, Device& device) {
    boost::json::object fields{{"device", number.text()}};
    if (!device.pairing.empty()) {
        fields["pairing"] = device.pairing;
    }
    device.started = false;
    ask_(
        "device.start", std::move(fields),
        [this, number, turn = device.turn](const Frame* answer) { started(number, turn, answer); });
}

void Devices::started(model::PhoneNumber number, std::uint64_t turn, const Frame* answer) {
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
            report(number, DeviceState::reconnecting, not_started);
        }
        return;
    }
    const auto words = error.words("details", 512);
    devices_.erase(found);
    report(number, DeviceState::disconnected, words.empty() ? not_started : words);
}

/// Reports the state of a device while there is no worker.
void Devices::await_worker(model::PhoneNumber number, const Device& device, std::string_view why) {
    if (device.up) {
        report(number, DeviceState::reconnecting, cannot_start_ ? worker_missing : why);
    } else if (cannot_start_) {
        report(number, DeviceState::disconnected, worker_missing);
    }
}

void Devices::report(model::PhoneNumber number, DeviceState state, std::string_view reason) {
    events_->device_state(number, state, std::string{reason}, [](const Result<void>& /*stored*/) {
        // The state is reported again at the next start of the device.
    });
}

}  // namespace merpati::connector::process
