#include "devices/status_reports.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

namespace merpati::devices {

void StatusReports::take(const model::Device& device, connector::LateStatus late, Stored stored) {
    if (!connector::is_platform_id(late.platform_id)) {
        stored(fail(ErrorCode::invalid_argument, "this is no platform's id"));
        return;
    }
    if (!rooms_.limits.admit(device.number, late.status.details.size())) {
        stored(fail(ErrorCode::busy, "too many reports of this device wait to be stored"));
        return;
    }
    if (!queue({.device = model::DeviceIdentity::of(device),
                .late = std::move(late),
                .stored = std::move(stored)})) {
        return;
    }
    // The change may be run again; the second run may take further reports.
    const auto batch = std::make_shared<Batch>();
    const bool taken = rooms_.committer.change_without_haste(
        [this, batch](store::Tables& tables) {
            fill(*batch);
            return store(tables, *batch);
        },
        [this, batch](const Result<void>& done) { finish(*batch, done); });
    if (!taken) {
        warn_of_end();
    }
}

/// True: a change must be queued for it. There is one for each `batch_max` reports that wait, so
/// all of them are taken.
bool StatusReports::queue(Report report) {
    const std::lock_guard lock{mutex_};
    waiting_.push_back(std::move(report));
    return waiting_.size() % batch_max == 1;
}

void StatusReports::fill(Batch& batch) {
    const std::lock_guard lock{mutex_};
    const auto count = std::min(waiting_.size(), batch_max - batch.reports.size());
    const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(count);
    std::move(waiting_.begin(), end, std::back_inserter(batch.reports));
    waiting_.erase(waiting_.begin(), end);
}

/// What may have changed since the door was asked.
std::optional<Error> StatusReports::refusal_of(const Report& report,
                                               const std::optional<model::Device>& device) const {
    if (!device || model::DeviceIdentity::of(*device) != report.device) {
        return fail(ErrorCode::not_found, "the device was removed").error();
    }
    if (!rooms_.ownership.answers_for(device->account)) {
        return fail(ErrorCode::elsewhere, "another node works for the account now").error();
    }
    return std::nullopt;
}

Result<void> StatusReports::store(store::Tables& tables, Batch& batch) const {
    batch.ended = {};
    std::unordered_map<model::PhoneNumber, std::optional<model::Device>> devices;
    for (auto& report : batch.reports) {
        auto known = devices.find(report.device.number);
        if (known == devices.end()) {
            auto found = tables.find_device(report.device.number);
            if (!found) {
                return pass(found);
            }
            known = devices.emplace(report.device.number, std::move(*found)).first;
        }
        const auto& device = known->second;
        report.refusal = refusal_of(report, device);
        if (report.refusal) {
            continue;
        }
        if (auto taken = rooms_.late_statuses.take(tables, *device, report.late, batch.ended);
            !taken) {
            return taken;
        }
    }
    return {};
}

void StatusReports::finish(Batch& batch, const Result<void>& done) {
    if (!done && batch.reports.size() > 1) {
        std::ranges::for_each(std::exchange(batch.reports, {}),
                              [this](Report& report) { store_alone(std::move(report)); });
        return;
    }
    if (done) {
        rooms_.late_statuses.publish(std::move(batch.ended));
    } else {
        rooms_.log.error("a device's report is not stored", {{"why", done.error().detail}});
    }
    for (auto& report : batch.reports) {
        rooms_.limits.release(report.device.number, report.late.status.details.size());
        report.stored(done && report.refusal ? std::unexpected(*std::move(report.refusal)) : done);
    }
}

void StatusReports::store_alone(Report report) {
    const auto batch = std::make_shared<Batch>();
    batch->reports.push_back(std::move(report));
    const bool taken = rooms_.committer.change_always(
        [this, batch](store::Tables& tables) { return store(tables, *batch); },
        [this, batch](const Result<void>& done) { finish(*batch, done); });
    if (!taken) {
        warn_of_end();
    }
}

void StatusReports::warn_of_end() const {
    rooms_.log.warn("a device's report is not stored: the server stops");
}

}  // namespace merpati::devices
