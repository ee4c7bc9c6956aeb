#include "forwarding/frame_socket.hpp"

#include <array>
#include <cstring>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/endian/conversion.hpp>

namespace merpati::forwarding {
namespace {

using boost::system::error_code;

constexpr std::size_t number_size = 8;
constexpr std::size_t head_size = number_size + 4;

/// A buffer of written frames with more capacity than this is freed.
constexpr std::size_t kept_max = std::size_t{256} << 10;

/// So a machine that is gone, or behind a network that is cut, is noticed within 20 s, and a
/// channel that is idle is not forgotten by what is in between. Other sockets than TCP's know none
/// of these.
void watch_other_end(int socket) {
    const auto set = [socket](int level, int option, int value) {
        (void)::setsockopt(socket, level, option, &value, sizeof value);
    };
    set(SOL_SOCKET, SO_KEEPALIVE, 1);
    set(IPPROTO_TCP, TCP_KEEPIDLE, 10);  // Seconds.
    set(IPPROTO_TCP, TCP_KEEPINTVL, 3);
    set(IPPROTO_TCP, TCP_KEEPCNT, 3);
    set(IPPROTO_TCP, TCP_USER_TIMEOUT, 10'000);  // Milliseconds.
}

std::uint64_t number_in(const char* head) {
    return boost::endian::load_big_u64(reinterpret_cast<const unsigned char*>(head));
}

std::size_t text_size_in(const char* head) {
    return boost::endian::load_big_u32(reinterpret_cast<const unsigned char*>(head + number_size));
}

}  // namespace

FrameSocket::FrameSocket(Socket socket, std::size_t text_max, Listener listener)
    : socket_(std::move(socket)),
      text_max_(text_max),
      listener_(std::move(listener)),
      in_(read_max) {
    error_code ignored;  // A socket that is broken fails at its first use.
    socket_.non_blocking(true, ignored);
    watch_other_end(socket_.native_handle());
}

void FrameSocket::start() {
    boost::asio::post(socket_.get_executor(), [self = shared_from_this()] {
        if (!self->closed_) {
            self->read();
        }
    });
}

void FrameSocket::read() {
    socket_.async_read_some(boost::asio::buffer(in_.data() + in_size_, in_.size() - in_size_),
                            [self = shared_from_this()](const error_code& error, std::size_t size) {
                                if (self->closed_) {
                                    return;
                                }
                                if (error) {
                                    self->fail();
                                } else {
                                    self->received(size);
                                }
                            });
}

void FrameSocket::received(std::size_t size) {
    in_size_ += size;
    std::size_t begin = 0;
    while (in_size_ - begin >= head_size) {
        const char* const frame = in_.data() + begin;
        const auto text_size = text_size_in(frame);
        if (text_size > text_max_) {
            fail();
            return;
        }
        if (in_size_ - begin < head_size + text_size) {
            break;
        }
        begin += head_size + text_size;
        listener_.on_frame(number_in(frame), {frame + head_size, text_size});
        if (closed_) {
            return;
        }
    }
    in_size_ -= begin;
    std::memmove(in_.data(), in_.data() + begin, in_size_);
    const auto needed =
        read_max + (in_size_ >= head_size ? head_size + text_size_in(in_.data()) : 0);
    if (in_.size() < needed) {
        in_.resize(needed);
    }
    read();
}

void FrameSocket::send(std::uint64_t number, std::initializer_list<std::string_view> parts) {
    if (closed_) {
        return;
    }
    std::size_t size = 0;
    for (const auto part : parts) {
        size += part.size();
    }
    std::array<unsigned char, head_size> head;
    boost::endian::store_big_u64(head.data(), number);
    boost::endian::store_big_u32(head.data() + number_size, static_cast<std::uint32_t>(size));
    waiting_.append(reinterpret_cast<const char*>(head.data()), head.size());
    for (const auto part : parts) {
        waiting_ += part;
    }
    ++waiting_frames_;
    if (writing_frames_ == 0 && !std::exchange(flush_is_posted_, true)) {
        boost::asio::post(socket_.get_executor(), [self = shared_from_this()] {
            self->flush_is_posted_ = false;
            self->flush();
        });
    }
}

void FrameSocket::flush() {
    if (closed_ || writing_frames_ > 0 || waiting_frames_ == 0) {
        return;
    }
    writing_.swap(waiting_);
    writing_frames_ = std::exchange(waiting_frames_, 0);
    boost::asio::async_write(
        socket_, boost::asio::buffer(writing_),
        [self = shared_from_this()](const error_code& error, std::size_t /*all*/) {
            if (self->closed_) {
                return;
            }
            if (error) {
                self->fail();
                return;
            }
            self->writing_.clear();
            if (self->writing_.capacity() > kept_max) {
                self->writing_.shrink_to_fit();
            }
            self->listener_.on_written(std::exchange(self->writing_frames_, 0));
            self->flush();
        });
}

void FrameSocket::fail() {
    auto on_closed = std::move(listener_.on_closed);
    close();
    on_closed();
}

void FrameSocket::close() {
    if (!std::exchange(closed_, true)) {
        error_code ignored;
        socket_.close(ignored);
    }
}

}  // namespace merpati::forwarding
