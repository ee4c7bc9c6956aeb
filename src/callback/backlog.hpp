// Callbacks that wait, in memory and on disk, and whose turn it is.
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

#include "base/places.hpp"
#include "callback/queues.hpp"
#include "callback/sender.hpp"

namespace merpati::callback {

/// Operation: a callback that was just committed is taken into memory (`add`) while its origin has
/// room there and nothing due on disk; all others are read from the store, in pages, when they are
/// due and there is room. Origins that want a turn stand in two rounds, prompt ones and all others;
/// a round goes over accounts first, then over an account's origins.
///
/// Limits: memory is shared by Places among accounts, and so are the queues themselves: an origin
/// that answers promptly may have `origin_memory_max` callbacks in memory, any other a few. Origins
/// for which there is no queue wait on disk; the account's origins are listed again, a page at a
/// time, when something of them is due. An idle queue goes when another one needs its room, or
/// after `idle_max` when nothing of it waits.
///
/// A start lists the origins of all accounts in the same way: so it begins with what comes first.
///
/// Threads: the sender's one.
class Backlog {
public:
    /// Answers whether a callback is attempted, or not to be read yet for another reason.
    using Held = std::function<bool(const Uuid&)>;

    Backlog(const Options& options, Held held);
    ~Backlog();

    /// Begins with what waits in the store. Errors: store_failed.
    [[nodiscard]] Result<void> recover(std::unique_ptr<store::Reader> reader);

    /// The moment of what follows: due times are compared with the one, waits with the other.
    void set_now(Timestamp now, SteadyTime steady);

    void add(model::Callback callback);
    /// Something of it is on disk, due then.
    void note(const store::Endpoint& endpoint, Timestamp due);

    /// Makes ready what has become due. A page of origins is listed, if some are to be.
    void wake_due();
    [[nodiscard]] bool lists() const noexcept { return !walks_.empty(); }
    [[nodiscard]] SteadyTime next_due() const;

    [[nodiscard]] Round& round(bool slow) noexcept { return slow ? slow_ : prompt_; }
    /// Wants a turn.
    void make_ready(OriginQueue& origin);
    /// Reads from disk what is due. False: it cannot now, and wants its turn later.
    [[nodiscard]] bool fill(OriginQueue& origin);
    /// The next one; its memory must not be empty.
    [[nodiscard]] std::unique_ptr<Delivery> take(OriginQueue& origin);
    /// After a turn: waits for what the origin waits for. The queue may be gone afterwards.
    void plan(OriginQueue& origin);

    [[nodiscard]] std::size_t in_memory() const noexcept { return memory_count_; }
    [[nodiscard]] std::size_t origins() const noexcept { return records_.taken(); }

    static constexpr std::chrono::minutes idle_max{10};

private:
    AccountQueue& account_of(model::AccountId id);
    [[nodiscard]] OriginQueue* queue_of(AccountQueue& account, std::int64_t key, bool needed);
    void leave_on_disk(AccountQueue& account, Timestamp due);
    void forget(OriginQueue& origin);
    void forget_if_empty(AccountQueue& account);
    void put(OriginQueue& origin, store::QueuedCallback queued);
    void trim(OriginQueue& origin);
    void make_idle(OriginQueue& origin);
    void arm(OriginQueue& origin, SteadyTime at);
    void list_origins();
    void end_walk(AccountQueue& account);
    [[nodiscard]] std::size_t memory_max(const OriginQueue& origin) const;
    [[nodiscard]] SteadyTime steady_of(Timestamp due) const;

    struct Timer {
        SteadyTime at;
        store::Endpoint endpoint;
        bool walk;  // Of the account's origins, not of one of them.
        bool operator>(const Timer& other) const { return at > other.at; }
    };

    const Options options_;
    const Held held_;
    std::unique_ptr<store::Reader> reader_;
    Timestamp now_{};
    SteadyTime steady_{};

    Places memory_;
    Places records_;
    std::size_t memory_count_ = 0;
    std::unordered_set<Uuid> loaded_;  // Read from the store, and still in memory.
    std::unordered_map<model::AccountId, std::unique_ptr<AccountQueue>> accounts_;
    Round prompt_;
    Round slow_;
    std::deque<model::AccountId> walks_;
    std::priority_queue<Timer, std::vector<Timer>, std::greater<>> timers_;
};

}  // namespace merpati::callback
