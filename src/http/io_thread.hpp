// One I/O thread with its own connections.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <poll.h>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/intrusive/list.hpp>

#include "base/clock.hpp"
#include "base/random.hpp"
#include "http/connection.hpp"
#include "http/listener.hpp"
#include "http/reply_queue.hpp"
#include "http/request_ids.hpp"
#include "http/router.hpp"
#include "http/server.hpp"
#include "http/tls.hpp"
#include "telemetry/log.hpp"

namespace merpati::http {

/// What all I/O threads of a server share. The first part is constant while they run.
struct Service {
    const Clock& clock;
    Random& random;
    Limits limits;
    const Router& router;
    const Router& local_router;
    RefusalBody refusal;
    telemetry::Log log;
    TlsContext tls{};

    std::atomic<std::size_t> open = 0;  // Connections of all threads.
    std::mutex drain_mutex{};
    std::condition_variable drained{};
    std::size_t draining = 0;  // How often a thread began to drain. Guarded by drain_mutex.
};

/// Operation: accepts, reads and answers on one io_context. Every `sweep_interval` it checks the
/// deadlines of its connections, closes those whose clients have hung up while they wait for an
/// answer, and resumes listeners that were paused because the process had run out of file
/// descriptors. The check for hang-ups is one system call for all connections, so that a prompt
/// answer costs none.
///
/// Limits: two PartyShares of its own, for the connections of strangers by address, and for those
/// of known callers by account or person. When one is over its bytes, connections of the party that
/// holds most are closed. A new client beyond `connections_max` takes the place of a connection of
/// the party of this thread that has most connections, unless its own address has nearly as many.
/// Of the two kinds, the one with more connections loses first; strangers therefore push known
/// callers out of no more than half of the places. Without such a connection, the client is
/// answered 503, or, far beyond the limit, closed at once. Clients of the management socket are
/// always accepted.
///
/// Threads: `listen` before `start`; `start`, `drain`, `stop`, `join`, `counts` and `answers` from
/// outside; all others only on the thread itself.
class IoThread {
public:
    /// The smallest share of one thread: room for some handshakes, bodies and pages.
    static constexpr std::size_t bytes_min = 1024UL * 1024;

    /// `threads`: how many share the limits of `service`.
    IoThread(Service& service, std::size_t index, std::size_t threads);
    ~IoThread();

    void listen(BoundSocket socket, Origin origin);

    void start();
    void drain();
    void stop();
    void join();
    [[nodiscard]] Counts counts() const noexcept;
    [[nodiscard]] std::array<std::uint64_t, 5> answers(std::size_t path) const noexcept;

    // For its connections.
    [[nodiscard]] const Service& service() const noexcept { return service_; }
    [[nodiscard]] const std::shared_ptr<ReplyQueue>& replies() const noexcept { return replies_; }
    [[nodiscard]] RequestIds& request_ids() noexcept { return request_ids_; }
    /// The time of the last sweep. Deadlines are counted from it, which saves reading the clock for
    /// each request.
    [[nodiscard]] SteadyTime now() const noexcept { return now_; }
    void link(Connection& connection);
    void unlink(Connection& connection);
    void hold(Connection& connection, const Party& party, PartyShares::Use use, std::size_t bytes);
    void release(Connection& connection) noexcept;
    /// Calls `task` after other connections had their turn.
    template <class Task>
    void post(Task task) {
        boost::asio::post(context_, std::move(task));
    }
    /// Logs the exception that is being handled.
    void log_exception(std::string_view message, std::string_view route) const;
    void count_request() noexcept { add_one(requests_); }
    void count_refusal() noexcept { add_one(refused_); }
    void count_answer(std::size_t path, std::uint16_t status) noexcept {
        const std::size_t status_class = std::clamp<std::size_t>(status / 100U, 1, 5) - 1;
        add_one(answers_[path][status_class]);
    }
    /// The index of a match in `answers_`: 0 for none, then the router's paths, then the local's.
    [[nodiscard]] std::size_t answers_index(Origin origin, std::size_t path) const noexcept {
        if (path == Router::no_path) {
            return 0;
        }
        return 1 + path + (origin == Origin::network ? 0 : service_.router.paths().size());
    }

private:
    using Counter = std::atomic<std::uint64_t>;
    /// Only this thread writes, so no atomic increment is needed.
    static void add_one(Counter& counter) noexcept {
        counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }

    void accept_from(Listener& listener);
    void adopt(const Listener::Accepted& accepted, Origin origin);
    [[nodiscard]] bool make_room_for(const PeerAddress& peer);
    void shed(PartyShares::Holding& victim);
    void shed_what_is_over();
    void count_bytes() noexcept;
    void take_replies();
    void schedule_sweep();
    void sweep();
    void close_hung_up();
    void close_all();

    Service& service_;
    const std::string name_;
    boost::asio::io_context context_;
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
    boost::asio::steady_timer sweep_timer_;
    std::shared_ptr<ReplyQueue> replies_;
    std::vector<ReplyQueue::Item> items_;
    std::vector<pollfd> polled_;            // Of close_hung_up alone.
    std::vector<Connection*> polled_from_;  // As above.
    std::vector<std::unique_ptr<Listener>> listeners_;
    boost::intrusive::list<Connection, boost::intrusive::constant_time_size<false>> connections_;
    PartyShares strangers_;
    PartyShares callers_;
    bool shedding_ = false;  // `shed_what_is_over` is posted.
    RequestIds request_ids_;
    SteadyTime now_{};
    bool draining_ = false;
    bool stopping_ = false;

    Counter accepted_ = 0;
    Counter requests_ = 0;
    Counter refused_ = 0;
    Counter shed_ = 0;
    Counter hung_up_ = 0;
    Counter anonymous_bytes_ = 0;
    Counter caller_bytes_ = 0;
    std::vector<std::array<Counter, 5>> answers_;  // See answers_index.
    std::atomic<std::uint64_t> open_ = 0;
    std::thread thread_;
};

}  // namespace merpati::http
