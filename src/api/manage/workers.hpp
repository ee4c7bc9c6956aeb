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
/// accounts or of the server, the local operator; of clients that have shown nothing an address
/// from which somebody has signed in, or else a whole network of strangers.
struct Share {
    enum class Kind : std::uint8_t { local, account, person, known_address, strangers };
    Kind kind = Kind::strangers;
    std::int64_t id = 0;

    /// `is_known` answers whether somebody has signed in from the address; asked where it matters.
    [[nodiscard]] static Share of(const admission::Principal& principal,
                                  const http::PeerAddress& peer,
                                  const std::function<bool()>& is_known);
    friend auto operator<=>(const Share&, const Share&) = default;
};

/// Operation: the shares that have jobs waiting are served in turn, one job each. Of the network's
/// shares each has one thread at most at a time, and all together all threads but one: the local
/// operator is always heard. Where strangers wait and others too, they are served by turns: whoever
/// has shown who they are, or comes from where somebody has signed in, waits for one stranger at
/// most, however many there are.
///
/// Strangers have `strangers_max` places in all. When these are taken, a network that has the most
/// of them, and more than one, loses its last one to a network that has fewer: so a stranger finds
/// a place unless as many networks have one each.
///
/// Threads: `put` from any. `start` and `stop` from one.
///
/// Limits: `waiting_max` jobs wait of each share; of the network's together `network_max`. A
/// stranger that has a place waits for the jobs of `strangers_max` others at most, and for as many
/// of who is known: where a job takes a tenth of a second, as a password does, 20 to 40 s.
class Workers {
public:
    static constexpr std::size_t threads_count = 3;
    static constexpr std::size_t waiting_max = 16;
    static constexpr std::size_t local_waiting_max = 64;
    static constexpr std::size_t network_max = 512;
    static constexpr std::size_t strangers_max = 384;

    /// Called once: with true to be done, with false where the threads stop before they come to it,
    /// or its place was given to another.
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
    /// The job that loses its place to a stranger of a network that holds so many; empty: none.
    [[nodiscard]] Job displaced_by(std::size_t held);
    void count(Share share, bool waits);
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
    std::size_t strangers_waiting_ = 0;
    bool strangers_turn_ = false;
    std::size_t network_running_ = 0;
    bool running_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace merpati::api::manage
