#include "devices/lost_devices.hpp"

#include <algorithm>
#include <memory>

#include "admission/checks.hpp"
#include "devices/changes.hpp"

namespace merpati::devices {

namespace {
constexpr int forgotten_slower = 10;
}  // namespace

void LostDevices::follow(const model::Device& device) {
    const auto now = rooms_.clock.steady_now();
    const std::lock_guard lock{mutex_};
    if (!is_lost(device)) {
        lost_.erase(device.number);
        if (absences_.contains(device.number)) {
            absence_of(device.number, now).is_away = false;
        }
        return;
    }
    const auto [found, is_new] = lost_.try_emplace(device.number);
    auto& lost = found->second;
    const auto identity = store::DeviceIdentity::of(device);
    if (!is_new && lost.since == device.state_since && lost.device == identity) {
        return;
    }
    auto& absence = absence_of(device.number, now);
    absence.is_away = true;
    ++absence.losses;
    const auto left = std::max(absence.patience - absence.away, Millis{0});
    const bool comes_and_goes = left < admission::reconnecting_max;
    lost = {.device = identity,
            .since = device.state_since,
            .due = now + std::min<Millis>(left, admission::reconnecting_max),
            .losses = comes_and_goes ? absence.losses : 0};
}

void LostDevices::forget(model::PhoneNumber device) {
    const std::lock_guard lock{mutex_};
    lost_.erase(device);
    absences_.erase(device);
}

LostDevices::Absence& LostDevices::absence_of(model::PhoneNumber device, SteadyTime now) {
    const Absence none{.patience = admission::reconnecting_max, .at = now};
    auto& absence = absences_.try_emplace(device, none).first->second;
    const auto passed = std::chrono::duration_cast<Millis>(now - absence.at);
    if (absence.is_away) {
        absence.away += passed;
    } else if (passed >= calm_after) {
        absence = none;
    } else {
        absence.away = std::max(absence.away - passed / forgotten_slower, Millis{0});
    }
    absence.at = now;
    return absence;
}

void LostDevices::notify() {
    if (waiting_ > 0) {
        return;
    }
    const auto due = take_due();
    waiting_ = due.size();
    for (const auto& lost : due) {
        const bool taken = rooms_.committer.change_always(
            [this, lost](store::Tables& tables) {
                return record_loss(tables, rooms_.notices, lost.device, lost.since, lost.losses);
            },
            [this, lost](const Result<void>& done) {
                if (!done) {
                    rooms_.log.error(
                        "the webhook notice of a lost device is not stored; trying again",
                        {{"why", done.error().detail}});
                    put_back(lost);
                }
                --waiting_;
            });
        if (!taken) {
            --waiting_;
        }
    }
}

void LostDevices::put_back(Lost lost) {
    lost.due = rooms_.clock.steady_now() + retry_after;
    const std::lock_guard lock{mutex_};
    lost_.try_emplace(lost.device.number, lost);  // A later loss stays.
}

std::vector<LostDevices::Lost> LostDevices::take_due() {
    const auto now = rooms_.clock.steady_now();
    const std::lock_guard lock{mutex_};
    std::vector<Lost> due;
    for (auto at = lost_.begin(); at != lost_.end() && due.size() < notified_max;) {
        if (at->second.due <= now) {
            due.push_back(at->second);
            auto& absence = absence_of(at->first, now);
            absence.away = Millis{0};
            absence.is_away = false;  // Notified: the rest of this absence does not count.
            if (at->second.losses > 0) {
                absence.patience = std::min<Millis>(absence.patience * 2, flapping_max);
            }
            at = lost_.erase(at);
        } else {
            ++at;
        }
    }
    return due;
}

}  // namespace merpati::devices
