// Reads one HTTP/1.x answer within its caps, from bytes in any pieces.
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

/// Operation: give `feed` the bytes as they come, and call `finish` when the connection has ended.
/// Interim answers (1xx) are read and left out; the final one is `response()`. Nothing may be fed
/// once the state is `done` or `failed`.
///
/// How the bytes were cut into pieces decides nothing: state, response and error are the same. Only
/// `keep_alive` sees what came behind the answer in the same piece.
///
/// Limits: those of the request (header_bytes_max, body_bytes_max, truncate) for each head and for
/// the body; 128 header fields; 8 interim answers; those of http::ChunkDecoder. Holds at most one
/// head that is not whole yet, and the body.
///
/// Errors: protocol (not HTTP, an end too early, an upgrade), refused (a body over its cap where
/// the request wants it whole).
///
/// Threads: none. Knows no sockets; the request must outlive it.
class ResponseReader {
public:
    explicit ResponseReader(const Request& request);

    enum class State : std::uint8_t { needs_more, done, failed };
    State feed(std::string_view bytes);
    State finish();
    [[nodiscard]] State state() const noexcept { return state_; }

    /// The final answer's head has come; `response()` has status and headers.
    [[nodiscard]] bool has_head() const noexcept { return has_head_; }
    [[nodiscard]] Response& response() noexcept { return head_.response; }

    /// Why it failed. Call it once, when it has.
    [[nodiscard]] Error take_error() { return std::move(*error_); }

    /// The answer ended where its framing says and nothing came behind it: the connection may be
    /// used again. False while it is not done.
    [[nodiscard]] bool keep_alive() const noexcept;

private:
    [[nodiscard]] std::size_t take_head(std::string_view bytes);
    [[nodiscard]] std::size_t take_body(std::string_view bytes);
    [[nodiscard]] std::optional<std::size_t> find_head_end(std::string_view bytes);
    void use_head(std::string_view bytes);
    void begin_body();
    void keep(std::string_view body);
    [[nodiscard]] std::size_t take_chunks(std::string_view bytes);
    void stop(ErrorCode code, std::string detail);

    const Request& request_;
    State state_ = State::needs_more;
    std::optional<Error> error_;

    std::string partial_;         // The head so far, where it came in pieces.
    std::size_t line_begin_ = 0;  // In the head: of the line that is not whole,
    std::size_t scanned_ = 0;     // and how far that one was looked at.
    std::size_t interim_ = 0;     // 1xx answers that came.
    bool has_head_ = false;
    ResponseHead head_;

    http::ChunkDecoder chunks_;
    std::uint64_t left_ = 0;    // Of Framing::length.
    std::size_t received_ = 0;  // Of the body.
    bool cut_ = false;          // At the cap, or the request wanted no more.
    bool surplus_ = false;      // Bytes came behind the answer.
};

}  // namespace merpati::outbound
