// The messages of one device that wait or are in flight.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "connector/connector.hpp"
#include "model/device.hpp"
#include "model/message.hpp"
#include "scheduler/lane_source.hpp"
#include "scheduler/outage.hpp"
#include "scheduler/pacer.hpp"
#include "store/records.hpp"

namespace merpati::scheduler {

/// How many media messages of one lane may await their files, by their source.
struct AwaitingMax {
    std::size_t api = 0;
    std::size_t campaign = 0;

    [[nodiscard]] std::size_t of(model::Source source) const noexcept {
        return source == model::Source::api ? api : campaign;
    }
};

/// One device: its two sources, its pace and window, and whether it can send.
///
/// Life: a lane begins with the messages and the record that the store holds (`recover`), and with
/// its device (`change`). A device that comes while the process runs is expected first (`expect`),
/// until what the store holds was read (`arrive`). A lane that is being detached (`leave`) begins
/// nothing, and is forgotten with its last send in flight.
///
/// Threads: none. The scheduler's thread owns every lane.
class Lane {
public:
    explicit Lane(model::PhoneNumber device) : device_(device) {}
    Lane(const Lane&) = delete;
    Lane& operator=(const Lane&) = delete;

    [[nodiscard]] model::PhoneNumber device() const noexcept { return device_; }

    /// Messages of the source wait in the store.
    void recover(model::Source which, Timestamp due_from);
    void recover(const store::LaneRecord& record);

    /// Its device was added or changed. Null: there is no connector of its name. `clock_offset`:
    /// QueueClock::offset.
    void change(const model::Device& device, connector::Connector* connector, Timestamp now,
                Millis clock_offset);
    /// Its device was removed.
    void remove(Timestamp now);
    /// Whether neither a device nor the records of the previous process keep it in memory.
    [[nodiscard]] bool is_superfluous() const noexcept { return !known_ && !recovered_; }

    /// Its device has come, or has changed since.
    void expect(model::Device device);
    [[nodiscard]] bool is_expecting() const noexcept { return arriving_ != nullptr; }
    /// What the store holds was read. Returns the device, for `change`. It has until `give_up_from`
    /// to connect.
    [[nodiscard]] std::unique_ptr<const model::Device> arrive(Timestamp give_up_from);
    [[nodiscard]] Timestamp give_up_from() const noexcept { return give_up_from_; }

    /// Begins to be detached, with nothing in memory. What it expects comes after its end.
    void leave();
    [[nodiscard]] bool is_leaving() const noexcept { return leaving_ != nullptr; }
    /// Outcomes may not be recorded any more.
    void drop_outcomes() noexcept { leaving_->drops_outcomes = true; }
    [[nodiscard]] bool drops_outcomes() const noexcept {
        return leaving_ != nullptr && leaving_->drops_outcomes;
    }
    /// Holds the request until nothing of the lane is in flight.
    void hold_until_left(std::shared_ptr<const void> request);
    /// Nothing is in flight: lets go of all requests.
    void let_go() { leaving_->requests.clear(); }
    /// The device that came back meanwhile; null: none did.
    [[nodiscard]] std::unique_ptr<model::Device> take_expected() { return std::move(arriving_); }

    [[nodiscard]] bool is_known() const noexcept { return known_; }
    [[nodiscard]] bool connected() const noexcept {
        return known_ && connector_ != nullptr && model::is_online(state_);
    }
    /// It sends nothing, and no message is given up.
    [[nodiscard]] bool is_paused() const noexcept { return paused_; }
    /// Null: the device is unknown, or has none.
    [[nodiscard]] connector::Connector* connector() const noexcept { return connector_; }

    [[nodiscard]] Pacer& pacer() noexcept { return pacer_; }
    [[nodiscard]] const Pacer& pacer() const noexcept { return pacer_; }
    [[nodiscard]] Outage& outage() noexcept { return outage_; }
    [[nodiscard]] const Outage& outage() const noexcept { return outage_; }
    /// The platform has answered a send, so the device works.
    void note_working(bool was_probe, Timestamp now);
    /// When pace and probing allow the next send.
    [[nodiscard]] Timestamp may_send_at() const noexcept {
        return outage_.is_probing() ? std::max(outage_.probe_at(), pacer_.ready_at())
                                    : pacer_.ready_at();
    }

    // What held it back last, for the messages that were due meanwhile.
    /// The end of the last pause survives a restart.
    [[nodiscard]] const WaitSpan& pause() const noexcept { return pause_; }
    [[nodiscard]] const WaitSpan& cap() const noexcept { return cap_; }
    /// A send begins at `now`, and may have waited for the end of a cap.
    void note_end_of_cap(Timestamp now);

