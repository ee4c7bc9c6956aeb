// Limits how many reports of each device wait to be stored.
#pragma once

#include <cstddef>
#include <mutex>
#include <unordered_map>

#include "model/ids.hpp"

namespace merpati::devices {

/// Threads: any. Limits: of each device 256 small reports, or 1 MiB (`waiting_max`).
class ReportLimits {
public:
    /// False: the report must be refused. Otherwise `release` must follow.
    [[nodiscard]] bool admit(model::PhoneNumber device, std::size_t bytes);
    void release(model::PhoneNumber device, std::size_t bytes);

private:
    /// The largest total weight (weight_of) of one device's waiting reports.
    static constexpr std::size_t waiting_max = 256;

    std::mutex mutex_;
    std::unordered_map<model::PhoneNumber, std::size_t> waiting_;  // Weight of waiting reports.
};

}  // namespace merpati::devices
