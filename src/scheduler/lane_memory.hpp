// The memory that all lanes together use for messages.
#pragma once

#include <cstddef>
#include <optional>

#include "scheduler/lane.hpp"
#include "scheduler/scheduler.hpp"

namespace merpati::scheduler {

/// Counts the messages in memory that wait, and says how many more a lane may hold. All of them are
/// on disk too: evicted ones are read again later.
///
/// Limits: `memory_max` messages and `memory_bytes_max` bytes; beyond them `reserve` messages for
/// each lane, so that full memory slows lanes down but stops none. A paced lane holds little more
/// than what it can send soon. Messages of campaigns take at most a `campaign_part`th of each
/// limit, so that API messages always have room.
class LaneMemory {
public:
    explicit LaneMemory(const Options& options) : options_(options) {}

    static constexpr std::size_t reserve = 16;
    static constexpr std::size_t campaign_part = 4;

    /// How many more messages of this source the lane may hold.
    [[nodiscard]] std::size_t room(const Lane& lane, model::Source source) const noexcept;
    /// How many media messages of one lane may wait for their files, outside its heaps. More than
    /// `reserve` only while half of the memory is free, so that messages which can be sent have the
    /// other half; of campaigns, only while half of their part is free, too.
    [[nodiscard]] AwaitingMax awaiting_max() const noexcept;
    /// Whether so few messages of this source are in memory that more should be loaded.
    [[nodiscard]] bool low(const Lane& lane, model::Source source) const noexcept;

    [[nodiscard]] std::size_t messages() const noexcept { return all_.messages; }
    /// Of them, those that await their files.
    [[nodiscard]] std::size_t awaiting() const noexcept { return awaiting_; }

    void push(LaneSource& source, store::QueuedMessage queued);
    /// See LaneHeap::push_loaded.
    void push_loaded(LaneSource& source, store::QueuedMessage queued);
    [[nodiscard]] store::QueuedMessage pop(LaneSource& source);
    /// Removes a message, also one that awaits its file; empty: it is not in memory.
    [[nodiscard]] std::optional<store::QueuedMessage> remove(LaneSource& source,
                                                             const model::MessageId& id);
    /// Evicts the later half, to make room for messages that go before it.
    void evict_later_half(LaneSource& source);
    /// Evicts all messages of the lane.
    void evict(Lane& lane);

    // Media messages outside the heaps (LaneFetches).
    void await_file(LaneSource& source, store::QueuedMessage queued, Timestamp now);
    /// Takes out the earliest message that has its file.
    [[nodiscard]] AwaitingMessage pop_with_file(LaneSource& source);
    /// Takes out a message that awaits its file.
    [[nodiscard]] store::QueuedMessage stop_awaiting(LaneSource& source,
                                                     const model::MessageId& id);

private:
    void count(const store::QueuedMessage& queued);
    void uncount(const store::QueuedMessage& queued);

    struct Held {
        std::size_t messages = 0;
        std::size_t bytes = 0;
    };
    /// How many more messages may be in memory, if `part` of the limits are theirs.
    [[nodiscard]] std::size_t room_beside(const Held& held, std::size_t part) const noexcept;
    [[nodiscard]] bool is_half_free(const Held& held, std::size_t part) const noexcept;
    [[nodiscard]] std::size_t lane_max(model::Source source) const noexcept;
    [[nodiscard]] std::size_t worth_holding(const Lane& lane) const noexcept;
    [[nodiscard]] std::size_t worth_holding(const Lane& lane, model::Source source) const noexcept;

    const Options& options_;
    Held all_;
    Held campaigns_;  // Of all.
    std::size_t awaiting_ = 0;
};

}  // namespace merpati::scheduler
