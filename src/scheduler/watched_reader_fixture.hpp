// A reader of lanes that counts and fails.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>

#include "store/lane_reader.hpp"

namespace merpati::scheduler {

struct Watch {
    bool broken = false;                              // Reads of lanes fail: of all,
    std::optional<model::PhoneNumber> broken_lane{};  // or of this one.
    int reads = 0;                                    // Reads of lanes,
    int starts = 0;                                   // and of what is known of several.
};

/// Answers as the store's own reader, counts reads of lanes, or fails them.
class WatchedReader : public store::LaneReader {
public:
    WatchedReader(std::unique_ptr<store::LaneReader> real, Watch& watch)
        : real_(std::move(real)), watch_(watch) {}

    Result<std::vector<store::LaneSummary>> lanes() override { return real_->lanes(); }
    Result<std::vector<store::LaneRecord>> lane_records() override { return real_->lane_records(); }
    Result<std::vector<store::LaneStart>> lane_starts(
        std::span<const model::PhoneNumber> devices) override {
        ++watch_.starts;
        const auto broken = watch_.broken_lane;
        if (watch_.broken && (!broken || std::ranges::count(devices, *broken) > 0)) {
            return fail(ErrorCode::store_failed, "disk I/O error");
        }
        return real_->lane_starts(devices);
    }
    Result<std::optional<store::LaneRecord>> lane_record(model::PhoneNumber device) override {
        if (watch_.broken && watch_.broken_lane.value_or(device) == device) {
            return fail(ErrorCode::store_failed, "disk I/O error");
        }
        return real_->lane_record(device);
    }
    Result<std::vector<store::QueuedMessage>> load_lane(model::PhoneNumber device,
                                                        model::Source source, Timestamp before,
                                                        std::size_t limit,
                                                        const store::Known& known) override {
        ++watch_.reads;
        if (watch_.broken && watch_.broken_lane.value_or(device) == device) {
            return fail(ErrorCode::store_failed, "disk I/O error");
        }
        return real_->load_lane(device, source, before, limit, known);
    }
    Result<std::optional<Timestamp>> next_due(model::PhoneNumber device, model::Source source,
                                              Timestamp from) override {
        return real_->next_due(device, source, from);
    }

    Result<std::optional<store::QueuedMessage>> find_queued(
        const model::Message& message) override {
        return real_->find_queued(message);
    }

private:
    std::unique_ptr<store::LaneReader> real_;
    Watch& watch_;
};

}  // namespace merpati::scheduler
