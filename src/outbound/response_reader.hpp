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
/// ended. Interim responses (1xx) are skipped; the final one is `response()`. Nothing may be fed
/// once the state is `done` or `failed`.
///
/// How the bytes are split into pieces makes no difference: state, response and error are the same.
/// Only `keep_alive` depends on what followed the response in the same piece.
///
/// Limits: those of the request (header_bytes_max, body_bytes_max, truncate) for each head and for
/// the body; 128 header fields; 8 interim responses; those of http::ChunkDecoder. Memory: at most
/// one incomplete head, and the body.
///
/// Errors: protocol (not HTTP, ended early, an upgrade), refused (a body over its limit that the
/// request does not allow to be cut).
///
/// Threads: none. Knows no sockets; the request must outlive it.
class ResponseReader {
public:
    explicit ResponseReader(const Request& request);

    enum class State : std::uint8_t { needs_more, done, failed };
    State feed(std::string_view bytes);
    State finish();
    [[nodiscard]] State state() const noexcept { return state_; }

    /// The final response's head has arrived; `response()` has status and headers.
    [[nodiscard]] bool has_head() const noexcept { return has_head_; }
    [[nodiscard]] Response& response() noexcept { return head_.response; }

    /// Why it failed. To be called once, in state `failed`.
    [[nodiscard]] Error take_error() { return std::move(*error_); }

    /// Whether the connection may be used again: the response ended where its framing says, and
    /// nothing followed it. False before state `done`.
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
    std::size_t line_begin_ = 0;  // In the head: where the current line begins,
    std::size_t scanned_ = 0;     // and up to where it was searched for its end.
    std::size_t interim_ = 0;     // 1xx responses so far.
    bool has_head_ = false;
    ResponseHead head_;

    http::ChunkDecoder chunks_;
    std::uint64_t remaining_ = 0;  // Of Framing::length.
    std::size_t received_ = 0;     // Of the body.
    bool cut_ = false;             // At the limit, or by a handler of the request.
    bool has_trailing_ = false;    // Bytes followed the response.
};

}  // namespace merpati::outbound
