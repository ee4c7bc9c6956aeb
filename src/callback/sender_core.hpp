// The sender's work, on its one thread.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <queue>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include "callback/origin.hpp"
#include "callback/sender.hpp"

namespace merpati::callback {

/// Decides which callback is attempted next, judges answers, keeps to the limits.
///
/// Threads: one, the sender's. `post` runs a function on it later; results of commits come through
/// it. `answered` is called after each answer: a step is due soon.
class SenderCore {
public:
    using Post = std::function<void(std::move_only_function<void()>)>;
    /// Makes one attempt; calls back on this thread.
    using Attempt = std::function<void(outbound::Request, outbound::ResponseHandler)>;
    using Answered = std::function<void()>;

    SenderCore(const QueueClock& clock, Random& random, store::Committer& committer,
               SecretLookup secrets, const Options& options, Attempt attempt, Answered answered,
               Post post);

    /// Errors: store_failed.
    [[nodiscard]] Result<void> recover(std::unique_ptr<store::Reader> reader);

    void add(model::Callback callback);
    void wake(std::int64_t origin_key);

    /// Starts all that may start now.
    void step();
    [[nodiscard]] Timestamp next_step_at() const;

    void drain() { draining_ = true; }
    [[nodiscard]] bool draining() const noexcept { return draining_; }
    /// Nothing is attempted, and every result is durable.
    [[nodiscard]] bool quiet() const noexcept { return in_flight_.empty(); }
    [[nodiscard]] const Counts& counts() const noexcept { return counts_; }

private:
    Origin& origin_of(std::int64_t key);
    void make_ready(Origin& origin);
    void arm(Origin& origin, Timestamp at);
    void take_turn(Origin& origin);
    void plan_next_turn(Origin& origin);
    void load(Origin& origin);
    void start(Origin& origin);
    void judge(store::QueuedCallback& queued, const Result<outbound::Response>& answer);
    void settle(std::shared_ptr<store::QueuedCallback> queued);
    void settled(const store::QueuedCallback& queued);

    const QueueClock& clock_;
    Random& random_;
    store::Committer& committer_;
    const SecretLookup secrets_;
    const Options options_;
    const Attempt attempt_;
    const Answered answered_;
    const Post post_;
    std::unique_ptr<store::Reader> reader_;

    std::unordered_map<std::int64_t, std::unique_ptr<Origin>> origins_;
    boost::unordered_flat_set<Uuid, std::hash<Uuid>>
        in_flight_;                    // Attempted, or waiting for the commit of the result.
    std::unordered_set<Uuid> loaded_;  // Read from the store, and still in memory.
    std::deque<Origin*> round_;

    struct Timer {
        Timestamp at;
        std::int64_t origin_key;
        bool operator>(const Timer& other) const { return at > other.at; }
    };
    std::priority_queue<Timer, std::vector<Timer>, std::greater<>> timers_;

    Timestamp now_{};
    Counts counts_;
    bool draining_ = false;
};

}  // namespace merpati::callback
