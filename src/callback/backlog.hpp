// Waiting callbacks, in memory and on disk, and which origin is served next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <queue>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/shared_limit.hpp"
#include "callback/queues.hpp"
#include "callback/sender.hpp"
#include "model/leave.hpp"
#include "store/callback_reader.hpp"
#include "store/shard_set.hpp"

namespace merpati::callback {

/// Operation: a callback that was just committed is kept in memory (`add`) if its origin has room
/// there and nothing due on disk; all others are read from the store, in pages, when they are due
/// and there is room. Origins that have something due are ready. There are two lists of them, for
/// prompt origins and for all others; each is served round-robin over accounts, and within an
/// account over its origins.
///
/// Limits: memory is shared by SharedLimit among accounts, and so are the queues: an origin that
/// answers promptly may have `origin_memory_max` callbacks in memory, any other a few. Callbacks of
/// origins without a queue wait on disk; when one of them is due, the account's origins are scanned
/// again, a page at a time. A queue is idle when no callback of it is due, in flight or being
/// committed. An idle queue without callbacks on disk is removed at once, or after `idle_max` if
/// its origin is prompt. Any idle queue may be removed for another one of its account.
///
/// A start scans the origins of all accounts in the same way, so the first callbacks are attempted
/// before all origins are known; `attach` finds the accounts of some shards that have callbacks,
/// with one query, and scans their origins.
///
/// Of an account that is detached, nothing is added and nothing is known until it is attached
/// again.
///
/// Threads: the sender's one.
class Backlog {
public:
    /// Whether a callback must not be read: it is in flight, its result is being committed, or it
    /// is held back.
    using InUse = std::function<bool(const Uuid&)>;

    Backlog(const Options& options, InUse in_use);
    ~Backlog();

    /// Begins with the callbacks that wait in the store, unless it starts empty. Errors:
    /// store_failed.
    [[nodiscard]] Result<void> recover(std::unique_ptr<store::CallbackReader> reader);

    /// The time of the calls that follow: `now` for due times, `steady` for waits.
    void set_now(Timestamp now, SteadyTime steady);

    void attach(const store::ShardSet& shards);
    /// Drops `done` when nothing of these accounts is in flight or being committed, or at once.
    void detach(const store::ShardSet& shards, model::Leave how,
                const std::shared_ptr<const void>& done);
    /// Whether results of its attempts may not be recorded.
    [[nodiscard]] static bool drops_results(const OriginQueue& origin) {
        return origin.account.leaving != nullptr && origin.account.leaving->drops_results;
    }
    /// An attempt of the origin ended without a result to be committed. May remove the queue.
    void dropped(OriginQueue& origin) { end_if_left(origin); }

    void add(model::Callback callback);
    /// A callback of the endpoint is on disk, due at `due`.
    void note_due(const store::Endpoint& endpoint, Timestamp due);

    /// Makes ready the origins that have become due. Scans one page of origins, if a scan is in
    /// progress.
    void wake_due();
    [[nodiscard]] bool is_scanning() const noexcept { return !scans_.empty(); }
    [[nodiscard]] SteadyTime next_due() const;

    [[nodiscard]] ReadyList& ready(bool slow) noexcept { return slow ? slow_ : prompt_; }
    void make_ready(OriginQueue& origin);
    /// Reads due callbacks from disk. False: not possible now; the origin becomes ready again
    /// later.
    [[nodiscard]] bool load(OriginQueue& origin);
    /// Takes the callbacks at these places of its memory (Composition). Each is one of the
    /// account's in memory until `release`.
    [[nodiscard]] std::vector<std::unique_ptr<Delivery>> take(
        OriginQueue& origin, const std::vector<std::size_t>& places);
    void release(OriginQueue& origin, const Delivery& delivery);
    /// Undoes `take`: they are the next ones again, in this order. May remove the queue of an
    /// account that is being detached.
    void put_back(OriginQueue& origin, std::vector<std::unique_ptr<Delivery>> events);
    /// How many attempts of it may be in flight at once.
    [[nodiscard]] std::size_t slots(const OriginQueue& origin) const;
    /// After the origin was served: makes it ready again, or sets its timer. May remove the queue.
    void schedule(OriginQueue& origin);

    /// An attempt of the origin with so many events was answered; its slot is still taken.
    void answered(OriginQueue& origin, Health::Answer answer, Millis took, std::size_t events);
    /// The results of an attempt are committed. `retry_at`: when the first event is due again, if
    /// one is.
    void committed(OriginQueue& origin, std::optional<Timestamp> retry_at);
    [[nodiscard]] std::vector<EndpointHealth> health(model::AccountId account) const;

    [[nodiscard]] std::size_t in_memory() const noexcept { return memory_count_; }
    [[nodiscard]] std::size_t origins() const noexcept { return queues_.acquired(); }
    [[nodiscard]] std::size_t breakers_open() const noexcept { return breakers_open_; }
    [[nodiscard]] std::uint64_t reads_failed() const noexcept { return reads_failed_; }

    static constexpr std::chrono::minutes idle_max{10};

private:
    [[nodiscard]] bool is_elsewhere(model::AccountId id) const;
    void find_accounts();
    void find(model::AccountId account);
    void begin_leaving(AccountQueue& account);
    void empty(OriginQueue& origin);
    void end_if_left(OriginQueue& origin);
    void end_if_left(AccountQueue& account);
    AccountQueue& account_of(model::AccountId id);
    [[nodiscard]] OriginQueue* queue_of(AccountQueue& account, std::int64_t key, bool needed);
    void note_unlisted(AccountQueue& account, Timestamp due);
    void remove(OriginQueue& origin);
    void remove_if_empty(AccountQueue& account);
    void push(OriginQueue& origin, store::QueuedCallback queued);
    void trim(OriginQueue& origin);
    void make_idle(OriginQueue& origin);
    void arm_timer(OriginQueue& origin, SteadyTime at);
    [[nodiscard]] SteadyTime read_failed(const Error& error);
    void scan_origins();
    void end_scan(AccountQueue& account);
    [[nodiscard]] std::size_t memory_max(const OriginQueue& origin) const;
    [[nodiscard]] SteadyTime steady_of(Timestamp due) const;

    struct Timer {
        SteadyTime at;
        store::Endpoint endpoint;
        bool scan;  // Scans the account's origins; otherwise for one origin.
        bool operator>(const Timer& other) const { return at > other.at; }
    };

    const Options options_;
    const InUse in_use_;
    std::unique_ptr<store::CallbackReader> reader_;
    Timestamp now_{};
    SteadyTime steady_{};

    SharedLimit memory_;
    SharedLimit queues_;
    std::size_t memory_count_ = 0;
    std::size_t breakers_open_ = 0;
    std::uint64_t reads_failed_ = 0;
    SteadyTime report_from_{};         // When a failed read may be reported again.
    std::unordered_set<Uuid> loaded_;  // Read from the store, and in memory.
    std::unordered_map<model::AccountId, std::unique_ptr<AccountQueue>> accounts_;
    store::ShardSet elsewhere_;  // Whose accounts are detached.
    store::ShardSet to_find_;    // Whose accounts may have callbacks that are not known,
    SteadyTime find_at_{};       // and when these are looked for (again).
    ReadyList prompt_;
    ReadyList slow_;
    std::deque<model::AccountId> scans_;
    std::priority_queue<Timer, std::vector<Timer>, std::greater<>> timers_;
};

}  // namespace merpati::callback
