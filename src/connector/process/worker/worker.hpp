// One run of a worker's program, from its start to its end.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include <boost/asio/io_context.hpp>
#include <boost/json/object.hpp>

#include "base/clock.hpp"
#include "connector/process/codec/capabilities.hpp"
#include "connector/process/codec/frame.hpp"
#include "connector/process/options.hpp"
#include "connector/process/program/end_watch.hpp"
#include "connector/process/program/output_log.hpp"
#include "connector/process/program/running.hpp"
#include "connector/process/worker/channel.hpp"

namespace merpati::connector::process {

/// Operation: waits for the worker's hello and answers it. Sends pings. Keeps each request until it
/// is answered or its time has passed. Kills the worker if it breaks the protocol, hangs, or takes
/// too much memory. `tick` does all that is due.
///
/// Faults: what a worker has written before its end is read, except after a line that breaks the
/// protocol. `on_gone` is called once, after the program has ended and was reaped. Before it,
/// `done` of each unanswered request is called with null.
///
/// Threads: that of the io_context.
///
/// Limits: held_bytes_max of unanswered requests from the worker and of lines that it has not read;
/// beyond it the worker is not read.
class Worker : public std::enable_shared_from_this<Worker> {
public:
    static constexpr std::size_t held_bytes_max = 8 << 20;

    /// Null: there will be no answer.
    using Answered = std::move_only_function<void(const Frame* answer)>;

    struct Owner {
        std::function<void(Hello&&)> on_ready;
        std::function<void(Frame&&)> on_frame;  // Requests and notices, after `on_ready`.
        std::function<void(std::string why)> on_gone;
    };

    Worker(const Clock& clock, const Options& options, LineLimit& lines, Owner owner)
        : clock_(clock), options_(options), lines_(lines), owner_(std::move(owner)) {}
    ~Worker();

    /// Errors: the program cannot be started; with a sentence for the operator.
    [[nodiscard]] Result<void> start(const boost::asio::io_context::executor_type& executor);

    [[nodiscard]] bool is_ready() const noexcept {
        return ready_ && dying_.empty() && ended_.empty();
    }
    /// Whether the program has ended, by itself or killed.
    [[nodiscard]] bool has_ended() const noexcept { return gone_; }
    /// Whether so much waits to be read by the worker that sends should wait.
    [[nodiscard]] bool is_crowded() const { return channel_->is_crowded(); }
    [[nodiscard]] int exit_code() const { return program_ ? program_->exit_code() : -1; }

    void ask(std::string_view op, boost::json::object fields, Millis within, Answered done);
    /// Answers a request of the worker.
    void answer(std::string_view line) { channel_->write(line); }

    /// Counts the bytes of unanswered requests, so that reading stops in time.
    void hold(std::size_t bytes) { held_ += bytes; }
    void release(std::size_t bytes);

    void tick();
    /// Asks the worker to end, and kills it if it does not end in time.
    void shut_down();
    void kill(std::string why);
    /// Calls `done` of each unanswered request with null.
    void fail_all();

private:
    struct Asked {
        SteadyTime until;
        Answered done;
    };

    [[nodiscard]] Result<std::unique_ptr<Running>> run();
    void take(std::string_view line);
    void take_hello(Frame&& frame);
    void break_off(std::string why);
    void take_answer(const Frame& answer);
    void expire(SteadyTime now);
    void look_after(SteadyTime now);
    void look_for_life(SteadyTime now);
    void look_for_end();
    void end();

    const Clock& clock_;
    const Options& options_;
    LineLimit& lines_;
    const Owner owner_;
    std::unique_ptr<Running> program_;
    std::shared_ptr<Channel> channel_;
    std::shared_ptr<OutputLog> output_;
    std::shared_ptr<EndWatch> end_watch_;  // Null: the system offers no descriptor to watch.
    std::unordered_map<std::uint64_t, Asked> asked_;
    std::uint64_t last_id_ = 0;
    std::size_t held_ = 0;
    bool ready_ = false;
    bool gone_ = false;
    std::string dying_;  // Why it was killed; empty: it was not.
    std::string ended_;  // How the program ended; empty: it runs.
    SteadyTime hello_until_;
    SteadyTime next_ping_;
    SteadyTime alive_at_;
    SteadyTime next_memory_;
    std::optional<SteadyTime> end_until_;
};

}  // namespace merpati::connector::process
