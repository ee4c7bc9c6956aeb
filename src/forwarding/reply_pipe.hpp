// An answer's body on its way from one connection to another.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "http/body_source.hpp"

namespace merpati::forwarding {

/// Operation: one thread puts in pieces as they come; the server's connection takes them as its
/// client reads. Whoever puts in asks `has_room` after each piece, and otherwise waits for
/// `on_change`.
///
/// Limits: `room_max` bytes, and the last piece.
///
/// Threads: any.
class ReplyPipe : public std::enable_shared_from_this<ReplyPipe> {
public:
    /// `on_change` is called when there is room again, and when nobody reads any more, on the
    /// connection's thread; it must not block.
    explicit ReplyPipe(std::function<void()> on_change) : on_change_(std::move(on_change)) {}

    /// For the reply. Call once.
    [[nodiscard]] std::unique_ptr<http::BodySource> source();

    /// False: nobody reads any more.
    [[nodiscard]] bool put(std::span<const std::byte> bytes);
    [[nodiscard]] bool has_room() const;
    [[nodiscard]] bool is_left() const;
    void finish();
    /// The client sees that the body is not whole.
    void break_off();

    static constexpr std::size_t room_max = std::size_t{64} << 10;

private:
    class Source;
    void next(http::BodyWriter writer);
    void leave();

    const std::function<void()> on_change_;
    mutable std::mutex mutex_;
    std::string bytes_;
    std::optional<http::BodyWriter> writer_;  // Waits for a piece.
    bool finished_ = false;
    bool broken_ = false;
    bool left_ = false;
};

}  // namespace merpati::forwarding
