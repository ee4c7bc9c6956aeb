// The socket to a worker: lines in, lines out, both bounded.
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

/// Operation: lines are handed to `on_line` one by one, until `may_read` says no or the second's
/// share of lines is used up; `refill` and `go_on` continue. What is written is gathered while a
/// write is under way.
///
/// Faults: `on_broken` is called once, with why nothing more comes: the end of the socket, a line
/// that is too long, a worker that does not read.
///
/// Threads: those of the io_context, which must be one. Lives until its last handler has run
/// (shared_ptr); after `close` nothing is called any more.
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
    /// A part of a second has passed.
    void refill(std::size_t lines);
    /// `may_read` may say otherwise now.
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
