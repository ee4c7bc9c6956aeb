// Finds the end of a request's header in bytes that arrive in any pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "http/limits.hpp"

namespace merpati::http {

/// Operation: call `scan` with all bytes of the request so far, whenever bytes were added. Each
/// byte is searched for a line end once. Bytes that cannot become a request are refused at once,
/// without waiting for the end of the header: a line that ends in a bare LF, a folded line (RFC
/// 9112 section 5.2), a first byte that cannot begin a method, and lines beyond the limits. One
/// empty line before the request is accepted (section 2.2).
///
/// The result does not depend on the pieces in which the bytes arrive: complete and incomplete
/// lines are checked by the same rules in the same order, and the first byte that breaks a rule
/// decides.
class HeadScanner {
public:
    explicit HeadScanner(const Limits& limits) noexcept : limits_(&limits) {}

    enum class Result : std::uint8_t {
        needs_more,
        complete,
        malformed,         // 400
        line_too_long,     // 414
        header_too_large,  // 431
    };
    [[nodiscard]] Result scan(std::string_view bytes);

    /// The offsets of the request line (after an empty line) and of the body, once complete.
    [[nodiscard]] std::size_t begin() const noexcept { return begin_; }
    [[nodiscard]] std::size_t end() const noexcept { return line_begin_; }

private:
    [[nodiscard]] Result judge(std::string_view line) const;
    [[nodiscard]] Result take_empty_line();

    const Limits* limits_;
    std::size_t begin_ = 0;
    std::size_t fields_begin_ = 0;
    std::size_t line_begin_ = 0;
    std::size_t scanned_ = 0;
    std::size_t lines_ = 0;
};

}  // namespace merpati::http
