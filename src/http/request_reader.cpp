#include "http/request_reader.hpp"

#include <algorithm>
#include <cstring>

#include "base/assert.hpp"
#include "http/body_receiver.hpp"

namespace merpati::http {

RequestReader::RequestReader(const Limits& limits, BodyLimiter* limiter)
    : limits_(limits), limiter_(limiter), scanner_(limits) {}

std::span<char> RequestReader::room() {
    if (begin_ == end_ && !head_done_) {
        begin_ = end_ = 0;
        if (capacity_ != idle_capacity) {
            reallocate(idle_capacity);
        }
    } else if (in_pieces_) {
        if (capacity_ - end_ < BodyReceiver::piece_max) {
            reallocate(end_ - begin_ + BodyReceiver::piece_max);
        }
    } else if (end_ == capacity_) {
        // Afterwards at least half is free, so that a long request is moved only a few times.
        const bool half_is_free = begin_ > capacity_ / 2;
        reallocate(half_is_free ? capacity_ : capacity_ * 2);
    }
    return {buffer_.get() + end_, capacity_ - end_};
}

void RequestReader::reallocate(std::size_t capacity) {
    const std::string_view kept = unread();
    if (capacity == capacity_) {
        move_views(buffer_.get());
        std::memmove(buffer_.get(), kept.data(), kept.size());
    } else {
        auto other = std::make_unique_for_overwrite<char[]>(capacity);
        move_views(other.get());
        std::ranges::copy(kept, other.get());
        buffer_ = std::move(other);
        capacity_ = capacity;
    }
    begin_ = 0;
    end_ = kept.size();
}

/// Call before the bytes of the current request are moved to `to`.
void RequestReader::move_views(const char* to) noexcept {
    if (head_done_) {
        head_.move_views(head_bytes(), to + scanner_.begin());
    }
}

RequestReader::State RequestReader::advance() {
    if (refusal_ != 0) {
        return State::refused;
    }
    if (!head_done_) {
        if (const State state = advance_head(); state != State::ready) {
            return state;
        }
        if (in_pieces_) {
            return State::begun;
        }
    }
    if (body_done_) {
        return State::ready;
    }
    return in_pieces_ ? advance_piece() : advance_body();
}

RequestReader::State RequestReader::advance_head() {
    switch (scanner_.scan(unread())) {
        case HeadScanner::Result::needs_more:
            return State::needs_more;
        case HeadScanner::Result::malformed:
            return refuse(400);
        case HeadScanner::Result::line_too_long:
            return refuse(414);
        case HeadScanner::Result::header_too_large:
            return refuse(431);
        case HeadScanner::Result::complete:
            break;
    }
    if (const std::uint16_t status = head_.parse(head_bytes()); status != 0) {
        return refuse(status);
    }
    head_done_ = true;
    const auto rule =
        limiter_ != nullptr ? limiter_->body_rule(head_) : BodyRule{.bytes_max = limits_.body_max};
    if (head_.chunked) {
        chunks_.emplace(rule.bytes_max);
    } else if (head_.content_length > rule.bytes_max) {
        return refuse(413);
    }
    in_pieces_ = rule.in_pieces;
    left_ = head_.content_length;
    return State::ready;
}

RequestReader::State RequestReader::advance_body() {
    if (!chunks_) {
        if (end_ - body_begin() < head_.content_length) {
            return State::needs_more;
        }
        body_size_ = static_cast<std::size_t>(head_.content_length);
        next_ = body_begin() + body_size_;
        body_done_ = true;
        return State::ready;
    }
    const std::size_t decoded_end = body_begin() + body_size_;
    const auto progress = chunks_->decode({buffer_.get() + decoded_end, end_ - decoded_end},
                                          buffer_.get() + decoded_end);
    body_size_ += progress.produced;
    switch (progress.status) {
        case ChunkDecoder::Status::needs_more:
            end_ = decoded_end + progress.produced;  // Drops the chunk framing behind the data.
            return State::needs_more;
        case ChunkDecoder::Status::malformed:
            return refuse(400);
        case ChunkDecoder::Status::too_large:
            return refuse(413);
        case ChunkDecoder::Status::done:
            next_ = decoded_end + progress.consumed;
            body_done_ = true;
            return State::ready;
    }
    return refuse(400);
}

RequestReader::State RequestReader::advance_piece() {
    if (piece_size_ > 0) {
        return State::piece;
    }
    const bool at_end = chunks_ ? chunks_ended_ : left_ == 0;
    if (at_end) {
        next_ = body_begin();
        body_done_ = true;
        return State::ready;
    }
    if (chunks_) {
        return advance_chunks();
    }
    piece_size_ = std::min(end_ - body_begin(), BodyReceiver::piece_max);
    piece_size_ = static_cast<std::size_t>(std::min<std::uint64_t>(piece_size_, left_));
    piece_end_ = body_begin() + piece_size_;
    left_ -= piece_size_;
    return piece_size_ > 0 ? State::piece : State::needs_more;
}

RequestReader::State RequestReader::advance_chunks() {
    while (end_ > body_begin()) {
        const auto size = std::min(end_ - body_begin(), BodyReceiver::piece_max);
        char* const body = buffer_.get() + body_begin();
        const auto progress = chunks_->decode({body, size}, body);
        switch (progress.status) {
            case ChunkDecoder::Status::malformed:
                return refuse(400);
            case ChunkDecoder::Status::too_large:
                return refuse(413);
            case ChunkDecoder::Status::done:
                chunks_ended_ = true;
                break;
            case ChunkDecoder::Status::needs_more:
                break;
        }
        if (progress.produced > 0) {
            piece_size_ = progress.produced;
            piece_end_ = body_begin() + progress.consumed;
            return State::piece;
        }
        drop_from_body(progress.consumed);
        if (chunks_ended_) {
            return advance_piece();
        }
    }
    return State::needs_more;
}

std::string RequestReader::take_piece() {
    invariant(piece_size_ > 0, "a piece is taken once");
    std::string piece{buffer_.get() + body_begin(), piece_size_};
    drop_from_body(piece_end_ - body_begin());
    piece_size_ = 0;
    return piece;
}

/// Moves what follows the first `size` bytes behind the head, so that the buffer never fills up.
void RequestReader::drop_from_body(std::size_t size) noexcept {
    const std::size_t from = body_begin() + size;
    std::memmove(buffer_.get() + body_begin(), buffer_.get() + from, end_ - from);
    end_ -= size;
}

RequestReader::State RequestReader::refuse(std::uint16_t status) noexcept {
    refusal_ = status;
    return State::refused;
}

RequestReader::Part RequestReader::part() const noexcept {
    if (head_done_) {
        return Part::body;
    }
    return begin_ == end_ ? Part::nothing_yet : Part::head;
}

std::string_view RequestReader::body() const noexcept {
    return {buffer_.get() + body_begin(), body_size_};
}

bool RequestReader::take_continue() noexcept {
    const bool waits = head_done_ && !body_done_ && head_.expects_continue && !continue_sent_ &&
                       end_ == body_begin();
    continue_sent_ = continue_sent_ || waits;
    return waits;
}

void RequestReader::consume() {
    invariant(body_done_, "only a whole request is consumed");
    begin_ = next_;
    scanner_ = HeadScanner{limits_};
    head_done_ = false;
    body_done_ = false;
    continue_sent_ = false;
    chunks_.reset();
    chunks_ended_ = false;
    in_pieces_ = false;
    body_size_ = 0;
    if (capacity_ > idle_capacity) {
        release();
    }
}

void RequestReader::release() noexcept {
    if (part() == Part::nothing_yet) {
        begin_ = end_ = 0;
        buffer_.reset();
        capacity_ = 0;
    }
}

std::string_view RequestReader::unread() const noexcept {
    return {buffer_.get() + begin_, end_ - begin_};
}

std::string_view RequestReader::head_bytes() const noexcept {
    return unread().substr(scanner_.begin(), scanner_.end() - scanner_.begin());
}

}  // namespace merpati::http
