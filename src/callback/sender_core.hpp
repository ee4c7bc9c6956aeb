// The sender's logic, without its thread.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include <boost/unordered/unordered_flat_set.hpp>

#include "base/shared_limit.hpp"
#include "base/uuid.hpp"
#include "callback/backlog.hpp"
#include "callback/sender.hpp"
#include "callback/suspects.hpp"
#include "store/callback_reader.hpp"

namespace merpati::callback {

/// Decides which callback is attempted next, evaluates answers, enforces the limits.
///
/// Operation: `step` starts the attempts that may start: first those of prompt origins, then all
/// others, both round-robin over accounts. An attempt takes a slot; slots are shared among accounts
/// by SharedLimit. Half of all slots are for attempts that are not slow: those of prompt origins,
/// in their first second. All others are slow and share the other half, except that the first slow
/// attempt of an account may take any slot while more than a quarter of all are free. So slow
/// origins leave slots free, however many accounts have them.
///
/// What an attempt carries is decided when it starts (composer.hpp). Each of its events gets a
/// result of its own, written in one commit: 2xx delivers all but those that the answer asks for
/// again (batch_answer.hpp); everything else concerns all alike. After 413 the events of a batch
/// are put back, to go in two halves at once; that is no attempt. Halves are remembered in memory
/// alone: a restart costs such a batch its 413s again, which is less than a commit for each of
/// them. Events that fail together are due again at the same time. Attempts, results and failures
/// count events; slots count requests.
///
/// Threads: one, the sender's. The core hands the results of commits to `post`, which runs them on
/// that thread. It calls `answered` after each answer, because a step is then due.
class SenderCore {
public:
    using Post = std::function<void(std::move_only_function<void()>)>;
    /// Sends a request; calls its handler on this thread.
    using Send = std::function<void(outbound::Request, outbound::ResponseHandler)>;
    using Answered = std::function<void()>;

    SenderCore(const QueueClock& clock, Random& random, store::Committer& committer,
               SecretLookup secrets, BatchLookup batches, const Options& options, Send send,
               Answered answered, Post post);

    /// Errors: store_failed.
    [[nodiscard]] Result<void> recover(std::unique_ptr<store::CallbackReader> reader);

    // See Sender.
    void attach(const store::ShardSet& shards) { backlog_.attach(shards); }
    void detach(const store::ShardSet& shards, model::Leave how,
                const std::shared_ptr<const void>& done) {
        backlog_.detach(shards, how, done);
    }

    void add(model::Callback callback) { backlog_.add(std::move(callback)); }
    void made_due(const store::Endpoint& endpoint);

    /// See Sender.
    void test(model::Callback callback,
              std::move_only_function<void(Result<model::CallbackAttempt>)> done);
    [[nodiscard]] std::vector<EndpointHealth> health(model::AccountId account);

    /// Starts attempts that may start now; a step is limited in length.
    void step();
    /// SteadyTime::min(): there is more to do now.
    [[nodiscard]] SteadyTime next_step_at() const;

    void drain() { draining_ = true; }
    [[nodiscard]] bool draining() const noexcept { return draining_; }
    /// No attempt is in flight, and every result is committed.
    [[nodiscard]] bool is_idle() const noexcept { return unsettled_.empty(); }
    [[nodiscard]] const Counts& counts() const noexcept { return counts_; }

private:
    using AttemptPtr = std::unique_ptr<Attempt>;
    using Answer = Result<outbound::Response>;

    void set_now();
    void note_stalled();
    void release_suspects();
    void serve(bool slow);
    [[nodiscard]] bool full() const noexcept;
    [[nodiscard]] bool may_start(const AccountQueue& account, bool slow) const noexcept;
    void run_origin(OriginQueue& origin);
    void start(OriginQueue& origin, const std::vector<std::size_t>& places);
    void take_slot(Attempt& attempt);
    void make_slow(Attempt& attempt);
    void release_slot(Attempt& attempt);
    void send(AttemptPtr attempt);
    [[nodiscard]] outbound::Request request_for(const model::Callback& callback,
                                                const outbound::Url& url, std::string body,
                                                const std::optional<model::PostedBatch>& batch);
    [[nodiscard]] std::optional<outbound::Url> usable(const std::string& url) const;
    void ended(AttemptPtr attempt, const Answer& answer);
    void halve(Attempt& attempt, const Answer& answer);
    void record_answer(Attempt& attempt, const Answer& answer);
    void commit_results(AttemptPtr attempt, const Answer& answer);
    void results_committed(const Attempt& attempt);

    const QueueClock& clock_;
    Random& random_;
    store::Committer& committer_;
    const SecretLookup secrets_;
    const BatchLookup batches_;
    const Options options_;
    const Send send_;
    const Answered answered_;
    const Post post_;

    /// In flight, or waiting for the commit of the result.
    boost::unordered_flat_set<Uuid, std::hash<Uuid>> unsettled_;
    Backlog backlog_;
    Suspects suspects_;

    Timestamp now_{};
    SteadyTime steady_{};
    SharedLimit slots_;
    SharedLimit slow_slots_;
    List<Attempt, &Attempt::prompt_link> prompt_in_flight_;  // The oldest first.
    UuidSource ids_;                                         // Of batches.
    std::size_t events_in_flight_ = 0;
    std::size_t runs_left_ = 0;
    Counts counts_;
    std::size_t tests_ = 0;
    bool draining_ = false;
    bool held_ = false;  // This process may not begin anything now.
};

}  // namespace merpati::callback
