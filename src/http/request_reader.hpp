// Takes whole requests out of the bytes of one connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "http/chunk_decoder.hpp"
#include "http/head.hpp"
#include "http/head_scanner.hpp"
#include "http/limits.hpp"

namespace merpati::http {

/// Asked once when the head of a request is complete: how large may its body be?
class BodyLimiter {
public:
    virtual ~BodyLimiter() = default;
    [[nodiscard]] virtual std::size_t body_max(const Head& head) = 0;
};

/// Operation: read into `room()`, say how much with `received()`, then ask `advance()`. When it
/// says `ready`, `head()` and `body()` are the request until `consume()`; what came behind it stays
/// for the next one. A refused connection cannot be read on: where the next request begins is
/// unknown.
///
/// A request lies in one piece in the buffer, so its views cost nothing; a chunked body is joined
/// in place. What is read and what is refused, and for which reason, does not depend on the pieces
/// in which the bytes come.
///
/// Limits: those of Limits; the buffer grows with what has really arrived and falls back to 4 KiB
/// when nothing waits in it.
///
/// Threads: none. Knows no sockets.
class RequestReader {
public:
    /// Without a limiter Limits::body_max holds for every request.
    explicit RequestReader(const Limits& limits, BodyLimiter* limiter = nullptr);

    /// Free room behind what was received: at least one byte. Moves the request's views.
    [[nodiscard]] std::span<char> room();
    void received(std::size_t size) noexcept { end_ += size; }

    /// Gives the buffer back if nothing waits in it. Ends the validity of `room`.
    void release() noexcept;

    enum class State : std::uint8_t { needs_more, ready, refused };
    [[nodiscard]] State advance();

    /// How much memory the buffer takes.
    [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

    /// Which part of a request is awaited; decides which deadline holds.
    enum class Part : std::uint8_t { nothing_yet, head, body };
    [[nodiscard]] Part part() const noexcept;

    /// The head, once it is complete; null before.
    [[nodiscard]] const Head* head() const noexcept { return head_done_ ? &head_ : nullptr; }
    [[nodiscard]] std::string_view body() const noexcept;

    /// 400, 413, 414, 431 or 505.
    [[nodiscard]] std::uint16_t refusal() const noexcept { return refusal_; }

    /// True once where the client waits for "100 Continue" before it sends the body.
    [[nodiscard]] bool take_continue() noexcept;

    /// Done with the request that was `ready`.
    void consume();

    static constexpr std::size_t idle_capacity = 4096;

private:
    [[nodiscard]] State refuse(std::uint16_t status) noexcept;
    [[nodiscard]] State advance_head();
    [[nodiscard]] State advance_body();
    [[nodiscard]] std::string_view unread() const noexcept;
    [[nodiscard]] std::string_view head_bytes() const noexcept;
    void reallocate(std::size_t capacity);
    void move_views(const char* to) noexcept;

    const Limits& limits_;
    BodyLimiter* const limiter_;
    std::unique_ptr<char[]> buffer_;
    std::size_t capacity_ = 0;
    std::size_t begin_ = 0;  // Of the request under way, in the buffer.
    std::size_t end_ = 0;    // Of what was received.

    HeadScanner scanner_;
    Head head_;
    bool head_done_ = false;
    bool body_done_ = false;
    bool continue_sent_ = false;
    std::uint16_t refusal_ = 0;
    std::optional<ChunkDecoder> chunks_;
    std::size_t body_size_ = 0;  // Of what is decoded, or of the whole.
    std::size_t next_ = 0;       // Where the next request begins, in the buffer.
};

}  // namespace merpati::http
