// Selects the first rows of a lane's queue by due time, from rows in the order of the disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/uuid.hpp"

namespace merpati::store::sql {

struct QueueRow {
    std::int64_t bucket = 0;
    Uuid id;
    Timestamp due_at;
    std::uint32_t attempts = 0;
    bool intent = false;
    std::optional<Timestamp> failing_since;
    std::uint32_t crashes = 0;
    bool perhaps_sent = false;
    bool as_template = false;
};

/// Selects the first `limit` rows by (due time, acceptance). Rows must be offered by (bucket,
/// acceptance).
///
/// Limits: memory for `limit` rows. Once `limit` rows are selected, the rest of the bucket is read
/// only until all further rows must be due later than the selected ones, because they were accepted
/// later, or until LaneReader::step_rows_max rows were not selected. So a bucket with very many
/// messages without a delay costs no more than the selected rows.
class EarliestRows {
public:
    explicit EarliestRows(std::size_t limit) : limit_(limit) {}

    /// False: no further row is needed.
    [[nodiscard]] bool offer(const QueueRow& row);

    /// The selected rows, in order. Call it once.
    [[nodiscard]] std::vector<QueueRow> take();

private:
    void end_bucket();

    const std::size_t limit_;
    std::vector<QueueRow> picked_;  // Of earlier buckets, in order.
    std::vector<QueueRow> heap_;    // Of this bucket, as a heap with the latest in front.
    std::size_t passed_ = 0;        // Rows of this bucket that were not selected.
};

}  // namespace merpati::store::sql
