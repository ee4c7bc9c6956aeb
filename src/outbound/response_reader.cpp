#include "outbound/response_reader.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <utility>

namespace merpati::outbound {
namespace {

constexpr std::size_t interim_max = 8;
constexpr std::string_view protocol_name = "HTTP/1.";

}  // namespace

ResponseReader::ResponseReader(const Request& request)
    : request_(request), chunks_(std::numeric_limits<std::size_t>::max()) {}

ResponseReader::State ResponseReader::feed(std::string_view bytes) {
    while (state_ == State::needs_more && !bytes.empty()) {
        bytes.remove_prefix(has_head_ ? read_body(bytes) : read_head(bytes));
    }
    has_trailing_ = has_trailing_ || !bytes.empty();
    return state_;
}

ResponseReader::State ResponseReader::finish() {
    if (state_ != State::needs_more) {
        return state_;
    }
    if (has_head_ && head_.framing == Framing::until_end) {
        state_ = State::done;
    } else {
        set_failed(ErrorCode::protocol, "the answer ended early");
    }
    return state_;
}

bool ResponseReader::keep_alive() const noexcept {
    return state_ == State::done && !cut_ && !has_trailing_ && head_.keep_alive &&
           head_.framing != Framing::until_end;
}

/// Returns how many of the bytes belong to the head. A head that arrives in one piece is not
/// copied.
std::size_t ResponseReader::read_head(std::string_view bytes) {
    const auto before = partial_.size();
    auto head = bytes;
    if (before > 0) {
        partial_ += bytes.substr(0, request_.header_bytes_max + 1 - before);
        head = partial_;
    }
    const auto end = find_head_end(head);
    if (!end) {
        if (before == 0 && state_ == State::needs_more) {
            partial_ = bytes;
        }
        return bytes.size();
    }
    parse_head(head.substr(0, *end));
    partial_.clear();
    line_begin_ = scanned_ = 0;
    return *end - before;
}

/// Every byte is examined once and in order, so that the first error found does not depend on the
/// pieces. Bytes that cannot become a response fail at once, without waiting for the end of the
/// head.
std::optional<std::size_t> ResponseReader::find_head_end(std::string_view bytes) {
    const auto known = std::min(bytes.size(), protocol_name.size());
    if (scanned_ < protocol_name.size() &&
        bytes.substr(0, known) != protocol_name.substr(0, known)) {
        set_failed(ErrorCode::protocol, "not an HTTP answer");
        return std::nullopt;
    }
    const auto allowed = bytes.substr(0, request_.header_bytes_max);
    for (;;) {
        const auto line_feed = allowed.find('\n', scanned_);
        if (line_feed == std::string_view::npos) {
            break;
        }
        if (allowed[line_feed - 1] != '\r') {
            set_failed(ErrorCode::protocol, "not an HTTP answer: a line ends without CR");
            return std::nullopt;
        }
        const bool is_empty = line_feed - line_begin_ == 1;
        line_begin_ = scanned_ = line_feed + 1;
        if (is_empty) {
            return line_begin_;
        }
    }
    scanned_ = allowed.size();
    if (bytes.size() > request_.header_bytes_max) {
        set_failed(ErrorCode::protocol, "the answer's head is larger than allowed");
    }
    return std::nullopt;
}

void ResponseReader::parse_head(std::string_view bytes) {
    auto head = parse_response_head(bytes, request_.method == "HEAD");
    if (!head) {
        error_ = std::move(head.error());
        state_ = State::failed;
        return;
    }
    const auto status = head->response.status;
    if (status == 101 && !request_.may_upgrade) {
        set_failed(ErrorCode::protocol, "an upgrade was not asked for");
    } else if (status >= 200 || status == 101) {
        head_ = std::move(*head);
        has_head_ = true;
        begin_body();
    } else if (++interim_ > interim_max) {
        set_failed(ErrorCode::protocol, "the answer never comes");
    }
}

void ResponseReader::begin_body() {
    const bool is_wanted = !request_.on_head || request_.on_head(head_.response);
    if (head_.framing == Framing::none) {
        state_ = State::done;
    } else if (!is_wanted) {
        cut_ = true;
        state_ = State::done;
    } else if (head_.framing == Framing::unknown) {
        set_failed(ErrorCode::protocol, "the answer has a transfer coding that was not asked for");
    }
    remaining_ = head_.length;
}

std::size_t ResponseReader::read_body(std::string_view bytes) {
    if (head_.framing == Framing::chunked) {
        return read_chunks(bytes);
    }
    if (head_.framing == Framing::until_end) {
        append_body(bytes);
        return bytes.size();
    }
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(remaining_, bytes.size()));
    append_body(bytes.substr(0, size));
    remaining_ -= size;
    if (remaining_ == 0 && state_ == State::needs_more) {
        state_ = State::done;
    }
    return size;
}

std::size_t ResponseReader::read_chunks(std::string_view bytes) {
    std::array<char, 4096> body;
    const auto piece = bytes.substr(0, body.size());
    const auto progress = chunks_.decode(std::span{piece.data(), piece.size()}, body.data());
    append_body({body.data(), progress.produced});
    if (state_ != State::needs_more) {
        return progress.consumed;
    }
    switch (progress.status) {
        case http::ChunkDecoder::Status::needs_more:
            break;
        case http::ChunkDecoder::Status::done:
            state_ = State::done;
            break;
        case http::ChunkDecoder::Status::malformed:
        case http::ChunkDecoder::Status::too_large:
            set_failed(ErrorCode::protocol, "the answer's chunks are malformed");
            break;
    }
    return progress.consumed;
}

void ResponseReader::append_body(std::string_view body) {
    const auto fitting = body.substr(0, request_.body_bytes_max - received_);
    received_ += fitting.size();
    if (!request_.on_body) {
        head_.response.body += fitting;
    } else if (!fitting.empty() && !request_.on_body(std::as_bytes(std::span{fitting}))) {
        cut_ = true;
    }
    cut_ = cut_ || fitting.size() < body.size();
    if (!cut_) {
        return;
    }
    if (request_.truncate || request_.on_body) {
        state_ = State::done;
    } else {
        set_failed(ErrorCode::refused, "the answer is larger than allowed");
    }
}

void ResponseReader::set_failed(ErrorCode code, std::string detail) {
    error_ = fail(code, std::move(detail)).error();
    state_ = State::failed;
}

}  // namespace merpati::outbound
