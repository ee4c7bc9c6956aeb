// The messages of one device and source that wait, in memory and on disk.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <unordered_set>
#include <vector>

#include <boost/container/deque.hpp>

#include "base/clock.hpp"
#include "model/message.hpp"
#include "scheduler/lane_fetches.hpp"
#include "store/records.hpp"

namespace merpati::scheduler {

/// The messages of one lane and source that are held in memory, earliest first: by (time of the
/// next attempt, acceptance). Most come in this order, and are taken without a search.
class LaneHeap {
public:
    void push(store::QueuedMessage message);
    /// For a message that was read from the store: `is_loaded` is true for its id until it is taken
    /// out, because the event of its acceptance may still come.
    void push_loaded(store::QueuedMessage message);
    [[nodiscard]] bool is_loaded(const model::MessageId& id) const { return loaded_.contains(id); }
    [[nodiscard]] const store::QueuedMessage& top() const {
        return is_heap_first() ? heap_.front() : ordered_.front();
    }
    [[nodiscard]] store::QueuedMessage pop();
    /// Removes a message by its id; empty if it is not here. Searches the whole heap.
    [[nodiscard]] std::optional<store::QueuedMessage> remove(const model::MessageId& id);

    [[nodiscard]] bool empty() const noexcept { return ordered_.empty() && heap_.empty(); }
    [[nodiscard]] std::size_t size() const noexcept { return ordered_.size() + heap_.size(); }
    template <class Visit>
    void for_each(Visit&& visit) const {
        std::ranges::for_each(ordered_, visit);
        std::ranges::for_each(heap_, visit);
    }
    /// No message in here is due later.
    [[nodiscard]] Timestamp latest() const noexcept { return latest_; }
    /// Removes the later half; of one message, that one.
    [[nodiscard]] std::vector<store::QueuedMessage> pop_later_half();
    void clear();

private:
    [[nodiscard]] bool is_heap_first() const;
    void forget(const model::MessageId& id);

    boost::container::deque<store::QueuedMessage> ordered_;  // Each came after the one before.
    std::vector<store::QueuedMessage> heap_;                 // The others.
    std::unordered_set<Uuid> loaded_;
    Timestamp latest_{};
};

/// Operation: `memory` and `fetches` hold messages that are also on disk. LaneMemory alone puts
/// them there and takes them out, because it counts them.
class LaneSource {
public:
    [[nodiscard]] const LaneHeap& memory() const noexcept { return memory_; }
    [[nodiscard]] const LaneFetches& fetches() const noexcept { return fetches_; }
    [[nodiscard]] LaneFetches& fetches() noexcept { return fetches_; }

    /// No message that is on disk alone is due before this; empty: there is none.
    [[nodiscard]] std::optional<Timestamp> disk_due() const noexcept { return disk_due_; }
    void note_on_disk(Timestamp due) { disk_due_ = disk_due_ ? std::min(*disk_due_, due) : due; }
    /// Those that are due before `next` were read; empty: all were.
    void note_read(std::optional<Timestamp> next) noexcept { disk_due_ = next; }
    /// Whether a message on disk may go before those in memory.
    [[nodiscard]] bool disk_first() const {
        return disk_due_ && !memory_.empty() && *disk_due_ < memory_.top().queued_at;
    }

    /// Whether the message was read from the store and is in memory.
    [[nodiscard]] bool is_loaded(const model::MessageId& id) const {
        return memory_.is_loaded(id) || fetches_.contains(id);
    }
    [[nodiscard]] bool idle() const noexcept {
        return memory_.empty() && fetches_.empty() && !disk_due_;
    }

    // `awaiting_max`: how many of its messages may await their files.
    /// Whether a message in memory can be sent at `now`. One that has its file is due.
    [[nodiscard]] bool is_due(Timestamp now, std::size_t awaiting_max) const;
    /// When the earliest message in memory that can be sent is due.
    [[nodiscard]] std::optional<Timestamp> memory_due(std::size_t awaiting_max) const;

private:
    friend class LaneMemory;

    /// Whether its next message needs a file while `awaiting_max` messages await theirs.
    [[nodiscard]] bool is_blocked_by_fetches(std::size_t awaiting_max) const;

    LaneHeap memory_;
    LaneFetches fetches_;
    std::optional<Timestamp> disk_due_;
};

/// The earlier of two times, of which each may be missing.
[[nodiscard]] std::optional<Timestamp> earlier(std::optional<Timestamp> left,
                                               std::optional<Timestamp> right);

}  // namespace merpati::scheduler
