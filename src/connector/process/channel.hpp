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

#include "connector/process/frame.hpp"
#include "connector/process/line_buffer.hpp"

namespace merpati::connector::process {

/// Operation: passes lines to `on_line` one by one, until `may_read` returns false or the token
/// bucket of lines is empty; `refill` and `go_on` continue. Lines that are written while a write is
/// in flight are gathered for the next one.
///
/// Faults: `on_broken` is called at most once, with the reason: the socket has ended, a line is too
/// long, or the worker does not read.
///
/// Threads: the io_context's only thread. Lives until its last handler has run (shared_ptr); after
/// `close` nothing is called.
///
/// Limits: lines_per_second; unread_bytes_max of written lines that the worker has not read.
class Channel : public std::enable_shared_from_this<Channel> {
public:
    static constexpr std::size_t lines_per_second = 5'000;
    static constexpr std::size_t unread_bytes_max = 16 << 20;

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
    void close();

    [[nodiscard]] std::size_t unread_bytes() const noexcept {
        return gathered_.size() + writing_.size();
    }

private:
    void read();
    void take_lines();
    void write_gathered();
    void break_off(std::string why);

    boost::asio::local::stream_protocol::socket socket_;
    Owner owner_;
    LineBuffer lines_{line_bytes_max};
    std::size_t lines_left_ = lines_per_second;
    std::array<char, 65'536> piece_;
    std::string gathered_;
    std::string writing_;
    bool reading_ = false;
    bool taking_ = false;
    bool closed_ = false;
};

}  // namespace merpati::connector::process
