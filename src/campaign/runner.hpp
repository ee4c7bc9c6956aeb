// Runs campaigns: queues their rows in the lanes, starts, pauses and finishes them.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "admission/directory.hpp"
#include "admission/ownership.hpp"
#include "base/mailbox.hpp"
#include "base/queue_clock.hpp"
#include "base/uuid.hpp"
#include "campaign/audience/uploads.hpp"
#include "campaign/device_loads.hpp"
#include "campaign/feed.hpp"
#include "campaign/judgement.hpp"
#include "campaign/open_campaigns.hpp"
#include "campaign/start_checks.hpp"
#include "campaign/step_size.hpp"
#include "scheduler/scheduler.hpp"
#include "store/committer.hpp"
#include "store/reader_source.hpp"
#include "store/shard_set.hpp"
#include "telemetry/log.hpp"

namespace merpati::campaign {

struct RunnerCounts {
    std::uint64_t queued_total = 0;   // Rows whose messages went to their lanes.
    std::uint64_t skipped_total = 0;  // Rows that a check skipped when they were due.
    std::uint64_t batches_total = 0;  // Commits.
};

/// Operation: everything durable happens in changes, which decide in their transactions; the runner
/// proposes them, and sees their result in the rows that the committer reports (`follow`). After a
/// crash it finds in the store what is left to do.
///
/// Rows: accounts take turns, and in them their campaigns, each with one batch; a campaign has one
/// hand-over under way. All campaigns together have about as many rows under way as are written in
/// twice `step_target`, so that other commits wait for no more, however many campaigns run. A
/// device gets rows when it holds at most half of `depth_of` its pace, and its campaigns share what
/// it lacks.
///
/// Judgement: whenever a campaign's row, its account or a device changes, and once a second:
/// finish, pause, wait, go on after a restriction (judgement.hpp). When it must not send, its
/// queued messages are withdrawn.
///
/// Schedules: a campaign is checked at its time as `start` checks it, each row of it (StartChecks),
/// and then starts. One that is more than `late_max` late is paused as missed_schedule, and so is
/// one that is not ready; one that cannot start otherwise is paused with the fitting reason.
///
/// Webhooks: one callback for each state, in a commit of its own that also notes the state as
/// notified, so a crash neither loses nor repeats it. A campaign in which something is due and
/// nothing has moved for `stalled_after` is reported once as stalled.
///
/// Steps: rows of cancelled campaigns are ended, staged rows and rows of removed campaigns are
/// removed, `rows_step` in a commit. A step that changes nothing while rows are left has failed.
///
/// Moves: campaigns of accounts are detached and attached again, in this process or another one, as
/// by a stop and a start of them alone. At the start those are attached that are here
/// (admission::Ownership).
///
/// Damage: what cannot be read or written is tried again after a pause, which grows to
/// `damage_pause_max`, and each time logged. Other campaigns do not wait for it.
///
/// Threads: one of its own. `follow` and `ended` on the committer's thread; `counts` on any.
///
/// Memory: a campaign that waits has its record alone; see Feed for one that runs.
class Runner {
public:
    struct Rooms {
        const QueueClock& clock;
        UuidSource& ids;
        store::ReaderSource& store;
        store::Committer& committer;
        const admission::Directory& directory;
        const admission::Ownership& ownership;
        scheduler::Scheduler& scheduler;
        OpenCampaigns& open;
        const Uploads& uploads;
        /// What `POST /v1/campaigns/ID/check` says of the campaign, in steps. Called on other
        /// threads.
        StartChecks::Check check;
        decltype(Feed::Rooms::opt_out_url) opt_out_url;
        /// Takes each message that was stored (intake::Intake::accepted), on the committer's
        /// thread.
        std::function<void(std::unique_ptr<model::Message>)> accepted;
        /// Called at most twice a second for a campaign whose counts change, on the runner's
        /// thread.
        std::function<void(const model::Campaign&)> on_progress{};
        telemetry::Log log;
    };
    explicit Runner(Rooms rooms);
    ~Runner() { stop(); }

    /// Begins with what the store holds; `rooms.open` must be loaded. Errors: store_failed,
    /// damaged.
    [[nodiscard]] Result<void> start();
    /// Ends the thread. Idempotent. Changes that are under way are committed.
    void stop();

