// Cuts the bytes of a stream into lines.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace merpati::connector::process {

/// Lines are taken one by one, so that a reader may stop between two of them.
///
/// Threads: none. Limits: holds all that was added and not taken; the caller must stop adding when
/// `is_too_long`.
class LineBuffer {
public:
    explicit LineBuffer(std::size_t line_max) : line_max_(line_max) {}

    void add(std::string_view bytes) {
        if (begin_ > 0) {
            bytes_.erase(0, begin_);
            seen_ -= begin_;
            begin_ = 0;
        }
        bytes_ += bytes;
    }

    /// The next whole line without its end; valid until `add`.
    [[nodiscard]] std::optional<std::string_view> take() {
        const auto end = bytes_.find('\n', seen_);
        if (end == std::string::npos) {
            seen_ = bytes_.size();
            return std::nullopt;
        }
        const auto line = std::string_view{bytes_}.substr(begin_, end - begin_);
        begin_ = seen_ = end + 1;
        return line;
    }

    /// Whether the unfinished line is too long, its end included. Call it after `take` returned
    /// nothing; the length of a returned line is for the caller to check.
    [[nodiscard]] bool is_too_long() const noexcept { return bytes_.size() - begin_ >= line_max_; }

    /// Removes and returns the unfinished line.
    [[nodiscard]] std::string take_rest() {
        auto rest = bytes_.substr(begin_);
        bytes_.clear();
        begin_ = seen_ = 0;
        return rest;
    }

private:
    const std::size_t line_max_;
    std::string bytes_;
    std::size_t begin_ = 0;  // Where the first line that was not taken begins.
    std::size_t seen_ = 0;   // Where the search for the next line's end continues.
};

}  // namespace merpati::connector::process
