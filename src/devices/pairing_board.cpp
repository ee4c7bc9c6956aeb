#include "devices/pairing_board.hpp"

namespace merpati::devices {

void PairingBoard::begin(model::PhoneNumber device) {
    const std::lock_guard lock{mutex_};
    pairings_[device] = {.under_way = true};
}

void PairingBoard::show(model::PhoneNumber device, const connector::PairingStep& step) {
    const std::lock_guard lock{mutex_};
    pairings_[device] = {.under_way = true,
                         .method = step.method,
                         .payload = step.payload,
                         .expires_at = step.expires_at,
                         .reason = {}};
}

void PairingBoard::follow(model::PhoneNumber device, model::DeviceState state,
                          std::string_view reason) {
    const std::lock_guard lock{mutex_};
    if (model::is_online(state)) {
        pairings_.erase(device);
    } else if (state != model::DeviceState::pairing) {
        if (const auto found = pairings_.find(device); found != pairings_.end()) {
            found->second = {.under_way = false, .reason = std::string{reason}};
        }
    }
}

void PairingBoard::forget(model::PhoneNumber device) {
    const std::lock_guard lock{mutex_};
    pairings_.erase(device);
}

bool PairingBoard::shows_step(model::PhoneNumber device, Timestamp now) const {
    const auto shown = find(device);
    return shown.under_way && !shown.method.empty() && now < shown.expires_at;
}

api::manage::Pairing PairingBoard::find(model::PhoneNumber device) const {
    const std::lock_guard lock{mutex_};
    const auto found = pairings_.find(device);
    return found == pairings_.end() ? api::manage::Pairing{} : found->second;
}

}  // namespace merpati::devices