    /// Finds the campaigns of the shards' accounts in `rooms.open` and the store, as a start does
    /// those of all. Calls `done` once, unless the thread has stopped. Errors: store_failed,
    /// damaged.
    void attach(const store::ShardSet& shards, std::move_only_function<void(Result<void>)> done);
    /// Begins nothing for these campaigns any more, and forgets them. Drops `done` once what was
    /// begun is committed. `follow` must not be called for them any more.
    void detach(const store::ShardSet& shards, std::shared_ptr<const void> done);

    /// Call for each committed row, after OpenCampaigns and the directory have applied it.
    void follow(const store::RowChange& change);
    /// A message has ended or was withdrawn: it has left its lane.
    void ended(const model::Message& message);
    /// Wakes the thread once for all of a committed batch (Committer::after_batch).
    void batch_done() { box_.wake(); }

    [[nodiscard]] RunnerCounts counts() const noexcept;

    /// One turn: handles what was reported, judges, queues rows. Returns how long it may sleep. For
    /// the thread, and for tests without one.
    [[nodiscard]] Millis turn();
    /// As `start`, without the thread.
    [[nodiscard]] Result<void> load();

    static constexpr std::chrono::hours late_max{1};
    static constexpr std::chrono::minutes stalled_after{5};
    static constexpr Millis tick_every{1'000};
    static constexpr Millis progress_every{500};
    /// The longest pause between two tries to read or change rows that cannot be read.
    static constexpr Millis damage_pause_max{60'000};
    static constexpr std::size_t step_rows_max = 64;
    static constexpr std::chrono::microseconds step_target{300};

private:
    using Event = std::move_only_function<void()>;

    /// What is known of one campaign.
    struct Known {
        explicit Known(const Feed::Rooms& rooms) : feed(rooms) {}

        CampaignPtr campaign;
        Feed feed;
        bool queueing = false;
        bool moving = false;       // A change of its state is under way.
        bool checking = false;     // A check before its start is under way.
        bool stepping = false;     // A step over its rows is under way.
        bool withdrawing = false;  // A withdrawal is under way,
        bool withdrawn = false;    // or complete.
        std::uint32_t withdrawn_to = 0;
        bool goes_on = false;      // It was started or resumed, and has queued nothing since.
        bool owes_notice = false;  // Its webhook was not notified of its state.
        bool left = false;         // Its account was detached.
        bool stalled = false;      // That was reported.
        SteadyTime feed_at{};      // When rows may be queued again, after a failure,
        SteadyTime read_at{};      // when they may be read again,
        SteadyTime step_at{};      // when a step over them may be tried again,
        SteadyTime judge_at{};     // and when it may be moved again.
        Millis available{0};       // The time that is left until `finish_by` and not quiet,
        SteadyTime count_at{};     // and when it is counted again.
        Millis read_pause{0};      // The last pause after a read that failed,
        Millis step_pause{0};      // and after a step.
        SteadyTime moved_at{};     // When its counts changed last.
        std::deque<std::pair<SteadyTime, std::int64_t>> ends;  // How many rows had ended, when.

        /// Whether something that was begun for it has not ended.
        [[nodiscard]] bool is_busy() const noexcept {
            return queueing || moving || checking || stepping || withdrawing;
        }
    };
    using KnownPtr = std::shared_ptr<Known>;

    struct Submitted {
        model::CampaignId campaign;
        store::PlannedRows planned;
        std::vector<std::optional<model::PhoneNumber>> devices;  // By row; empty: no message.
        SteadyTime::duration took{};                             // Of the change.
    };

    // runner.cpp
    void run();
    void post(Event event) { box_.put_quietly(std::move(event)); }
    void written(const CampaignPtr& campaign);
    void follow_state(Known& known, const CampaignPtr& before);
    void tick();
    void judge_all();
    KnownPtr know(const CampaignPtr& campaign);
    [[nodiscard]] store::CampaignReader* reader();
    [[nodiscard]] static Millis longer(Millis pause);
    void read_failed(Known& known, const Error& error);
    void tell_progress();

    // runner_accounts.cpp
    [[nodiscard]] Result<void> take_in(const store::ShardSet& shards);
    [[nodiscard]] Result<void> count_loads(const model::Campaign& campaign);
    void forget(const store::ShardSet& shards, std::shared_ptr<const void> done);
    void answer_left();

    // runner_rows.cpp
    [[nodiscard]] bool queue_some();
    [[nodiscard]] bool may_queue() const;
    [[nodiscard]] bool queue_one_of(std::deque<model::CampaignId>& queue);
    [[nodiscard]] bool queue_rows(const KnownPtr& known);
    [[nodiscard]] FreePlaces free_places(const model::Campaign& campaign) const;
    [[nodiscard]] Spacing spacing_of(Known& known) const;
    [[nodiscard]] Timestamp due_max(const model::Campaign& campaign) const;
    void submit(const KnownPtr& known, store::PlannedRows planned);
    void rows_queued(const KnownPtr& known, const std::shared_ptr<Submitted>& submitted,
                     const Result<void>& done);
    void after_queueing(const KnownPtr& known, const Submitted& submitted, bool credit_exhausted,
                        const Result<void>& done);
    [[nodiscard]] std::size_t users_of(model::PhoneNumber device) const;
    void count_users();

    // runner_moves.cpp
    void judge(const KnownPtr& known);
    [[nodiscard]] Circumstances circumstances_now(const model::Campaign& campaign) const;
    void judge_running(const KnownPtr& known);
    void judge_restricted(const KnownPtr& known);
    void judge_scheduled(const KnownPtr& known);
    void checked(const KnownPtr& known, const CampaignPtr& campaign,
                 const Result<CheckReport>& report);
    void pause_for_credit(const KnownPtr& known);
    void move(const KnownPtr& known, std::move_only_function<Result<void>(store::Tables&)> run);

    // runner_steps.cpp
    void withdraw(const KnownPtr& known);
    void clean(model::CampaignId id);
    void clean_later(model::CampaignId id, const Error& error);
    void cancel_rows(const KnownPtr& known);
    void cancelled_some(const KnownPtr& known, const Result<void>& done);
    void notify(const KnownPtr& known);
    [[nodiscard]] Result<void> add_notice(store::Tables& tables, const model::Campaign& campaign,
                                          std::string_view event) const;
    void look_for_stall(const KnownPtr& known);
    void measure(Known& known);

    const Rooms rooms_;
    const Feed::Rooms feed_rooms_;
    Mailbox<Event> box_{0};
    std::unique_ptr<store::Reader> reader_;
    SteadyTime read_again_at_{};

    std::map<model::CampaignId, KnownPtr> known_;
    /// Campaigns that were detached, until what was begun for them has ended.
    struct Leaving {
        std::vector<KnownPtr> busy;
        std::shared_ptr<const void> done;
    };
    std::vector<Leaving> leaving_;
    /// Running campaigns by account, those that had the last turn at the end.
    std::map<model::AccountId, std::deque<model::CampaignId>> turns_;
    model::AccountId last_account_;  // That had a turn.
    StepSize step_{step_target, step_rows_max};
    std::size_t rows_under_way_ = 0;  // In hand-overs.
    bool running_changed_ = true;
    std::unordered_map<model::PhoneNumber, std::size_t> users_;  // Running campaigns by device.
    DeviceLoads loads_;
    /// Counts that are to be told, and from when on; null: nothing has changed since they were.
    std::map<model::CampaignId, std::pair<SteadyTime, CampaignPtr>> progress_;
    /// Campaigns whose rows are to be removed, and when that is tried (again).
    struct Cleaning {
        model::AccountId account{};
        SteadyTime at{};
        Millis pause{0};     // Before the next try, if this one fails.
        bool again = false;  // There may be more since this try began.
    };
    std::map<model::CampaignId, Cleaning> unclean_;

    SteadyTime tick_at_{};
    bool judge_all_ = false;
    std::atomic<std::uint64_t> queued_{0};
    std::atomic<std::uint64_t> skipped_{0};
    std::atomic<std::uint64_t> batches_{0};
    std::atomic<bool> stopping_{false};
    StartChecks checks_;
    std::thread thread_;
};

}  // namespace merpati::campaign
