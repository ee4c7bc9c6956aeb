// Takes the chunks of a body apart (RFC 9112 section 7.1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace merpati::http {

/// Operation: give `decode` the bytes as they come; it writes the body's own bytes to `out` and
/// says how far it came. All bytes given are consumed until `done`; what follows then belongs to
/// the next request. `out` may overlap `bytes` as long as it does not begin behind it.
///
/// Stricter than Beast's, which takes bare LF inside quoted extensions and bounds neither the
/// extensions nor the trailers: line ends are CR LF, a size has at most 8 hexadecimal digits,
/// extensions and trailers (both ignored) hold no control characters and at most
/// `overhead_max` bytes in all.
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
    /// Moves on by one byte that is not the body's. False: malformed.
    [[nodiscard]] bool step(char c);
    [[nodiscard]] bool step_size(char c);
    [[nodiscard]] bool step_trailer(char c);

    State state_ = State::size_first;
    std::size_t room_;  // What the body may still hold.
    std::size_t chunk_ = 0;
    std::size_t digits_ = 0;
    std::size_t overhead_ = 0;
    bool last_ = false;
};

}  // namespace merpati::http
