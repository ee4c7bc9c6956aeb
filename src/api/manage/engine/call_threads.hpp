// Threads for calls that block, shared fairly among callers.
#pragma once

#include <compare>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "admission/principal.hpp"
#include "base/error.hpp"
#include "http/peer_address.hpp"

namespace merpati::api::manage {

/// The party whose calls count together: an account (its keys, and people of this account only), a
/// person with several accounts or none, or the local operator. Callers without key and session
/// count by address if a person has signed in from there, otherwise by network (strangers).
struct Share {
    enum class Kind : std::uint8_t { local, account, person, known_address, strangers };
    Kind kind = Kind::strangers;
    std::int64_t id = 0;

    /// `is_known` says whether a person has signed in from the address. Called only if needed.
    [[nodiscard]] static Share of(const admission::Principal& principal,
                                  const http::PeerAddress& peer,
                                  const std::function<bool()>& is_known);
    friend auto operator<=>(const Share&, const Share&) = default;
};

/// Operation: shares with waiting jobs are served round-robin, one job at a time. A share of the
/// network (all but the local operator's) has at most one thread. All shares of the network
/// together have all threads but one, which is reserved for the local operator. While jobs of
/// strangers and of other shares wait, the two kinds alternate, so that known callers get every
/// second turn, however many strangers there are.
///
/// At most `strangers_max` jobs of strangers wait. Then a new job displaces the last job of the
/// network with the most, if that network has at least two more than the new job's. So a network
/// without a waiting job finds a place unless `strangers_max` others have one job each. In the same
/// way, when `network_max` jobs wait, a known caller's new job displaces the last job of the share
/// with the most.
///
/// Threads: `put` and `go_on` from any. `start` and `stop` from one. Those of long work are
/// background threads, so that it does not take the CPU from messages.
///
/// Errors: an exception of a job ends the job, not its thread; `on_fault` is called with it.
///
/// Limits: `waiting_max` waiting jobs of each share, `network_max` of the network. A stranger's job
/// waits for at most `strangers_max` jobs of strangers and as many of known callers: 20 to 40 s if
/// a job takes a tenth of a second, as hashing a password does.
class CallThreads {
public:
    static constexpr std::size_t threads_count = 3;
    static constexpr std::size_t waiting_max = 16;
    static constexpr std::size_t local_waiting_max = 64;
    static constexpr std::size_t network_max = 512;
    static constexpr std::size_t strangers_max = 384;

    /// Set before `start`; may be empty.
    std::function<void(const Error&)> on_fault;

    /// Called once. True: do the job. False: the threads stop, or the job was displaced.
    using Job = std::move_only_function<void(bool proceed)>;

    enum class Put : std::uint8_t {
        taken,
        share_full,  // Too many of this share wait.
        full,        // Too many wait in all, or the threads do not run.
    };

    enum class Work : std::uint8_t { brief, lengthy };

    CallThreads(const char* name, Work work, std::size_t threads = threads_count)
        : CallThreads(name, threads) {
        work_ = work;
    }
    /// `of_share` and `of_network` replace waiting_max and network_max.
    explicit CallThreads(const char* name, std::size_t threads = threads_count,
                         std::size_t of_share = waiting_max, std::size_t of_network = network_max)
        : name_(name),
          threads_max_(threads),
          of_share_max_(of_share),
          of_network_max_(of_network) {}
    ~CallThreads() { stop(); }
    CallThreads(const CallThreads&) = delete;
    CallThreads& operator=(const CallThreads&) = delete;

    /// `job` is moved from only if it was taken.
    [[nodiscard]] Put put(Share share, Job&& job);
    /// Adds a job that continues one that was taken; the limits do not apply. False: the threads do
    /// not run.
    [[nodiscard]] bool go_on(Share share, Job&& job);

    void start();

    /// Finishes the jobs that run, calls waiting ones with false, joins the threads. Idempotent.
    void stop();

private:
    struct Queue {
        Share share;
        std::deque<Job> jobs;
        std::size_t running = 0;
    };
    using Queues = std::list<Queue>;

    Queue& queue_of(Share share);
    /// Takes out the job that a new one of `share` displaces, which has `held` waiting jobs. A
    /// stranger's displaces only a stranger's. Empty: there is none to displace.
    [[nodiscard]] Job displaced_by(const Share& share, std::size_t held);
    void run(Job& job) const;
    void count(Share share, bool waits);
    void add(Share share, Job&& job);
    /// The next queue that may use a thread, moved to the end of the order. End: there is none.
    [[nodiscard]] Queues::iterator next();
    void work();

    const char* name_;
    Work work_ = Work::brief;
    const std::size_t threads_max_;
    const std::size_t of_share_max_;
    const std::size_t of_network_max_;
    std::mutex mutex_;
    std::condition_variable filled_;
    Queues queues_;  // Those with waiting or running jobs, the next one first.
    std::map<Share, Queues::iterator> by_share_;
    std::size_t network_waiting_ = 0;
    std::size_t strangers_waiting_ = 0;
    bool strangers_turn_ = false;
    std::size_t network_running_ = 0;
    bool running_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace merpati::api::manage
