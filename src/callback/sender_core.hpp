// The sender's logic, without its thread.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include <boost/unordered/unordered_flat_set.hpp>

#include "base/shared_limit.hpp"
#include "callback/backlog.hpp"
#include "callback/sender.hpp"
#include "callback/suspects.hpp"

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
/// Threads: one, the sender's. The core hands the results of commits to `post`, which runs them on
/// that thread. It calls `answered` after each answer, because a step is then due.
class SenderCore {
public:
    using Post = std::function<void(std::move_only_function<void()>)>;
    /// Makes one attempt; calls its handler on this thread.
    using Attempt = std::function<void(outbound::Request, outbound::ResponseHandler)>;
    using Answered = std::function<void()>;

    SenderCore(const QueueClock& clock, Random& random, store::Committer& committer,
               SecretLookup secrets, const Options& options, Attempt attempt, Answered answered,
               Post post);

    /// Errors: store_failed.
    [[nodiscard]] Result<void> recover(std::unique_ptr<store::Reader> reader);

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
    using DeliveryPtr = std::unique_ptr<Delivery>;

    void set_now();
    void note_stalled();
    void release_suspects();
    void serve(bool slow);
    [[nodiscard]] bool full() const noexcept;
    [[nodiscard]] bool may_start(const AccountQueue& account, bool slow) const noexcept;
    void run_origin(OriginQueue& origin);
    void start(OriginQueue& origin);
    void take_slot(Delivery& delivery);
    void make_slow(Delivery& delivery);
    void release_slot(Delivery& delivery);
    void attempt(DeliveryPtr delivery);
    [[nodiscard]] outbound::Request request_for(const model::Callback& callback,
                                                const outbound::Url& url) const;
    [[nodiscard]] std::optional<outbound::Url> usable(const std::string& url) const;
    void attempt_ended(DeliveryPtr delivery, const Result<outbound::Response>& answer);
    void record_answer(Delivery& delivery, const Result<outbound::Response>& answer);
    void commit_result(DeliveryPtr delivery, const Result<outbound::Response>& answer);
    void result_committed(const Delivery& delivery);

    const QueueClock& clock_;
    Random& random_;
    store::Committer& committer_;
    const SecretLookup secrets_;
    const Options options_;
    const Attempt attempt_;
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
    List<Delivery, &Delivery::prompt_link> prompt_in_flight_;  // The oldest first.
    std::size_t runs_left_ = 0;
    Counts counts_;
    std::size_t tests_ = 0;
    bool draining_ = false;
};

}  // namespace merpati::callback
