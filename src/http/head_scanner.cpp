#include "http/head_scanner.hpp"

#include "http/ascii.hpp"

namespace merpati::http {

HeadScanner::Result HeadScanner::scan(std::string_view bytes) {
    for (;;) {
        const std::size_t line_feed = bytes.find('\n', scanned_);
        const bool ended = line_feed != std::string_view::npos;
        auto line = bytes.substr(line_begin_, ended ? line_feed - line_begin_ : line_feed);
        // A CR at the end may be the first half of CR LF, so it does not count as part of the line.
        // The limits are then the same whether the LF has arrived or not.
        const bool returned = line.ends_with('\r');
        line.remove_suffix(returned ? 1 : 0);
        if (const Result result = judge(line); result != Result::needs_more) {
            return result;
        }
        scanned_ = ended ? line_feed + 1 : bytes.size();
        if (!ended) {
            return Result::needs_more;
        }
        if (!returned) {
            return Result::malformed;
        }
        line_begin_ = scanned_;
        if (line.empty()) {
            if (const Result result = take_empty_line(); result != Result::needs_more) {
                return result;
            }
        } else if (++lines_ == 1) {
            fields_begin_ = line_begin_;
        }
    }
}

/// `line`: a line without its line end, or the part of it that has arrived. A refused part stays
/// refused, for the same reason, whatever is appended.
HeadScanner::Result HeadScanner::judge(std::string_view line) const {
    static constexpr std::size_t line_end = 2;  // CR LF
    if (line.empty()) {
        return Result::needs_more;
    }
    if (lines_ == 0) {
        if (!is_token_char(line.front())) {
            return Result::malformed;
        }
        return line.size() > limits_->request_line_max ? Result::line_too_long : Result::needs_more;
    }
    if (line.front() == ' ' || line.front() == '\t') {
        return Result::malformed;
    }
    const bool fits =
        lines_ <= limits_->header_count_max &&
        line_begin_ - fields_begin_ + line.size() + line_end <= limits_->header_bytes_max;
    return fits ? Result::needs_more : Result::header_too_large;
}

HeadScanner::Result HeadScanner::take_empty_line() {
    if (lines_ > 0) {
        return Result::complete;
    }
    const bool first = begin_ == 0;
    begin_ = line_begin_;
    return first ? Result::needs_more : Result::malformed;
}

}  // namespace merpati::http
