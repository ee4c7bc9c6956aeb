// One end of a channel between two nodes: frames in, frames out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/system/error_code.hpp>

namespace merpati::forwarding {

/// A frame is a number of 64 bits, the size of its text in 32 bits, both in network order, and the
/// text.
///
/// Operation: frames that are sent in one turn of the executor, or while others are being written,
/// go out in one write. Frames that have arrived are handed to the listener one by one. An end that
/// does not answer TCP for 20 s counts as closed.
///
/// Limits: a frame whose text is larger than `text_max` closes the socket. Memory: the largest
/// frame and `read_max` bytes in, and what the caller sends, who asks `has_room`.
///
/// Threads: the executor's one. It keeps itself alive while it is open.
class FrameSocket final : public std::enable_shared_from_this<FrameSocket> {
public:
    using Socket = boost::asio::generic::stream_protocol::socket;

    struct Listener {
        /// The text is valid until it returns.
        std::function<void(std::uint64_t number, std::string_view text)> on_frame;
        /// So many frames have left since the last call.
        std::function<void(std::size_t frames)> on_written;
        /// The other end has closed, or broke the protocol. Nothing more is called. Not called
        /// after `close`.
        std::function<void()> on_closed;
    };

    FrameSocket(Socket socket, std::size_t text_max, Listener listener);

    /// Call once. Calls nothing before it returns.
    void start();
    /// Sends a frame whose text has these parts.
    void send(std::uint64_t number, std::initializer_list<std::string_view> parts);
    /// False: the other end does not read, and much waits to be written.
    [[nodiscard]] bool has_room() const noexcept { return waiting_.size() < waiting_max; }
    /// How many of the last frames certainly have not left.
    [[nodiscard]] std::size_t unsent() const noexcept { return waiting_frames_; }
    void close();

    static constexpr std::size_t read_max = std::size_t{64} << 10;
    static constexpr std::size_t waiting_max = std::size_t{1} << 20;

private:
    void read();
    void received(std::size_t size);
    void flush();
    void fail();

    Socket socket_;
    const std::size_t text_max_;
    Listener listener_;
    std::vector<char> in_;
    std::size_t in_size_ = 0;  // What has arrived of frames that were not handed over.
    std::string waiting_;      // To be written next.
    std::string writing_;
    std::size_t waiting_frames_ = 0;
    std::size_t writing_frames_ = 0;
    bool flush_is_posted_ = false;
    bool closed_ = false;
};

/// For a listener that may outlive an object: calls its member, unless the object is gone.
template <auto member, class Object>
[[nodiscard]] auto weakly(std::weak_ptr<Object> object) {
    return [object = std::move(object)]<class... Arguments>(Arguments&&... arguments) {
        if (const auto self = object.lock()) {
            (self.get()->*member)(std::forward<Arguments>(arguments)...);
        }
    };
}

}  // namespace merpati::forwarding
