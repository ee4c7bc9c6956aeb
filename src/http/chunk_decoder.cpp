#include "http/chunk_decoder.hpp"

#include <algorithm>
#include <cstring>

#include "http/ascii.hpp"

namespace merpati::http {

ChunkDecoder::Progress ChunkDecoder::decode(std::span<const char> bytes, char* out) {
    Progress progress;
    while (progress.consumed < bytes.size() && state_ != State::done) {
        if (state_ == State::data) {
            const std::size_t size = std::min(chunk_, bytes.size() - progress.consumed);
            std::memmove(out + progress.produced, bytes.data() + progress.consumed, size);
            progress.consumed += size;
            progress.produced += size;
            chunk_ -= size;
            state_ = chunk_ == 0 ? State::data_return : State::data;
            continue;
        }
        if (!step(bytes[progress.consumed++])) {
            progress.status = Status::malformed;
            return progress;
        }
        if (state_ == State::data && chunk_ > room_) {
            progress.status = Status::too_large;
            return progress;
        }
        if (state_ == State::data) {
            room_ -= chunk_;
        }
    }
    progress.status = state_ == State::done ? Status::done : Status::needs_more;
    return progress;
}

bool ChunkDecoder::step(char c) {
    switch (state_) {
        case State::size_first:
        case State::size:
        case State::extension:
        case State::size_line_feed:
            return step_size(c);
        case State::data_return:
            state_ = State::data_line_feed;
            return c == '\r';
        case State::data_line_feed:
            state_ = State::size_first;
            return c == '\n';
        case State::trailer_begin:
        case State::trailer_name:
        case State::trailer_value:
        case State::trailer_line_feed:
            return step_trailer(c);
        case State::end_line_feed:
            state_ = State::done;
            return c == '\n';
        case State::data:
        case State::done:
            return false;
    }
    return false;
}

bool ChunkDecoder::step_size(char c) {
    if (state_ == State::size_line_feed) {
        state_ = last_ ? State::trailer_begin : State::data;
        return c == '\n';
    }
    if (c == '\r' && state_ != State::size_first) {
        last_ = chunk_ == 0;
        state_ = State::size_line_feed;
        return true;
    }
    if (state_ == State::extension) {
        return is_value_char(c) && ++overhead_ <= overhead_max;
    }
    if (c == ';' && state_ == State::size) {
        state_ = State::extension;
        return true;
    }
    const int digit = hex_value(c);
    if (state_ == State::size_first) {
        chunk_ = 0;
        digits_ = 0;
        state_ = State::size;
    }
    chunk_ = chunk_ * 16 + static_cast<std::size_t>(digit);
    return digit >= 0 && ++digits_ <= 8;
}

bool ChunkDecoder::step_trailer(char c) {
    if (++overhead_ > overhead_max) {
        return false;
    }
    switch (state_) {
        case State::trailer_begin:
            state_ = c == '\r' ? State::end_line_feed : State::trailer_name;
            return c == '\r' || is_token_char(c);
        case State::trailer_name:
            state_ = c == ':' ? State::trailer_value : State::trailer_name;
            return c == ':' || is_token_char(c);
        case State::trailer_value:
            state_ = c == '\r' ? State::trailer_line_feed : State::trailer_value;
            return c == '\r' || is_value_char(c);
        case State::trailer_line_feed:
            state_ = State::trailer_begin;
            return c == '\n';
        case State::size_first:
        case State::size:
        case State::extension:
        case State::size_line_feed:
        case State::data:
        case State::data_return:
        case State::data_line_feed:
        case State::end_line_feed:
        case State::done:
            return false;
    }
    return false;
}

}  // namespace merpati::http
