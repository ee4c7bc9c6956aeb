#include "devices/state_reports.hpp"

#include <utility>

namespace merpati::devices {

bool StateReports::put(StateReport report) {
    std::unique_lock lock{mutex_};
    auto& reports = waiting_[report.device.number];
    const bool first = reports.empty();
    if (reports.size() < per_device_max) {
        reports.push_back(std::move(report));
        return first;
    }
    auto replaced = std::exchange(reports.back(), std::move(report));
    lock.unlock();
    replaced.stored({});
    return first;
}

std::vector<StateReport> StateReports::take(model::PhoneNumber number) {
    const std::lock_guard lock{mutex_};
    auto found = waiting_.extract(number);
    return found.empty() ? std::vector<StateReport>{} : std::move(found.mapped());
}

}  // namespace merpati::devices
