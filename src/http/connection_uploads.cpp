// The part of Connection that receives bodies in pieces.
#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "http/connection.hpp"
#include "http/io_thread.hpp"

namespace merpati::http {

BodyRule Connection::body_rule(const Head& head) {
    const Service& service = thread_.service();
    const bool local = origin_ == Origin::local_socket;
    match_ = (local ? service.local_router : service.router).find(head.method, head.path);
    const bool in_pieces = match_.upload != nullptr;
    const auto usual =
        in_pieces ? std::numeric_limits<std::size_t>::max() : service.limits.body_max;
    return {.bytes_max = match_.body_max != 0 ? match_.body_max : usual, .in_pieces = in_pieces};
}

/// Always goes through the queue, so that a sender that is always ready does not starve other
/// connections.
void Connection::go_on(std::uint64_t hold) {
    replies_->put({.to = shared_from_this(), .kind = ReplyQueue::Item::Kind::go_on, .hold = hold});
}

void Connection::begin_upload() {
    if (draining_) {
        refuse(503);
        return;
    }
    begin_request();
    uploads_ = true;
    behind_ = {};
    dispatch_upload();
    if (receiver_ == nullptr && rest_has_arrived()) {
        uploads_ = false;
        reader_.consume();
    }
    state_ = receiver_ == nullptr ? State::answering : State::holding;
    if (early_reply_) {
        append(std::move(*early_reply_));
        early_reply_.reset();
    } else {
        account();
    }
}

void Connection::dispatch_upload() {
    Request request = request_of(*reader_.head());
    request.party = &party_;
    try {
        receiver_ = (*match_.upload)(request, Responder{shared_from_this()}, new_hold());
    } catch (...) {  // The destructor of the Responder has answered 500.
        thread_.log_exception("an upload was answered 500 because its handler threw", route());
    }
    if (early_reply_) {
        receiver_.reset();
    }
}

/// Whether the body that nobody wants has arrived, so that the connection can be kept. Drops what
/// has arrived.
bool Connection::rest_has_arrived() {
    for (;;) {
        switch (reader_.advance()) {
            case RequestReader::State::piece:
                (void)reader_.take_piece();
                break;
            case RequestReader::State::ready:
                return true;
            case RequestReader::State::begun:
            case RequestReader::State::needs_more:
            case RequestReader::State::refused:
                return false;
        }
    }
}

bool Connection::receive() {
    if (!flush()) {
        return false;
    }
    switch (reader_.advance()) {
        case RequestReader::State::refused:
            refuse(reader_.refusal());
            return true;
        case RequestReader::State::piece:
            pass_piece();
            return true;
        case RequestReader::State::ready:
            end_upload();
            return true;
        case RequestReader::State::begun:
        case RequestReader::State::needs_more:
            break;
    }
    if (reader_.take_continue()) {
        out_ += "HTTP/1.1 100 Continue\r\n\r\n";
    }
    return flush() && read_more();
}

void Connection::pass_piece() {
    std::string piece = reader_.take_piece();
    const auto waited =
        wait_ == Wait::piece ? thread_.now() - piece_awaited_since_ : SteadyTime::duration{};
    const std::chrono::duration<double> due{
        static_cast<double>(piece.size()) /
        static_cast<double>(thread_.service().limits.body_rate_min)};
    behind_ += waited - std::chrono::duration_cast<SteadyTime::duration>(due);
    behind_ = std::max(behind_, SteadyTime::duration{});
    await(Wait::nothing);
    held_bytes_ = piece.size();
    state_ = State::holding;
    account();
    try {
        receiver_->take(std::move(piece), new_hold());
    } catch (...) {
        thread_.log_exception("an upload was broken off because its receiver threw", route());
        receiver_.reset();
        state_ = State::answering;  // Its Responder answers, wherever it is.
    }
}

PieceHold Connection::new_hold() {
    return {shared_from_this(), ++holds_};
}

void Connection::end_upload() {
    uploads_ = false;
    reader_.consume();
    await(Wait::nothing);
    state_ = State::answering;
    account();
    const auto receiver = std::move(receiver_);
    try {
        receiver->finish();
    } catch (...) {
        thread_.log_exception("an upload was broken off because its receiver threw", route());
    }
}

void Connection::break_upload_off() noexcept {
    uploads_ = false;
    held_bytes_ = 0;
    receiver_.reset();
}

}  // namespace merpati::http
