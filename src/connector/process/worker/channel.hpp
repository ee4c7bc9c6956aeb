// The socket to a worker: reads and writes lines, both bounded.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>

#include "connector/process/codec/frame.hpp"
#include "connector/process/codec/line_buffer.hpp"

namespace merpati::connector::process {

/// Operation: passes lines to `on_line` one by one, until `may_read` returns false or the token
/// bucket of lines is empty; `refill` and `go_on` continue. Lines that are written while a write is
/// in flight are gathered for the next one.
///
/// Faults: `on_broken` is called at most once, with the reason: the socket has ended, a line is too
/// long, or the worker does not read. Except after a line that is too long, what the worker has
/// written is still read then. A socket that cannot be written to any more ends when it has been
/// read.
///
/// Threads: the io_context's only thread. Lives until its last handler has run (shared_ptr); after
/// `close` nothing is called.
///
/// Limits: lines_per_second; unread_bytes_max of written lines that the worker has not read. From
/// crowded_bytes on the owner should write only what cannot wait.
class Channel : public std::enable_shared_from_this<Channel> {
public:
    static constexpr std::size_t lines_per_second = 5'000;
    static constexpr std::size_t crowded_bytes = 8 << 20;
    static constexpr std::size_t unread_bytes_max = 16 << 20;
    static constexpr std::size_t drained_bytes_max = 16 << 20;

    struct Owner {
        std::function<void(std::string_view line)> on_line;
        std::function<void(std::string why)> on_broken;
        std::function<bool()> may_read;
    };

    Channel(const boost::asio::io_context::executor_type& executor, int socket, Owner owner);

    void start() { read(); }
    void write(std::string_view lines);
    /// Adds `lines` tokens, at most up to lines_per_second.
    void refill(std::size_t lines);
    /// Call when `may_read` may have become true.
    void go_on();
    /// For a worker that has ended: passes on all lines that it has written, at most
    /// drained_bytes_max, without regard to their rate and `may_read`. Then calls `done`, also from
    /// within the call.
    void drain(std::function<void()> done);
    /// Writes nothing more, and drops what the worker has not read.
    void stop_writing();
    void close();

    [[nodiscard]] bool is_crowded() const noexcept { return unread_bytes() >= crowded_bytes; }
    [[nodiscard]] std::size_t unread_bytes() const noexcept {
        return gathered_.size() + writing_.size();
    }

private:
    void read();
    void take_lines();
    void write_gathered();
    void take_line(std::string_view line);
    void take_rest();
    void break_off(std::string why);

    boost::asio::local::stream_protocol::socket socket_;
    Owner owner_;
    LineBuffer lines_{line_bytes_max};
    std::size_t lines_left_ = lines_per_second;
    std::array<char, 65'536> piece_;
    std::function<void()> drained_;  // Empty: nobody drains.
    std::string gathered_;
    std::string writing_;
    bool reading_ = false;
    bool taking_ = false;
    bool writes_ = true;
    bool broken_ = false;
    bool closed_ = false;
};

}  // namespace merpati::connector::process
