// Writes a worker's output to the gateway's log.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include "base/clock.hpp"
#include "connector/process/codec/line_buffer.hpp"
#include "telemetry/log.hpp"

namespace merpati::connector::process {

/// Logs at most lines_max lines in a period, each cut to line_max bytes. The number of lines left
/// out is logged once the period has passed.
///
/// Threads: none.
class LineLimit {
public:
    static constexpr std::size_t lines_max = 200;
    static constexpr Millis period{10'000};
    static constexpr std::size_t line_max = 1'024;

    LineLimit(const Clock& clock, telemetry::Log log) : clock_(clock), log_(std::move(log)) {}

    void log(telemetry::Level level, std::string_view text);
    /// Logs how many lines were left out in a period that has passed. `log` does so too; call this
    /// periodically, for times without lines.
    void tell_left_out();
    /// The latest line, even if it was left out.
    [[nodiscard]] const std::string& last() const noexcept { return last_; }

private:
    const Clock& clock_;
    const telemetry::Log log_;
    SteadyTime begin_{};
    std::size_t count_ = 0;
    std::string last_;
};

/// Reads the worker's standard output and error until their end.
///
/// Threads: that of the io_context. Lives until its last handler has run (shared_ptr).
class OutputLog : public std::enable_shared_from_this<OutputLog> {
public:
    OutputLog(const boost::asio::io_context::executor_type& executor, int pipe, LineLimit& limit)
        : pipe_(executor, pipe), limit_(&limit) {}

    void start() { read(); }
    /// Logs what the pipe still holds, at most 64 KiB, and an unfinished line; then nothing more.
    /// Idempotent.
    void close();

private:
    void read();
    void take(std::size_t count);

    boost::asio::posix::stream_descriptor pipe_;
    LineLimit* limit_;  // Null: closed.
    LineBuffer lines_{LineLimit::line_max};
    std::array<char, 4'096> piece_;
};

}  // namespace merpati::connector::process
