#include "devices/restrictions.hpp"

#include <tuple>

#include "devices/changes.hpp"

namespace merpati::devices {

void Restrictions::follow(const model::Device& device) {
    const std::lock_guard lock{mutex_};
    if (device.state == model::DeviceState::restricted && device.restricted_until) {
        restricted_[device.number] = {.device = store::DeviceIdentity::of(device),
                                      .until = *device.restricted_until};
    } else {
        restricted_.erase(device.number);
    }
}

void Restrictions::forget(model::PhoneNumber device) {
    const std::lock_guard lock{mutex_};
    restricted_.erase(device);
}

void Restrictions::end() {
    for (const auto& device : take_due()) {
        // Fails only when the server stops; the next start finds the device again.
        std::ignore = rooms_.committer.change_always(
            [this, device](store::Tables& tables) -> Result<void> {
                const auto ended =
                    end_restriction(tables, rooms_.notices, device, rooms_.clock.wall_now());
                return ended || ended.error().code == ErrorCode::not_found ? Result<void>{}
                                                                           : pass(ended);
            },
            [this](const Result<void>& done) {
                if (!done) {
                    rooms_.log.error("the end of a restriction is not stored; trying again",
                                     {{"why", done.error().detail}});
                }
            });
    }
}

/// A device stays here until its written row says otherwise; meanwhile it is due again later.
std::vector<store::DeviceIdentity> Restrictions::take_due() {
    const auto now = rooms_.clock.wall_now();
    const std::lock_guard lock{mutex_};
    std::vector<store::DeviceIdentity> due;
    for (auto& [number, restricted] : restricted_) {
        if (restricted.until <= now && due.size() < ends_max) {
            due.push_back(restricted.device);
            restricted.until = now + retry_after;
        }
    }
    return due;
}

}  // namespace merpati::devices