    [[nodiscard]] std::array<LaneSource, 2>& sources() noexcept { return sources_; }
    [[nodiscard]] LaneSource& source(model::Source which) {
        return sources_[static_cast<std::size_t>(which)];
    }
    [[nodiscard]] const LaneSource& source(model::Source which) const {
        return sources_[static_cast<std::size_t>(which)];
    }
    [[nodiscard]] std::size_t in_memory() const noexcept {
        return sources_[0].memory().size() + sources_[1].memory().size();
    }
    [[nodiscard]] bool is_fetching() const noexcept {
        return sources_[0].fetches().is_fetching() || sources_[1].fetches().is_fetching();
    }
    // A source whose next message has to wait, because `awaiting_max` of its messages await their
    // files, does not hold up the other one.
    /// The source of the next message in memory: of those due, API before campaign.
    [[nodiscard]] LaneSource* next_due(Timestamp now, const AwaitingMax& awaiting_max);
    /// When the earliest message in memory that can be sent is due.
    [[nodiscard]] std::optional<Timestamp> memory_due(const AwaitingMax& awaiting_max) const {
        return earlier(source(model::Source::api).memory_due(awaiting_max.api),
                       source(model::Source::campaign).memory_due(awaiting_max.campaign));
    }
    /// A lower bound of when the earliest message on disk is due.
    [[nodiscard]] std::optional<Timestamp> disk_due() const {
        return earlier(sources_[0].disk_due(), sources_[1].disk_due());
    }
    /// After a failed read, it is not read again before `next`.
    void pause_reads(Timestamp next) noexcept { next_read_at_ = next; }
    [[nodiscard]] Timestamp next_read_at() const noexcept { return next_read_at_; }

    /// Whether messages of the source were read from the store before.
    [[nodiscard]] bool has_read(model::Source which) const noexcept {
        return has_read_[static_cast<std::size_t>(which)];
    }
    void note_read(model::Source which) noexcept {
        has_read_[static_cast<std::size_t>(which)] = true;
    }

    /// Messages that are handed to the platform or being committed, and count in the window.
    [[nodiscard]] std::size_t in_window() const noexcept { return in_window_; }
    /// The same, also those that do not count in the window.
    [[nodiscard]] std::size_t flights() const noexcept { return flights_; }
    /// How many may be in the window while the device is not probed.
    void set_window(std::size_t window) noexcept { window_ = window; }
    [[nodiscard]] bool is_window_full() const noexcept {
        return in_window_ >= (outage_.is_probing() ? 1 : window_);
    }

    /// Whether nothing waits or is in flight.
    [[nodiscard]] bool idle() const noexcept {
        return in_window_ == 0 && sources_[0].idle() && sources_[1].idle();
    }
    /// Whether it became busy or idle since the last call.
    [[nodiscard]] bool busy_changed() noexcept {
        const bool busy = !idle();
        return std::exchange(was_busy_, busy) != busy;
    }
    /// Whether it is in ReadyLanes.
    [[nodiscard]] bool is_ready() const noexcept { return ready_; }

private:
    friend class InFlight;    // Counts itself.
    friend class LaneTimers;  // Keeps its place in the lane.
    friend class ReadyLanes;  // The same.

    struct Leaving {
        bool drops_outcomes = false;
        /// Each answers when the last lane of its request has let go of it.
        std::vector<std::shared_ptr<const void>> requests;
    };

    const model::PhoneNumber device_;
    bool known_ = false;  // The device exists; a lane without one does not send.
    /// Has records of the previous process, for a device that has not come yet.
    bool recovered_ = false;
    model::DeviceState state_ = model::DeviceState::disconnected;
    bool paused_ = false;
    connector::Connector* connector_ = nullptr;
    std::size_t window_ = 1;
    Pacer pacer_;
    Outage outage_;
    WaitSpan pause_{};
    WaitSpan cap_{};

    std::array<LaneSource, 2> sources_;  // By model::Source; API messages go first.
    std::size_t in_window_ = 0;
    std::size_t flights_ = 0;
    Timestamp next_read_at_{};
    std::array<bool, 2> has_read_{};  // By model::Source.
    Timestamp give_up_from_{};

    std::unique_ptr<Leaving> leaving_;
    /// Its device, until what the store holds of the lane was read.
    std::unique_ptr<model::Device> arriving_;

    bool ready_ = false;
    bool was_busy_ = false;
    Timestamp timer_at_ = Timestamp::max();  // When LaneTimers wakes it.
};

}  // namespace merpati::scheduler
