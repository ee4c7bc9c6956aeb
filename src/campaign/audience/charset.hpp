// Text of other character sets as UTF-8, by the C library's iconv.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace merpati::campaign {

/// Converts a stream of bytes to UTF-8. What is not valid becomes U+FFFD.
///
/// Threads: one at a time.
class CharsetConverter {
public:
    /// `name` as iconv knows it: "UTF-16LE"; `unit` is how many bytes an invalid character has at
    /// least. Errors: io_failed (the C library lacks its table).
    [[nodiscard]] static Result<CharsetConverter> open(const char* name, std::size_t unit);

    /// Appends the whole characters at the beginning of `bytes`, and removes them from `bytes`.
    /// What remains, a few bytes at most, is the beginning of a character.
    void append_to(std::string& text, std::string_view& bytes);

private:
    struct Close {
        void operator()(void* handle) const noexcept;
    };
    CharsetConverter(void* handle, std::size_t unit) : handle_(handle), unit_(unit) {}

    std::unique_ptr<void, Close> handle_;
    std::size_t unit_;
};

}  // namespace merpati::campaign
