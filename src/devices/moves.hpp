// Tracks the devices whose secrets are being imported or exported.
#pragma once

#include <memory>
#include <mutex>
#include <unordered_set>

#include "api/manage/devices/device_control.hpp"
#include "model/ids.hpp"

namespace merpati::devices {

/// Threads: any.
class DeviceMoves {
public:
    using Stillness = api::manage::DeviceControl::Stillness;

    /// The move lasts until the returned object is destroyed. Null: the device is being moved
    /// already.
    [[nodiscard]] std::unique_ptr<Stillness> begin(model::PhoneNumber number);
    [[nodiscard]] bool under_way(model::PhoneNumber number) const;

private:
    class Move;

    mutable std::mutex mutex_;
    std::unordered_set<model::PhoneNumber> moving_;
};

}  // namespace merpati::devices
