// The sender's work, on its one thread.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include <boost/unordered/unordered_flat_set.hpp>

#include "base/places.hpp"
#include "callback/backlog.hpp"
#include "callback/sender.hpp"
#include "callback/suspects.hpp"

namespace merpati::callback {

/// Decides which callback is attempted next, judges answers, keeps to the limits.
///
/// Operation: a step starts the attempts that may start: first those of prompt origins, then all
/// others, in both cases round-robin over accounts. Attempts take places, which Places shares among
/// accounts. Half of all places are for attempts that are not slow: those of prompt origins, in
/// their first second. The first slow attempt of an account may take one of these too, while more
/// than a quarter of all are free. So slow origins, of however many accounts, leave places free.
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

    void add(model::Callback callback) { backlog_.add(std::move(callback)); }
    void wake(const store::Endpoint& endpoint);

    /// Starts what may start now, as far as one step goes.
    void step();
    /// `min`: there is more to do now.
    [[nodiscard]] SteadyTime next_step_at() const;

    void drain() { draining_ = true; }
    [[nodiscard]] bool draining() const noexcept { return draining_; }
    /// Nothing is attempted, and every result is durable.
    [[nodiscard]] bool quiet() const noexcept { return held_.empty(); }
    [[nodiscard]] const Counts& counts() const noexcept { return counts_; }

private:
    using DeliveryPtr = std::unique_ptr<Delivery>;

    void set_now();
    void note_stalled();
    void release_suspects();
    void serve(bool slow);
    [[nodiscard]] bool full() const noexcept;
    [[nodiscard]] bool may_start(const AccountQueue& account, bool slow) const noexcept;
    void take_turn(OriginQueue& origin);
    void start(OriginQueue& origin);
    void take_place(Delivery& delivery);
    void make_slow(Delivery& delivery);
    void give_place_back(Delivery& delivery);
    void attempt(DeliveryPtr delivery);
    [[nodiscard]] outbound::Request request_for(const store::QueuedCallback& queued,
                                                const outbound::Url& url) const;
    void ended(DeliveryPtr delivery, const Result<outbound::Response>& answer);
    void judge(Delivery& delivery, const Result<outbound::Response>& answer);
    void settle(DeliveryPtr delivery);
    void settled(const Delivery& delivery);

    const QueueClock& clock_;
    Random& random_;
    store::Committer& committer_;
    const SecretLookup secrets_;
    const Options options_;
    const Attempt attempt_;
    const Answered answered_;
    const Post post_;

    /// Attempted, or waiting for the commit of the result.
    boost::unordered_flat_set<Uuid, std::hash<Uuid>> held_;
    Backlog backlog_;
    Suspects suspects_;

    Timestamp now_{};
    SteadyTime steady_{};
    Places places_;
    Places slow_places_;
    List<Delivery, &Delivery::young> young_;  // Not slow yet; the oldest first.
    std::size_t turns_left_ = 0;
    Counts counts_;
    bool draining_ = false;
};

}  // namespace merpati::callback
