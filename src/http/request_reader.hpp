// Reads whole requests from the bytes of one connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "http/chunk_decoder.hpp"
#include "http/head.hpp"
#include "http/head_scanner.hpp"
#include "http/limits.hpp"

namespace merpati::http {

/// How the body of a request is read.
struct BodyRule {
    std::size_t bytes_max = 0;
    bool in_pieces = false;
};

/// Gives the rule for a request. Asked once, when its head is complete.
class BodyLimiter {
public:
    virtual ~BodyLimiter() = default;
    [[nodiscard]] virtual BodyRule body_rule(const Head& head) = 0;
};

/// Operation: read into `room()`, report the number of bytes with `received()`, then call
/// `advance()`. When it returns `ready`, `head()` and `body()` are the request until `consume()`;
/// bytes after it are kept for the next request. After `refused` the connection must be closed,
/// because the beginning of the next request is unknown.
///
/// A request is contiguous in the buffer, so that it is not copied; a chunked body is decoded in
/// place. The result does not depend on the pieces in which the bytes arrive.
///
/// If the body comes in pieces (BodyRule), `advance` returns `begun` once, when the head is
/// complete, then `piece` for each part of the body until `take_piece`, and `ready`, with an empty
/// body, after the last one. `head()` is valid all the time. How the body is cut does depend on
/// the pieces in which it arrives.
///
/// Limits: Limits, and the BodyLimiter's. The buffer grows with the bytes that have arrived, and
/// shrinks to `idle_capacity` when it is empty. For a body in pieces it has room for the head and
/// one piece.
///
/// Threads: none. Knows no sockets.
class RequestReader {
public:
    /// Without a limiter, Limits::body_max is the limit of every request.
    explicit RequestReader(const Limits& limits, BodyLimiter* limiter = nullptr);

    /// Free room after the received bytes, at least one byte. May move the buffer: views taken
    /// before from `head()` and `body()` are then invalid.
    [[nodiscard]] std::span<char> room();
    void received(std::size_t size) noexcept { end_ += size; }

    /// Frees the buffer if it is empty. What `room` returned is then invalid.
    void release() noexcept;

    /// Frees the buffer. Afterwards only the destructor may be called.
    void destroy_buffer() noexcept { buffer_.reset(); }

    enum class State : std::uint8_t { needs_more, begun, piece, ready, refused };
    [[nodiscard]] State advance();

    /// Takes a piece, of 1 to BodyReceiver::piece_max bytes, out of the buffer. Call after `piece`.
    [[nodiscard]] std::string take_piece();

    /// The memory of the buffer.
    [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

    /// The part of a request that is awaited; it selects the deadline.
    enum class Part : std::uint8_t { nothing_yet, head, body };
    [[nodiscard]] Part part() const noexcept;

    /// The head, once it is complete; null before.
    [[nodiscard]] const Head* head() const noexcept { return head_done_ ? &head_ : nullptr; }
    [[nodiscard]] std::string_view body() const noexcept;

    /// 400, 413, 414, 431 or 505.
    [[nodiscard]] std::uint16_t refusal() const noexcept { return refusal_; }

    /// Whether the client waits for "100 Continue" before it sends the body. True once a request.
    [[nodiscard]] bool take_continue() noexcept;

    /// Drops the request that was `ready`.
    void consume();

    static constexpr std::size_t idle_capacity = 4096;

private:
    [[nodiscard]] State refuse(std::uint16_t status) noexcept;
    [[nodiscard]] State advance_head();
    [[nodiscard]] State advance_body();
    [[nodiscard]] State advance_piece();
    [[nodiscard]] State advance_chunks();
    [[nodiscard]] std::size_t body_begin() const noexcept { return begin_ + scanner_.end(); }
    void drop_from_body(std::size_t size) noexcept;
    [[nodiscard]] std::string_view unread() const noexcept;
    [[nodiscard]] std::string_view head_bytes() const noexcept;
    void reallocate(std::size_t capacity);
    void move_views(const char* to) noexcept;

    const Limits& limits_;
    BodyLimiter* const limiter_;
    std::unique_ptr<char[]> buffer_;
    std::size_t capacity_ = 0;
    std::size_t begin_ = 0;  // Of the current request, in the buffer.
    std::size_t end_ = 0;    // Of the received bytes.

    HeadScanner scanner_;
    Head head_;
    bool head_done_ = false;
    bool body_done_ = false;
    bool continue_sent_ = false;
    std::uint16_t refusal_ = 0;
    std::optional<ChunkDecoder> chunks_;
    std::size_t body_size_ = 0;  // Of the decoded part if chunked, else of the whole body.
    std::size_t next_ = 0;       // Where the next request begins, in the buffer.

    // Of a body in pieces.
    bool in_pieces_ = false;
    bool chunks_ended_ = false;
    std::size_t piece_size_ = 0;  // Of the piece that was not taken yet; it begins the body.
    std::size_t piece_end_ = 0;   // Behind it and its framing, in the buffer.
    std::uint64_t left_ = 0;      // Bytes that Content-Length says are still to come.
};

}  // namespace merpati::http
