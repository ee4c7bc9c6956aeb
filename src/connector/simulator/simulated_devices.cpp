#include "connector/simulator/simulated_devices.hpp"

#include <chrono>
#include <vector>

#include "base/assert.hpp"
#include "model/texts.hpp"

namespace merpati::connector::simulator {
namespace {

using model::DeviceState;

constexpr const char* session = "session";
constexpr std::string_view restricted_number = "997004";
constexpr std::chrono::minutes restricted_for{1};
constexpr std::size_t wrote_max = 1'000;

bool can_be_restricted(model::PhoneNumber number) {
    return number.text().ends_with(restricted_number);
}

void no_matter(const Result<void>& /*stored*/) {
    // The state is reported again at the next start of the device.
}

}  // namespace

void SimulatedDevices::begin(ConnectorEvents& events, DeviceSecrets& secrets) {
    events_ = &events;
    secrets_.begin(secrets);
}

void SimulatedDevices::start(const model::Device& device, std::string_view method) {
    invariant(events_ != nullptr, "the simulator is started before its devices are");
    const auto number = device.number;
    std::string chosen{method.empty() ? default_pairing(number) : method};
    int turn = 0;
    {
        const std::lock_guard lock{mutex_};
        turn = ++turns_;
        devices_[number].turn = turn;
        devices_[number].pairing.reset();
        if (device.restricted_until) {  // From before a restart.
            devices_[number].restricted_until = device.restricted_until;
        }
    }
    if (chosen.empty()) {
        connect(number, turn);
    } else if (!method.empty()) {
        pair(number, turn, std::move(chosen));
    } else {
        find_secret(number, turn, std::move(chosen));
    }
}

void SimulatedDevices::stop(model::PhoneNumber number) {
    const std::lock_guard lock{mutex_};
    devices_[number].turn = ++turns_;
    devices_[number].pairing.reset();
    set(number, DeviceState::disconnected, model::reasons::requested);
}

/// Reports nothing and removes no secret: the gateway has removed the device with its secrets.
void SimulatedDevices::forget(model::PhoneNumber number) {
    const std::lock_guard lock{mutex_};
    devices_.erase(number);
}

bool SimulatedDevices::is_connected(model::PhoneNumber number) const {
    const std::lock_guard lock{mutex_};
    const auto found = devices_.find(number);
    return found != devices_.end() && model::is_online(found->second.state);
}

std::optional<Timestamp> SimulatedDevices::restrict_send(model::PhoneNumber number,
                                                         std::string_view recipient) {
    if (!can_be_restricted(number)) {
        return std::nullopt;
    }
    const std::lock_guard lock{mutex_};
    auto& device = devices_[number];
    const auto now = clock_.now();
    if (!device.restricted_until) {
        device.restricted_until = now + restricted_for;
        set_online(number);
        return std::nullopt;
    }
    return *device.restricted_until <= now || device.wrote.contains(recipient)
               ? std::nullopt
               : device.restricted_until;
}

void SimulatedDevices::note_inbound(model::PhoneNumber number, std::string_view sender) {
    if (can_be_restricted(number)) {
        const std::lock_guard lock{mutex_};
        if (auto& wrote = devices_[number].wrote; wrote.size() < wrote_max) {
            wrote.emplace(sender);
        }
    }
}

bool SimulatedDevices::is_current(model::PhoneNumber number, int turn) const {
    const std::lock_guard lock{mutex_};
    const auto found = devices_.find(number);
    return found != devices_.end() && found->second.turn == turn;
}

/// Call with the lock held.
void SimulatedDevices::set(model::PhoneNumber number, DeviceState state, std::string_view reason) {
    devices_[number].state = state;
    events_->device_state(number, state, std::string{reason}, no_matter);
}

/// `restricted` while it is, otherwise `connected`. Call with the lock held.
void SimulatedDevices::set_online(model::PhoneNumber number) {
    auto& device = devices_[number];
    if (device.restricted_until.value_or(Timestamp{}) <= clock_.now()) {
        set(number, DeviceState::connected, {});
        return;
    }
    device.state = DeviceState::restricted;
    events_->device_restricted(number, *device.restricted_until,
                               std::string{model::reasons::chats_locked}, no_matter);
}

void SimulatedDevices::connect(model::PhoneNumber number, int turn) {
    {
        const std::lock_guard lock{mutex_};
        const auto found = devices_.find(number);
        if (found == devices_.end() || found->second.turn != turn) {
            return;
        }
        found->second.pairing.reset();
        set_online(number);
    }
    if (on_connected) {
        on_connected(number);
    }
}

/// Connects a device that has the secret of an earlier pairing, and pairs another.
void SimulatedDevices::find_secret(model::PhoneNumber number, int turn, std::string method) {
    secrets_.get(
        number, {session}, [this, number, turn] { return is_current(number, turn); },
        [this, number, turn, method = std::move(method)](const auto& secret) {
            if (secret && secret->at(0).second) {
                connect(number, turn);
            } else {
                pair(number, turn, method);
            }
        });
}

void SimulatedDevices::pair(model::PhoneNumber number, int turn, std::string method) {
    {
        const std::lock_guard lock{mutex_};
        const auto found = devices_.find(number);
        if (found == devices_.end() || found->second.turn != turn) {
            return;
        }
        if (!pairing_methods().contains(method)) {
            set(number, DeviceState::disconnected, "Cara pemasangan tidak dikenal: " + method);
            return;
        }
        found->second.pairing.emplace(number, std::move(method));
        set(number, DeviceState::pairing, model::reasons::pairing_begun);
    }
    go_on(number, turn);
}

void SimulatedDevices::go_on(model::PhoneNumber number, int turn) {
    const std::lock_guard lock{mutex_};
    const auto found = devices_.find(number);
    if (found != devices_.end() && found->second.turn == turn && found->second.pairing) {
        do_next(number, found->second, found->second.pairing->advance());
    }
}

Result<void> SimulatedDevices::answer(model::PhoneNumber number, std::string_view answer) {
    const std::lock_guard lock{mutex_};
    const auto found = devices_.find(number);
    if (found == devices_.end() || !found->second.pairing) {
        return fail(ErrorCode::conflict, PairingStep::wrong_answer);
    }
    const auto next = found->second.pairing->answer(answer);
    if (next != Pairing::Next::show) {  // `show`: this pairing asks for no answer.
        do_next(number, found->second, next);
    }
    return next == Pairing::Next::paired ? Result<void>{}
                                         : fail(ErrorCode::conflict, PairingStep::wrong_answer);
}

/// Call with the lock held.
void SimulatedDevices::do_next(model::PhoneNumber number, Device& device, Pairing::Next next) {
    const auto turn = device.turn;
    switch (next) {
        case Pairing::Next::show:
            events_->pairing(number, device.pairing->step(clock_.now()));
            later_([this, number, turn] { go_on(number, turn); });
            return;
        case Pairing::Next::ask:
            events_->pairing(number, device.pairing->step(clock_.now()));
            return;
        case Pairing::Next::paired:
            later_([this, number, turn] { keep_secret(number, turn); });
            return;
        case Pairing::Next::failed:
            device.pairing.reset();
            set(number, DeviceState::disconnected, model::reasons::code_expired);
            return;
    }
}

/// Connects the device only after the secret is durable, because it needs the secret to reconnect.
void SimulatedDevices::keep_secret(model::PhoneNumber number, int turn) {
    if (!is_current(number, turn)) {
        return;
    }
    const auto word = as_bytes("simulated");
    secrets_.put(
        number, {{session, Bytes{word.begin(), word.end()}}},
        [this, number, turn] { return is_current(number, turn); },
        [this, number, turn](const Result<void>& stored) {
            if (stored) {
                connect(number, turn);
            } else {
                give_up(number, turn);
            }
        });
}

void SimulatedDevices::give_up(model::PhoneNumber number, int turn) {
    const std::lock_guard lock{mutex_};
    const auto found = devices_.find(number);
    if (found != devices_.end() && found->second.turn == turn) {
        found->second.pairing.reset();
        set(number, DeviceState::disconnected, model::reasons::pairing_not_kept);
    }
}

void SimulatedDevices::lose_all() {
    const std::lock_guard lock{mutex_};
    std::vector<std::pair<model::PhoneNumber, int>> lost;
    for (auto& [number, device] : devices_) {
        if (model::is_online(device.state)) {
            lost.emplace_back(number, device.turn);
        }
    }
    for (const auto& [number, turn] : lost) {
        set(number, DeviceState::reconnecting, model::reasons::connector_stopped);
    }
    later_([this, lost = std::move(lost)] {
        for (const auto& [number, turn] : lost) {
            connect(number, turn);
        }
    });
}

}  // namespace merpati::connector::simulator
