// Threads for calls that wait for the store, shared among those who make them.
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
#include "http/peer_address.hpp"

namespace merpati::api::manage {

/// Who uses the threads together: an account by its keys and its people, a person of several
/// accounts or of the server, the local operator, or an address whose clients have shown nothing.
struct Share {
    enum class Kind : std::uint8_t { local, account, person, address };
    Kind kind = Kind::address;
    std::int64_t id = 0;

    [[nodiscard]] static Share of(const admission::Principal& principal,
                                  const http::PeerAddress& peer);
    friend auto operator<=>(const Share&, const Share&) = default;
};

/// Operation: the shares that have jobs waiting are served in turn, one job each. Of the network's
/// shares each has one thread at most at a time, and all together all threads but one: the local
/// operator is always heard.
///
/// Threads: `put` from any. `start` and `stop` from one.
///
/// Limits: `waiting_max` jobs wait of each share; of the network's together `network_max`.
class Workers {
public:
    static constexpr std::size_t threads_count = 3;
    static constexpr std::size_t waiting_max = 16;
    static constexpr std::size_t local_waiting_max = 64;
    static constexpr std::size_t network_max = 512;

    /// Called once: with true to be done, with false where the threads stop before they come to it.
    using Job = std::move_only_function<void(bool proceed)>;

    enum class Put : std::uint8_t {
        taken,
        share_full,  // Too many of this share wait.
        full,        // Too many wait in all, or the threads do not run.
    };

    explicit Workers(const char* name, std::size_t threads = threads_count)
        : name_(name), threads_max_(threads) {}
    ~Workers() { stop(); }
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    /// Unless taken, `job` is untouched.
    [[nodiscard]] Put put(Share share, Job&& job);
    /// For what goes on with a job that was taken, and so is limited already. False: they stop.
    [[nodiscard]] bool go_on(Share share, Job&& job);

    void start();

    /// Finishes the jobs under way, refuses those that wait, joins the threads. Idempotent.
    void stop();

private:
    struct Queue {
        Share share;
        std::deque<Job> jobs;
        std::size_t running = 0;
    };
    using Queues = std::list<Queue>;

    Queue& queue_of(Share share);
    void add(Share share, Job&& job);
    /// The next queue that may use a thread, taken out of its turn; end: there is none.
    [[nodiscard]] Queues::iterator next();
    void work();

    const char* name_;
    const std::size_t threads_max_;
    std::mutex mutex_;
    std::condition_variable filled_;
    Queues queues_;  // With jobs that wait or run, the one whose turn it is first.
    std::map<Share, Queues::iterator> by_share_;
    std::size_t network_waiting_ = 0;
    std::size_t network_running_ = 0;
    bool running_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace merpati::api::manage
