// A message between its lane's memory and the commit of what became of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "connector/connector.hpp"
#include "media/file_source.hpp"
#include "model/message.hpp"
#include "model/message_event.hpp"
#include "model/outcome.hpp"
#include "scheduler/lane.hpp"
#include "scheduler/pacer.hpp"
#include "store/write_batch.hpp"

namespace merpati::scheduler {

/// A message that was taken out of its lane, to be sent or to be moved in the store.
///
/// Operation: it counts in its lane for as long as it exists. A send begins (`begin`), is counted
/// in the pace, and is with the connector from `begin_sending` on, after its intent where recovery
/// needs one (`begin_recording`). What becomes of the message is one of `finish`, `withdraw`,
/// `reschedule` and `hand_over`: each makes the element of a batch, and from then on the message is
/// being committed.
///
/// Threads: none. The scheduler's thread owns them.
class InFlight {
public:
    enum class Stage : std::uint8_t {
        recording,   // Its intent is being committed.
        sending,     // With the connector.
        committing,  // Its end, or its next attempt, is being committed.
    };

    /// `in_window`: it counts in its lane's window.
    InFlight(Lane& lane, store::QueuedMessage queued, bool in_window);
    InFlight(const InFlight&) = delete;
    InFlight& operator=(const InFlight&) = delete;
    ~InFlight();

    [[nodiscard]] Lane& lane() const noexcept { return lane_; }
    /// Its lane's, when it was taken out.
    [[nodiscard]] connector::Connector* connector() const noexcept { return connector_; }
    [[nodiscard]] Stage stage() const noexcept { return stage_; }
    /// `message` is null once `finish` or `withdraw` was called.
    [[nodiscard]] const store::QueuedMessage& queued() const noexcept { return queued_; }
    [[nodiscard]] const model::Message& message() const noexcept { return *queued_.message; }
    /// Null: it is no media message.
    [[nodiscard]] const media::File* file() const noexcept { return file_.get(); }
    /// The wait for its file.
    [[nodiscard]] const WaitSpan& fetch() const noexcept { return fetch_; }
    /// Whether it tests whether a device that was down works again.
    [[nodiscard]] bool is_probe() const noexcept { return probe_; }
    /// When its send began.
    [[nodiscard]] std::optional<Timestamp> began() const noexcept { return began_; }
    /// Whether the platform may have it, or the store says so.
    [[nodiscard]] bool is_begun() const noexcept {
        return stage_ == Stage::sending || queued_.intent_recorded;
    }

    void give_file(media::FilePtr file, const WaitSpan& fetch);
    /// Its send begins.
    void begin(Timestamp now);
    /// Counts the send in its lane's pace (Pacer::sent),
    void count_in_pace(Timestamp now, Millis jitter, Millis day_left);
    /// (Pacer::take_back),
    void take_back_from_pace() { lane_.pacer().take_back(paced_); }
    /// (Pacer::uncount).
    void uncount_in_pace() { lane_.pacer().uncount(paced_); }
    /// `returns_if_suppressed`: store::Intent::unless_suppressed
    [[nodiscard]] store::Intent begin_recording(bool returns_if_suppressed);
    void note_intent() noexcept { queued_.intent_recorded = true; }
    void begin_sending() noexcept { stage_ = Stage::sending; }

    /// It has crashed its connector's program before, and may do so again.
    void begin_suspicion() noexcept { suspect_ = true; }
    /// False: it was no suspect.
    [[nodiscard]] bool end_suspicion() noexcept { return std::exchange(suspect_, false); }

    // What an attempt has shown. It is stored with what becomes of the message.
    void count_attempt() noexcept { ++queued_.attempts; }
    void count_crash() noexcept { ++queued_.crashes; }
    void note_perhaps_sent() noexcept { queued_.perhaps_sent = true; }
    /// Every later attempt is one of the fallback template.
    void become_template() noexcept { queued_.as_template = true; }
    /// Returns since when it fails. A pause of its device that ended later begins the time anew.
    Timestamp note_failing(Timestamp now);
    void forget_failing() noexcept { queued_.failing_since.reset(); }
    void add_event(model::MessageEvent event) { events_.push_back(std::move(event)); }
    void order_events();

    [[nodiscard]] store::Finish finish(model::Completion completion,
                                       std::optional<model::Callback> callback);
    /// The message returns to its campaign.
    [[nodiscard]] store::Finish withdraw(Timestamp at);
    [[nodiscard]] store::Reschedule reschedule(Timestamp queue_at, std::string details);
    /// Adds to `work` what is known of the message.
    [[nodiscard]] store::HandOver hand_over(store::HandOver work);

    /// The message, as it was put into the store's queue at `queued_at`.
    [[nodiscard]] store::QueuedMessage take_rescheduled(Timestamp queued_at);
    /// The message, as it was before its send.
    [[nodiscard]] store::QueuedMessage take_unsent() { return std::move(queued_); }

private:
    Lane& lane_;
    connector::Connector* connector_;
    store::QueuedMessage queued_;
    media::FilePtr file_;
    WaitSpan fetch_{};
    Stage stage_ = Stage::committing;
    const bool probe_;
    const bool in_window_;
    bool suspect_ = false;
    Pacer::Send paced_{};
    std::optional<Timestamp> began_;
    std::vector<model::MessageEvent> events_;  // To be written with its outcome.
};

}  // namespace merpati::scheduler
