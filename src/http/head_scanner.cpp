#include "http/head_scanner.hpp"

#include "http/ascii.hpp"

namespace merpati::http {

HeadScanner::Result HeadScanner::scan(std::string_view bytes) {
    for (;;) {
        const std::size_t line_feed = bytes.find('\n', scanned_);
        if (line_feed == std::string_view::npos) {
            scanned_ = bytes.size();
            return check_rest(bytes);
        }
        if (line_feed == line_begin_ || bytes[line_feed - 1] != '\r') {
            return Result::malformed;
        }
        const auto line = bytes.substr(line_begin_, line_feed - 1 - line_begin_);
        scanned_ = line_feed + 1;
        line_begin_ = line_feed + 1;
        if (const Result result = take_line(line); result != Result::needs_more) {
            return result;
        }
    }
}

HeadScanner::Result HeadScanner::take_line(std::string_view line) {
    if (line.empty() && lines_ > 0) {
        return Result::complete;
    }
    if (line.empty()) {
        const bool first = begin_ == 0;
        begin_ = line_begin_;
        return first ? Result::needs_more : Result::malformed;
    }
    if (lines_ == 0) {
        if (!is_token_char(line.front())) {
            return Result::malformed;
        }
        if (line.size() > limits_->request_line_max) {
            return Result::line_too_long;
        }
        fields_begin_ = line_begin_;
    } else if (line.front() == ' ' || line.front() == '\t') {
        return Result::malformed;
    } else if (lines_ > limits_->header_count_max ||
               line_begin_ - fields_begin_ > limits_->header_bytes_max) {
        return Result::header_too_large;
    }
    ++lines_;
    return Result::needs_more;
}

HeadScanner::Result HeadScanner::check_rest(std::string_view bytes) const {
    const auto rest = bytes.substr(line_begin_);
    if (lines_ > 0) {
        const bool fits = bytes.size() - fields_begin_ <= limits_->header_bytes_max + 2;
        return fits ? Result::needs_more : Result::header_too_large;
    }
    if (!rest.empty() && rest.front() != '\r' && !is_token_char(rest.front())) {
        return Result::malformed;
    }
    const bool fits = rest.size() <= limits_->request_line_max + 1;
    return fits ? Result::needs_more : Result::line_too_long;
}

}  // namespace merpati::http
