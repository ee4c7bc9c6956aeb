// Carries replies and pieces of bodies from other threads to the I/O thread of their connection.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "http/reply.hpp"

namespace merpati::http {

class Connection;

/// Operation: `put` into the empty queue wakes the owner, which takes all items at once; a batch of
/// answers therefore costs one wake-up. After `close` items are dropped.
///
/// Threads: `put` from any; all others only on the owner. A Responder may keep the queue alive
/// after the server is destroyed.
class ReplyQueue {
public:
    /// `wake` is called under the queue's lock, on the thread that calls `put`.
    explicit ReplyQueue(std::function<void()> wake) : wake_(std::move(wake)) {}

    struct Item {
        enum class Kind : std::uint8_t {
            reply,
            abandoned,  // The Responder was destroyed unused; `reply` is empty.
            piece,      // Of a body, in `reply.body`.
            last_piece,
            cut_off,  // The BodyWriter was destroyed unused.
            go_on,    // The PieceHold was destroyed.
        };
        std::shared_ptr<Connection> to;
        Reply reply{};
        Kind kind = Kind::reply;
        std::uint64_t hold = 0;  // Of Kind::go_on.
    };
    void put(Item&& item);

    /// Moves all items into `out`, which must be empty.
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
