// What all lanes together hold in memory.
#pragma once

#include <cstddef>
#include <optional>

#include "scheduler/lane.hpp"
#include "scheduler/scheduler.hpp"

namespace merpati::scheduler {

/// Counts what the lanes' heaps hold, and says who may hold more. Everything here is on disk too,
/// so whatever is let go is merely read again.
///
/// Limits: `memory_max` messages and `memory_bytes_max` bytes; beyond them `reserve` messages a
/// lane, so that full memory slows lanes down and starves none. A lane that is paced holds little
/// more than it can send soon.
class LaneMemory {
public:
    explicit LaneMemory(const Options& options) : options_(options) {}

    static constexpr std::size_t reserve = 16;

    /// How many more messages the lane may hold.
    [[nodiscard]] std::size_t room(const Lane& lane) const noexcept;
    /// How many media messages of one lane may await their files beside its heaps. More than
    /// `reserve` only while half of the memory is free: the other half is for what can be sent.
    [[nodiscard]] std::size_t awaiting_max() const noexcept;
    /// Whether so few of this source are left that it is time to load more.
    [[nodiscard]] bool low(const Lane& lane, const LaneSource& source) const noexcept;

    void keep(LaneSource& source, store::QueuedMessage queued);
    /// Of what was read from the store (LaneHeap::push_known).
    void keep_known(LaneSource& source, store::QueuedMessage queued);
    [[nodiscard]] store::QueuedMessage take(LaneSource& source);
    [[nodiscard]] std::optional<store::QueuedMessage> remove(LaneSource& source,
                                                             const model::MessageId& id);
    /// Leaves what goes last to the disk: there is something that goes before it.
    void let_go_later_half(LaneSource& source);
    /// Leaves what waits in the lane's heaps to the disk.
    void let_go(Lane& lane);

    /// A message that is held outside a heap counts all the same.
    void count(const store::QueuedMessage& queued);
    void uncount(const store::QueuedMessage& queued);

    [[nodiscard]] std::size_t messages() const noexcept { return messages_; }

private:
    [[nodiscard]] std::size_t worth_holding(const Lane& lane) const noexcept;

    const Options& options_;
    std::size_t messages_ = 0;
    std::size_t bytes_ = 0;
};

}  // namespace merpati::scheduler
