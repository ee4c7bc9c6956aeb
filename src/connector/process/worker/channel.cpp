#include "connector/process/worker/channel.hpp"

#include <algorithm>
#include <sys/socket.h>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>

namespace merpati::connector::process {

namespace asio = boost::asio;

Channel::Channel(const asio::io_context::executor_type& executor, int socket, Owner owner)
    : socket_(executor, asio::local::stream_protocol{}, socket), owner_(std::move(owner)) {}

void Channel::write(std::string_view lines) {
    if (closed_ || !writes_) {
        return;
    }
    gathered_ += lines;
    if (unread_bytes() > unread_bytes_max) {
        break_off("it does not read what it is sent");
    } else if (writing_.empty()) {
        write_gathered();
    }
}

void Channel::refill(std::size_t lines) {
    lines_left_ = std::min(lines_per_second, lines_left_ + lines);
    go_on();
}

void Channel::go_on() {
    if (!closed_ && !reading_ && !taking_) {
        take_lines();
    }
}

void Channel::drain(std::function<void()> done) {
    drained_ = std::move(done);
    if (!reading_) {
        take_rest();
        return;
    }
    // The read may have happened already, with its handler still to come.
    boost::system::error_code ignored;
    socket_.cancel(ignored);
}

void Channel::take_rest() {
    std::size_t bytes = 0;
    taking_ = true;
    while (!closed_) {
        if (const auto line = lines_.take()) {
            take_line(*line);
            continue;
        }
        // By the system's call: asio would wait for more.
        const auto count =
            ::recv(socket_.native_handle(), piece_.data(), piece_.size(), MSG_DONTWAIT);
        if (count <= 0 || bytes > drained_bytes_max || lines_.is_too_long()) {
            break;
        }
        bytes += static_cast<std::size_t>(count);
        lines_.add({piece_.data(), static_cast<std::size_t>(count)});
    }
    taking_ = false;
    std::exchange(drained_, {})();
}

void Channel::stop_writing() {
    writes_ = false;
    gathered_.clear();
}

void Channel::close() {
    closed_ = true;
    boost::system::error_code ignored;
    socket_.close(ignored);
}

void Channel::read() {
    reading_ = true;
    socket_.async_read_some(
        asio::buffer(piece_),
        [self = shared_from_this()](const boost::system::error_code& error, std::size_t count) {
            self->reading_ = false;
            if (!error) {
                self->lines_.add({self->piece_.data(), count});
            }
            if (self->drained_) {
                self->take_rest();
            } else if (!self->closed_ && error) {
                self->break_off("it closed its socket");
            } else if (!self->closed_) {
                self->take_lines();
            }
        });
}

/// Passes lines on until no whole line is left, or none may be taken; in the first case reads more.
void Channel::take_lines() {
    taking_ = true;
    while (!closed_) {
        if (lines_left_ == 0 || !owner_.may_read()) {
            break;
        }
        const auto line = lines_.take();
        if (!line && lines_.is_too_long()) {
            close();
            break_off("it sent a line that is too long");
            break;
        }
        if (!line) {
            read();
            break;
        }
        --lines_left_;
        take_line(*line);
    }
    taking_ = false;
}

void Channel::take_line(std::string_view line) {
    if (line.size() < line_bytes_max) {
        owner_.on_line(line);
    } else {
        close();
        break_off("it sent a line that is too long");
    }
}

void Channel::write_gathered() {
    writing_ = std::exchange(gathered_, {});
    asio::async_write(
        socket_, asio::buffer(writing_),
        [self = shared_from_this()](const boost::system::error_code& error, std::size_t /*count*/) {
            self->writing_.clear();
            if (self->closed_) {
                return;
            }
            if (error) {
                self->stop_writing();  // What it wrote before is still read, up to the end.
            }
            if (!self->gathered_.empty()) {
                self->write_gathered();
            }
            self->go_on();
        });
}

void Channel::break_off(std::string why) {
    stop_writing();
    if (!std::exchange(broken_, true)) {
        owner_.on_broken(std::move(why));
    }
}

}  // namespace merpati::connector::process
