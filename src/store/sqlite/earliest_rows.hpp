// The first rows of a lane's queue by due time, which on disk stand so only in steps of 16 s.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/uuid.hpp"

namespace merpati::store::sqlite {

struct QueueRow {
    std::int64_t bucket = 0;
    Uuid id;
    Timestamp due_at;
    std::uint32_t attempts = 0;
    bool intent = false;
    std::optional<Timestamp> failing_since;
};

/// Picks the first `limit` rows by (due time, acceptance) from rows that come by (bucket,
/// acceptance).
///
/// Limits: holds `limit` rows. It asks for the rest of a bucket only until all that follow were
/// accepted, and so are due, later than what it holds, or until Reader::step_rows_max were passed:
/// messages without a delay, of which a bucket can hold very many, cost no more than are wanted.
class EarliestRows {
public:
    explicit EarliestRows(std::size_t limit) : limit_(limit) {}

    /// False: no further row is needed.
    [[nodiscard]] bool offer(const QueueRow& row);

    /// What was picked, in order. Once.
    [[nodiscard]] std::vector<QueueRow> take();

private:
    void end_bucket();

    const std::size_t limit_;
    std::vector<QueueRow> picked_;  // Of earlier buckets, in order.
    std::vector<QueueRow> heap_;    // Of this bucket, the latest in front.
    std::size_t passed_ = 0;        // Rows of this bucket that were not among its first.
};

}  // namespace merpati::store::sqlite
