#include "devices/report_limits.hpp"

namespace merpati::devices {
namespace {

/// A report weighs 1, and 1 more for each 4 KiB.
constexpr std::size_t weight_of(std::size_t bytes) {
    return 1 + bytes / 4'096;
}

}  // namespace

bool ReportLimits::admit(model::PhoneNumber device, std::size_t bytes) {
    const std::lock_guard lock{mutex_};
    const auto found = waiting_.find(device);
    const auto weight = (found == waiting_.end() ? 0 : found->second) + weight_of(bytes);
    if (weight > waiting_max) {
        return false;
    }
    waiting_[device] = weight;
    return true;
}

void ReportLimits::release(model::PhoneNumber device, std::size_t bytes) {
    const std::lock_guard lock{mutex_};
    const auto found = waiting_.find(device);
    found->second -= weight_of(bytes);
    if (found->second == 0) {
        waiting_.erase(found);
    }
}

}  // namespace merpati::devices
