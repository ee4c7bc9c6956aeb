// The messages of one device that wait or are in flight.
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
    /// For a message that was read from the store: `is_loaded` is true for its id until it is taken
    /// out, because the event of its acceptance may still come.
    void push_loaded(store::QueuedMessage message);
    [[nodiscard]] bool is_loaded(const model::MessageId& id) const { return loaded_.contains(id); }
    [[nodiscard]] const store::QueuedMessage& top() const { return heap_.front(); }
    [[nodiscard]] store::QueuedMessage pop();
    /// Removes a message by its id; empty if it is not here. Searches the whole heap.
    [[nodiscard]] std::optional<store::QueuedMessage> remove(const model::MessageId& id);

    [[nodiscard]] bool empty() const noexcept { return heap_.empty(); }
    [[nodiscard]] std::size_t size() const noexcept { return heap_.size(); }
    template <class Visit>
    void for_each(Visit&& visit) const {
        std::ranges::for_each(heap_, visit);
    }
    /// No message in here is due later.
    [[nodiscard]] Timestamp latest() const noexcept { return latest_; }
    /// Removes the later half; of one message, that one.
    [[nodiscard]] std::vector<store::QueuedMessage> pop_later_half();
    void clear();

private:
    void forget(const model::MessageId& id);

    std::vector<store::QueuedMessage> heap_;
    std::unordered_set<Uuid> loaded_;
    Timestamp latest_{};
};

/// Media messages of one source that were taken out of its heap until their file is fetched.
struct LaneFetches {
    /// Waiting to be fetched, being fetched, or with their file.
    std::unordered_set<model::MessageId> all;
    std::deque<model::MessageId> waiting;  // Of `all`, those to be fetched.
    std::size_t in_flight = 0;
    /// Of `all`, those that have their file: they are due, and go before the source's others.
    std::set<std::pair<Timestamp, model::MessageId>> with_file;
};

/// Messages of one source, in memory and on disk.
struct LaneSource {
    LaneHeap memory;
    /// No message that is on disk alone is due before this; empty: there is none.
    std::optional<Timestamp> disk_due;
    LaneFetches fetches;

    /// Whether its next message needs a file while `awaiting_max` messages await theirs.
    [[nodiscard]] bool is_blocked_by_fetches(std::size_t awaiting_max) const {
        return fetches.with_file.empty() && !memory.empty() &&
               memory.top().message->type == model::MessageType::media &&
               fetches.all.size() >= awaiting_max;
    }
    void note_on_disk(Timestamp due) { disk_due = disk_due ? std::min(*disk_due, due) : due; }
    /// Whether a message on disk may go before those in memory.
    [[nodiscard]] bool disk_first() const {
        return disk_due && !memory.empty() && *disk_due < memory.top().queued_at;
    }
};

/// A time in which a lane sent nothing.
struct LaneHold {
    Timestamp from;
    Timestamp until;
};

/// A lane that is being detached: it begins nothing, and is forgotten with its last send in flight.
struct LaneLeaving {
    bool drops_outcomes = false;  // They may not be recorded any more.
    /// Each calls its `done` when the last lane of its request has let go of it.
    std::vector<std::shared_ptr<const void>> requests;
};

/// One device: its two sources, its pace and window, and whether it can send.
struct Lane {
    model::PhoneNumber device;
    bool known = false;  // The device exists; a lane without one does not send.
    /// Has records of the previous process, for a device that has not come yet.
    bool recovered = false;
    model::DeviceState state = model::DeviceState::disconnected;
    bool paused = false;  // It sends nothing, and no message is given up.
    connector::Connector* connector = nullptr;
    std::size_t window = 1;  // By the connector's capabilities when the lane was last run.
    Pacer pacer;

    std::array<LaneSource, 2> sources;  // By model::Source; API messages go first.
    std::size_t in_flight = 0;          // Handed to the platform or being committed.
    std::size_t flights = 0;            // In Dispatcher::in_flight_, those without a window too.
    Timestamp next_read_at{};           // After a failed read.

    /// The connector reported the device as down although its state is connected: one message at a
    /// time tests whether it works again.
    bool probing = false;
    Millis probe_wait{0};
    Timestamp probe_at{};
    /// Since when it cannot send, by its state or by its connector's outcomes.
    std::optional<Timestamp> down_since;
    std::optional<Timestamp> down_since_stored;
    Timestamp give_up_from{};  // Since it was attached, its device has until then to connect.
    /// What held it back last, for the messages that were due meanwhile.
    LaneHold outage;
    LaneHold cap;
    LaneHold pause;  // The end of the last one survives a restart.

    std::unique_ptr<LaneLeaving> leaving;
    /// Its device, until what the store holds of the lane was read.
    std::unique_ptr<model::Device> arriving;

    bool ready = false;                     // Is in Dispatcher::ready_lanes_.
    bool counted = false;                   // In Counts::lanes.
    Timestamp timer_at = Timestamp::max();  // When LaneTimers wakes it.

    [[nodiscard]] LaneSource& source(model::Source which) {
        return sources[static_cast<std::size_t>(which)];
    }
    [[nodiscard]] const LaneSource& source(model::Source which) const {
        return sources[static_cast<std::size_t>(which)];
    }
    [[nodiscard]] std::size_t in_memory() const noexcept {
        return sources[0].memory.size() + sources[1].memory.size();
    }
    [[nodiscard]] bool connected() const noexcept {
        return known && connector != nullptr && model::is_online(state);
    }
    /// When pace and probing allow the next send.
    [[nodiscard]] Timestamp may_send_at() const noexcept {
        return probing ? std::max(probe_at, pacer.ready_at()) : pacer.ready_at();
    }
    /// Sends that may be in flight at once.
    [[nodiscard]] std::size_t window_now() const noexcept { return probing ? 1 : window; }
    [[nodiscard]] bool idle() const noexcept {
        return in_memory() == 0 && in_flight == 0 &&
               std::ranges::all_of(sources, [](const LaneSource& source) {
                   return source.fetches.all.empty() && !source.disk_due;
               });
    }

    [[nodiscard]] bool is_fetching() const noexcept {
        return sources[0].fetches.in_flight > 0 || sources[1].fetches.in_flight > 0;
    }

    // `awaiting_max`: how many messages of a source may await their files. A source whose next
    // message has to wait for that does not hold up the other one.
    /// The source of the next message in memory: of those due, API before campaign. A message with
    /// its file is due.
    [[nodiscard]] LaneSource* next_due(Timestamp now, std::size_t awaiting_max);
    /// When the earliest message in memory that can be sent is due.
    [[nodiscard]] std::optional<Timestamp> memory_due(std::size_t awaiting_max) const;
    /// A lower bound of when the earliest message on disk is due.
    [[nodiscard]] std::optional<Timestamp> disk_due() const;
};

}  // namespace merpati::scheduler
