// Decodes a chunked body (RFC 9112 section 7.1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace merpati::http {

/// Operation: give `decode` the bytes as they arrive. It writes the decoded bytes to `out`, which
/// needs room for as many bytes as are given, and returns the numbers of bytes consumed and
/// produced. All bytes are consumed until `done`; the bytes that follow belong to the next message.
/// `out` may overlap `bytes` if it does not begin after it.
///
/// Limits: line ends are CR LF; a size has at most 8 hexadecimal digits; extensions and trailers
/// (both ignored) have no control characters except tab, and at most `overhead_max` bytes
/// together. Beast's decoder is not used because it takes a bare LF inside quoted extensions and
/// bounds neither extensions nor trailers.
class ChunkDecoder {
public:
    static constexpr std::size_t overhead_max = 4096;

    enum class Status : std::uint8_t { needs_more, done, malformed, too_large };
    struct Progress {
        Status status = Status::needs_more;
        std::size_t consumed = 0;
        std::size_t produced = 0;
    };

    explicit ChunkDecoder(std::size_t body_max) noexcept : room_(body_max) {}

    [[nodiscard]] Progress decode(std::span<const char> bytes, char* out);

private:
    enum class State : std::uint8_t {
        size_first,
        size,
        extension,
        size_line_feed,
        data,
        data_return,
        data_line_feed,
        trailer_begin,
        trailer_name,
        trailer_value,
        trailer_line_feed,
        end_line_feed,
        done,
    };
    /// Reads one byte that is not part of the body. False: malformed.
    [[nodiscard]] bool step(char c);
    [[nodiscard]] bool step_size(char c);
    [[nodiscard]] bool step_trailer(char c);

    State state_ = State::size_first;
    std::size_t room_;  // Bytes that the body may still have.
    std::size_t chunk_ = 0;
    std::size_t digits_ = 0;
    std::size_t overhead_ = 0;
    bool last_ = false;
};

}  // namespace merpati::http
