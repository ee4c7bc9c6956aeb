// Where replies, and pieces of bodies, from other threads wait for the I/O thread that owns their
// connection.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "http/reply.hpp"

namespace merpati::http {

class Connection;

/// Operation: whoever puts the first reply into the empty queue wakes the owner, which takes all of
/// them at once; so a batch of answers costs one wake-up. After `close` replies are dropped.
///
/// Threads: `put` from any; the rest is the owner's. Outlives the server where a Responder does.
class ReplyQueue {
public:
    /// `wake` is called under the queue's lock, by the thread that puts.
    explicit ReplyQueue(std::function<void()> wake) : wake_(std::move(wake)) {}

    struct Item {
        enum class Kind : std::uint8_t {
            reply,
            abandoned,  // Nobody will answer; `reply` is empty.
            piece,      // Of a body, in `reply.body`.
            last_piece,
            cut_off,  // Nobody will end the body.
        };
        std::shared_ptr<Connection> to;
        Reply reply{};
        Kind kind = Kind::reply;
    };
    void put(Item&& item);

    /// Moves everything into `out`, which was empty.
    void take_all(std::vector<Item>& out);

    void close();

    /// Called once, by the owner, before its first connection.
    void own() noexcept { current_ = this; }
    [[nodiscard]] bool owned_by_this_thread() const noexcept { return current_ == this; }

private:
    static thread_local const ReplyQueue* current_;

    std::function<void()> wake_;
    std::mutex mutex_;
    std::vector<Item> items_;
    bool closed_ = false;
};

}  // namespace merpati::http
