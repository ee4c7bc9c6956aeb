// Reads the lanes' queues, for the scheduler.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "store/records.hpp"

namespace merpati::store {

/// What the scheduler reads. On disk a lane's queue is ordered by (bucket, acceptance), where a
/// bucket is 16 s of due times; this keeps a lane's rows close together. Errors: those of Reader.
class LaneReader {
public:
    virtual ~LaneReader() = default;

    [[nodiscard]] virtual Result<std::vector<LaneSummary>> lanes() = 0;
    [[nodiscard]] virtual Result<std::vector<LaneRecord>> lane_records() = 0;
    /// Both of these devices, in no order, with one query for many of them.
    [[nodiscard]] virtual Result<std::vector<LaneStart>> lane_starts(
        std::span<const model::PhoneNumber> devices) = 0;
    /// Empty: the device has none.
    [[nodiscard]] virtual Result<std::optional<LaneRecord>> lane_record(
        model::PhoneNumber device) = 0;

    /// The first `limit` messages of the lane that are due before `before`, by (due time,
    /// acceptance), without those in `known`. Fewer than `limit`: there are no more. To bound a
    /// read, it and `next_due` pass over at most `step_rows_max` messages of a bucket and ignore
    /// the rest, which were accepted later, at most until the bucket's 16 s have passed.
    [[nodiscard]] virtual Result<std::vector<QueuedMessage>> load_lane(model::PhoneNumber device,
                                                                       model::Source source,
                                                                       Timestamp before,
                                                                       std::size_t limit,
                                                                       const Known& known) = 0;

    static constexpr std::size_t step_rows_max = 32'768;

    /// A lower bound of the due times at or after `from`; empty: no message is due then.
    [[nodiscard]] virtual Result<std::optional<Timestamp>> next_due(model::PhoneNumber device,
                                                                    model::Source source,
                                                                    Timestamp from) = 0;

    /// Where the message waits in its lane; `message` of the result is null. Empty: it has left the
    /// lane.
    [[nodiscard]] virtual Result<std::optional<QueuedMessage>> find_queued(
        const model::Message& message) = 0;
};

}  // namespace merpati::store
