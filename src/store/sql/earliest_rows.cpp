#include "store/sql/earliest_rows.hpp"

#include <algorithm>
#include <iterator>

#include "store/lane_reader.hpp"

namespace merpati::store::sql {
namespace {

/// A message's id is made at most this long after the time from which its delay counts.
constexpr Millis id_drawn_within{16};

bool earlier(const QueueRow& left, const QueueRow& right) {
    return left.due_at != right.due_at ? left.due_at < right.due_at : left.id < right.id;
}

}  // namespace

bool EarliestRows::offer(const QueueRow& row) {
    if (!heap_.empty() && heap_.front().bucket != row.bucket) {
        end_bucket();
    }
    if (picked_.size() == limit_) {
        return false;
    }
    if (heap_.size() < limit_ - picked_.size()) {
        heap_.push_back(row);
        std::ranges::push_heap(heap_, earlier);
        return true;
    }
    const auto& last = heap_.front();
    if (earlier(row, last)) {
        std::ranges::pop_heap(heap_, earlier);
        heap_.back() = row;
        std::ranges::push_heap(heap_, earlier);
    } else if (row.id.time() > last.due_at + id_drawn_within) {
        return false;
    }
    return ++passed_ < LaneReader::step_rows_max;
}

std::vector<QueueRow> EarliestRows::take() {
    end_bucket();
    return std::move(picked_);
}

void EarliestRows::end_bucket() {
    std::ranges::sort_heap(heap_, earlier);
    std::ranges::move(heap_, std::back_inserter(picked_));
    heap_.clear();
    passed_ = 0;
}

}  // namespace merpati::store::sql
