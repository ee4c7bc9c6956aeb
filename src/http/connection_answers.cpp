// The part of Connection that puts answers and pieces of bodies into its output buffer.
#include <utility>

#include "base/assert.hpp"
#include "http/answer.hpp"
#include "http/connection.hpp"
#include "http/io_thread.hpp"

namespace merpati::http {

void Connection::deliver(Reply&& reply) {
    if (replies_->owned_by_this_thread() && state_ == State::handling) {
        early_reply_.emplace(std::move(reply));
        return;
    }
    replies_->put({.to = shared_from_this(), .reply = std::move(reply)});
}

void Connection::abandon() {
    if (replies_->owned_by_this_thread() && state_ == State::handling) {
        early_reply_.emplace(refusal(500));
        return;
    }
    replies_->put({.to = shared_from_this(), .kind = ReplyQueue::Item::Kind::abandoned});
}

/// Always goes through the queue, so that a source that is always ready does not starve other
/// connections.
void Connection::take_piece(std::string&& bytes, bool last) {
    replies_->put(
        {.to = shared_from_this(),
         .reply = {.body = std::move(bytes)},
         .kind = last ? ReplyQueue::Item::Kind::last_piece : ReplyQueue::Item::Kind::piece});
}

void Connection::cut_off() {
    replies_->put({.to = shared_from_this(), .kind = ReplyQueue::Item::Kind::cut_off});
}

void Connection::take(ReplyQueue::Item&& item) {
    if (state_ == State::closed || state_ == State::closing || state_ == State::lingering) {
        return;  // The client left, or the server stops, or the upload was refused in its middle.
    }
    switch (item.kind) {
        case ReplyQueue::Item::Kind::reply:
            append(std::move(item.reply));
            break;
        case ReplyQueue::Item::Kind::abandoned:
            append(refusal(500));
            break;
        case ReplyQueue::Item::Kind::piece:
            append_piece(item.reply.body, false);
            break;
        case ReplyQueue::Item::Kind::last_piece:
            append_piece(item.reply.body, true);
            break;
        case ReplyQueue::Item::Kind::cut_off:
            close();
            return;
        case ReplyQueue::Item::Kind::go_on:
            if (state_ != State::holding || item.hold != holds_) {
                return;
            }
            held_bytes_ = 0;
            state_ = State::receiving;
            break;
    }
    serve();
}

void Connection::append(Reply&& reply) {
    if (uploads_) {
        break_upload_off();
        keep_alive_ = false;
        client_goes_on_ = true;
    }
    keep_alive_ = keep_alive_ && !reply.close && !draining_ &&
                  // In HTTP/1.0 the end of the connection ends such a body.
                  (reply.source == nullptr || !version_1_0_);
    thread_.count_answer(answers_index_, reply.status);
    invariant(static_body_.empty(), "answers are sent in order");
    upgrade_ = std::move(reply.upgrade);
    keep_alive_ = keep_alive_ && !upgrade_;
    static_body_ = append_answer(out_, reply,
                                 {.request_id = request_id_,
                                  .version_1_0 = version_1_0_,
                                  .keep_alive = keep_alive_ || upgrade_,
                                  .without_body = without_body_});
    if (reply.source != nullptr && !without_body_) {
        source_ = std::move(reply.source);
        state_ = State::sending_body;
    } else {
        state_ = after_answer();
    }
}

void Connection::append_piece(std::string_view bytes, bool last) {
    if (version_1_0_) {
        out_ += bytes;
    } else if (!bytes.empty()) {
        append_chunk(out_, bytes);
    }
    if (!last) {
        state_ = State::sending_body;
        return;
    }
    if (!version_1_0_) {
        append_chunk(out_, {});
    }
    source_.reset();
    state_ = after_answer();
}

void Connection::ask_for_piece() {
    state_ = State::awaiting_piece;
    // The next piece may take long, so no buffer is kept meanwhile.
    reader_.release();
    out_.shrink_to_fit();
    account();
    BodyWriter writer{shared_from_this()};
    try {
        source_->next(std::move(writer));
    } catch (...) {  // The destructor of the writer has cut the body off.
        thread_.log_exception("a body was cut off because its source threw", route());
    }
}

Connection::State Connection::after_answer() const noexcept {
    return keep_alive_ ? State::reading : State::closing;
}

void Connection::refuse(std::uint16_t status) {
    thread_.count_refusal();
    const Head* head = reader_.head();
    const bool has_id = head != nullptr && !head->request_id.empty();
    if (!uploads_) {  // The handler of an upload has its id.
        request_id_ = has_id ? head->request_id : thread_.request_ids().next();
    }
    without_body_ = head != nullptr && head->method == Method::head;
    client_goes_on_ = true;
    keep_alive_ = false;
    answers_index_ = head != nullptr ? thread_.answers_index(origin_, match_.path) : 0;
    std::optional<Reply> earlier;
    if (status == 413 && head != nullptr && origin_ == Origin::network) {
        earlier = before_too_large(*head);
    }
    append(earlier ? std::move(*earlier) : refusal(status));
}

std::optional<Reply> Connection::before_too_large(const Head& head) {
    const auto& ask = thread_.service().router.before_too_large;
    try {
        return ask ? ask(request_of(head)) : std::nullopt;
    } catch (...) {
        thread_.log_exception("the caller of a large body is not known", route());
        return std::nullopt;
    }
}

Reply Connection::refusal(std::uint16_t status) const {
    Reply reply{.status = status, .body = thread_.service().refusal(status)};
    if (status == 503) {
        reply.add_header("Retry-After", "1");
    }
    return reply;
}

}  // namespace merpati::http
