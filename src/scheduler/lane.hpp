// One device's waiting work.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "connector/connector.hpp"
#include "model/device.hpp"
#include "model/message.hpp"
#include "scheduler/pacer.hpp"
#include "store/reader.hpp"

namespace merpati::scheduler {

/// The messages of one lane and source that are held in memory, earliest first: by (time of the
/// next attempt, acceptance).
class LaneHeap {
public:
    void push(store::QueuedMessage message);
    /// As push, and `knows` the id until it is taken out: for what was read from the store, whose
    /// acceptance may only now be on its way here.
    void push_known(store::QueuedMessage message);
    [[nodiscard]] bool knows(const model::MessageId& id) const { return known_.contains(id); }
    [[nodiscard]] const store::QueuedMessage& top() const { return heap_.front(); }
    [[nodiscard]] store::QueuedMessage pop();
    /// Takes one message out from anywhere; empty when it is not here. Walks the heap.
    [[nodiscard]] std::optional<store::QueuedMessage> remove(const model::MessageId& id);

    [[nodiscard]] bool empty() const noexcept { return heap_.empty(); }
    [[nodiscard]] std::size_t size() const noexcept { return heap_.size(); }
    template <class Visit>
    void for_each(Visit&& visit) const {
        std::ranges::for_each(heap_, visit);
    }
    /// None in here is due later.
    [[nodiscard]] Timestamp latest() const noexcept { return latest_; }
    /// Takes out the half that goes last, or all where there is but one.
    [[nodiscard]] std::vector<store::QueuedMessage> take_later_half();
    /// Lets all of them go; they wait on disk.
    void clear();

private:
    void forget(const model::MessageId& id);

    std::vector<store::QueuedMessage> heap_;
    std::unordered_set<Uuid> known_;
    Timestamp latest_{};
};

/// Messages of one source: some in memory, the others on disk.
struct LaneSource {
    LaneHeap memory;
    /// Nothing on disk that is not in memory comes due before this; empty: nothing is there.
    std::optional<Timestamp> disk_due;
    /// Media messages in flight whose file has come: they are due, and go before the others.
    std::set<std::pair<Timestamp, model::MessageId>> with_file;

    void note_on_disk(Timestamp due) { disk_due = disk_due ? std::min(*disk_due, due) : due; }
    /// Whether something on disk may go before what is in memory.
    [[nodiscard]] bool disk_first() const {
        return disk_due && !memory.empty() && *disk_due < memory.top().queued_at;
    }
};

/// Media messages of one lane that were taken out of their heap to wait for their file.
struct LaneFetches {
    std::unordered_set<model::MessageId> all;  // Waiting, being fetched, or with their file.
    std::deque<model::MessageId> waiting;      // Not asked for yet; may name some that have left.
    std::size_t under_way = 0;
};

/// One device: its two sources, what it may send now, and what it is waiting for.
struct Lane {
    model::PhoneNumber device;
    bool known = false;  // The device is in the directory; an unknown one does not send.
    model::DeviceState state = model::DeviceState::disconnected;
    connector::Connector* connector = nullptr;
    std::size_t window = 1;
    Pacer pacer;

    std::array<LaneSource, 2> sources;  // By model::Source; API messages go first.
    LaneFetches fetches;
    std::size_t in_flight = 0;  // Handed to the platform or being committed.

    /// The connector said that the device is down although its state says connected: one message
    /// at a time tries whether it is back.
    bool probing = false;
    Millis probe_wait{0};
    Timestamp probe_at{};
    /// It cannot send, by its state or by what its connector said, since then.
    std::optional<Timestamp> down_since;
    std::optional<Timestamp> down_since_stored;

    bool ready = false;                     // Stands in the dispatcher's round.
    bool counted = false;                   // As a lane with work.
    Timestamp timer_at = Timestamp::max();  // When LaneTimers wakes it.

    [[nodiscard]] LaneSource& source(model::Source which) {
        return sources[static_cast<std::size_t>(which)];
    }
    [[nodiscard]] std::size_t in_memory() const noexcept {
        return sources[0].memory.size() + sources[1].memory.size();
    }
    [[nodiscard]] bool connected() const noexcept {
        return known && connector != nullptr && state == model::DeviceState::connected;
    }
    /// When it may send, as far as pace and pause are concerned.
    [[nodiscard]] Timestamp may_send_at() const noexcept {
        return probing ? std::max(probe_at, pacer.ready_at()) : pacer.ready_at();
    }
    /// Sends that may be under way at once.
    [[nodiscard]] std::size_t places() const noexcept { return probing ? 1 : window; }
    [[nodiscard]] bool idle() const noexcept {
        return in_memory() == 0 && fetches.all.empty() && in_flight == 0 && !sources[0].disk_due &&
               !sources[1].disk_due;
    }

    /// The source whose earliest message in memory goes next: API before campaign among those due.
    /// A message with its file is due.
    [[nodiscard]] LaneSource* next_due(Timestamp now);
    /// When the earliest message in memory comes due.
    [[nodiscard]] std::optional<Timestamp> memory_due() const;
    /// The earliest lower bound of what is on disk.
    [[nodiscard]] std::optional<Timestamp> disk_due() const;
};

}  // namespace merpati::scheduler
