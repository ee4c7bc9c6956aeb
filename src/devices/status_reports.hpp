// Stores the statuses that connectors report, many in one change.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "connector/connector.hpp"
#include "devices/late_statuses.hpp"
#include "devices/report_limits.hpp"
#include "store/committer.hpp"
#include "telemetry/log.hpp"

namespace merpati::devices {

/// Operation: statuses of all devices wait in their order until a change of the store takes up to
/// `batch_max` of them, because a change costs more than a status. Only their platform waits for
/// it, so the change waits for other operations (Committer::change_without_haste). If one status
/// cannot be stored, each of its change is tried again in a change of its own, and fails alone.
///
/// Threads: any.
///
/// Limits: ReportLimits, which other reports share.
class StatusReports {
public:
    static constexpr std::size_t batch_max = 128;

    struct Rooms {
        const LateStatuses& late_statuses;
        const admission::Ownership& ownership;
        store::Committer& committer;
        ReportLimits& limits;
        telemetry::Log log;
    };
    explicit StatusReports(Rooms rooms) : rooms_(std::move(rooms)) {}

    using Stored = connector::ConnectorEvents::Stored;
    /// `device` is as the reporting connector's door knows it. Errors: as
    /// ConnectorEvents::late_status.
    void take(const model::Device& device, connector::LateStatus late, Stored stored);

private:
    struct Report {
        model::DeviceIdentity device;
        connector::LateStatus late;
        Stored stored;
        std::optional<Error> refusal{};  // In the change; the others of it are stored.
    };
    struct Batch {
        std::vector<Report> reports;
        LateStatuses::Ended ended;
    };

    [[nodiscard]] bool queue(Report report);
    void fill(Batch& batch);
    [[nodiscard]] std::optional<Error> refusal_of(const Report& report,
                                                  const std::optional<model::Device>& device) const;
    [[nodiscard]] Result<void> store(store::Tables& tables, Batch& batch) const;
    void finish(Batch& batch, const Result<void>& done);
    void store_alone(Report report);
    void warn_of_end() const;

    Rooms rooms_;
    std::mutex mutex_;
    std::vector<Report> waiting_;
};

}  // namespace merpati::devices
