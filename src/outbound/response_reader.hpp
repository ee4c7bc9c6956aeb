// Parses one HTTP/1.x response incrementally, within limits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "http/chunk_decoder.hpp"
#include "outbound/request.hpp"
#include "outbound/response.hpp"

namespace merpati::outbound {

/// Operation: give `feed` the bytes as they arrive, and call `finish` when the connection has
/// ended. Interim responses (1xx, but for a 101 that was asked for) are skipped; the final one is
/// `response()`. Call neither once the
/// state is `done` or `failed`.
///
/// State, response and error do not depend on the pieces in which the bytes arrive. Only
/// `keep_alive` does: it is false if the last piece had bytes after the response.
///
/// Limits: those of the request (header_bytes_max, body_bytes_max, truncate) for each head and for
/// the body; 128 header fields; 8 interim responses; those of http::ChunkDecoder. Memory: at most
/// one incomplete head, and the body.
///
/// Errors: protocol (not HTTP, ended early, an upgrade that was not asked for, an unknown transfer
/// coding, a limit other than the body's), refused (a body over its limit that may not be cut;
/// Request::truncate).
///
/// Threads: none. Knows no sockets; the request must outlive it.
class ResponseReader {
public:
    explicit ResponseReader(const Request& request);

    enum class State : std::uint8_t { needs_more, done, failed };
    State feed(std::string_view bytes);
    State finish();
    [[nodiscard]] State state() const noexcept { return state_; }

    /// Whether the final response's head has arrived; `response()` then has status and headers.
    [[nodiscard]] bool has_head() const noexcept { return has_head_; }
    [[nodiscard]] Response& response() noexcept { return head_.response; }

    /// Why it failed. Call once, in state `failed`.
    [[nodiscard]] Error take_error() { return std::move(*error_); }

    /// Whether the connection may be used again: the response is complete, its framing shows its
    /// end, and no bytes followed. False before state `done`.
    [[nodiscard]] bool keep_alive() const noexcept;

private:
    [[nodiscard]] std::size_t read_head(std::string_view bytes);
    [[nodiscard]] std::size_t read_body(std::string_view bytes);
    [[nodiscard]] std::optional<std::size_t> find_head_end(std::string_view bytes);
    void parse_head(std::string_view bytes);
    void begin_body();
    void append_body(std::string_view body);
    [[nodiscard]] std::size_t read_chunks(std::string_view bytes);
    void set_failed(ErrorCode code, std::string detail);

    const Request& request_;
    State state_ = State::needs_more;
    std::optional<Error> error_;

    std::string partial_;         // The incomplete head, if it came in pieces.
    std::size_t line_begin_ = 0;  // Where the current line of the head begins.
    std::size_t scanned_ = 0;     // How far the head was searched for line ends.
    std::size_t interim_ = 0;     // 1xx responses so far.
    bool has_head_ = false;
    ResponseHead head_;

    http::ChunkDecoder chunks_;
    std::uint64_t remaining_ = 0;  // Of Framing::length.
    std::size_t received_ = 0;     // Bytes of the body.
    bool cut_ = false;             // Ended at the limit, or by on_head or on_body.
    bool has_trailing_ = false;    // Bytes followed the response.
};

}  // namespace merpati::outbound
