#include "http/connection.hpp"

#include "http/io_thread.hpp"

namespace merpati::http {
namespace {

/// Once the answers are sent, a buffer with more capacity than this is freed.
constexpr std::size_t out_kept_max = 4096;

/// The memory of a connection besides its buffers: the object, its wait, its reactor entry.
constexpr std::size_t connection_bytes = 1536;

}  // namespace

Connection::Connection(IoThread& thread, Stream::Socket socket, SSL_CTX* tls, Origin origin,
                       const PeerAddress& peer)
    : thread_(thread),
      replies_(thread.replies()),
      stream_(std::in_place, std::move(socket), tls),
      reader_(thread.service().limits, this),
      origin_(origin),
      peer_(peer),
      party_(peer) {}

void Connection::open() {
    self_ = shared_from_this();
    thread_.link(*this);
    await(Wait::head);  // A new client does not get the longer idle timeout.
    serve();
}

void Connection::open_overloaded() {
    self_ = shared_from_this();
    thread_.link(*this);
    refuse(503);
    serve();
}

void Connection::serve() {
    while (!write_pending_) {
        switch (state_) {
            case State::reading:
                if (read_pending_ || !take_request()) {
                    return;
                }
                break;
            case State::answering:
            case State::holding:
                (void)flush();  // Sends the answers to earlier requests.
                return;
            case State::receiving:
                if (read_pending_ || !receive()) {
                    return;
                }
                break;
            case State::sending_body:
                if (!flush()) {
                    return;
                }
                ask_for_piece();
                return;
            case State::closing:
                if (flush()) {
                    finish();
                }
                return;
            case State::handling:
            case State::awaiting_piece:
            case State::lingering:
            case State::closed:
                return;
        }
    }
}

bool Connection::take_request() {
    if (must_flush() && !flush()) {
        return false;
    }
    switch (reader_.advance()) {
        case RequestReader::State::refused:
            refuse(reader_.refusal());
            return true;
        case RequestReader::State::ready:
            handle();
            return true;
        case RequestReader::State::begun:
            begin_upload();
            return true;
        case RequestReader::State::piece:  // Of `receive` alone.
        case RequestReader::State::needs_more:
            break;
    }
    if (reader_.take_continue()) {
        out_ += "HTTP/1.1 100 Continue\r\n\r\n";
    }
    return flush() && read_more();
}

bool Connection::read_more() {
    switch (reader_.part()) {
        case RequestReader::Part::nothing_yet:
            if (draining_) {
                close();
                return false;
            }
            if (requests_ > 0) {
                await(Wait::idle);
            }
            break;
        case RequestReader::Part::head:
            await(Wait::head);
            break;
        case RequestReader::Part::body:
            await(uploads_ ? Wait::piece : Wait::body);
            break;
    }
    if (stream_->is_encrypted() && ++tls_reads_ > tls_reads_max) {
        read_pending_ = true;
        thread_.post([self = shared_from_this()] { self->on_read({}, 0); });
        return false;
    }
    if (stream_->is_encrypted() || std::exchange(readable_, false)) {
        const Stream::Progress progress = stream_->read(reader_.room());
        if (progress.closed) {
            close();
            return false;
        }
        if (progress.bytes > 0) {
            reader_.received(progress.bytes);
            return true;
        }
    }
    wait_for_bytes();
    return false;
}

/// Waits without a buffer if encrypted, or anonymous and without a partial request. Else reads
/// straight into the buffer, which saves a system call.
void Connection::wait_for_bytes() {
    const bool idle_anonymous =
        !knows_caller() && reader_.part() == RequestReader::Part::nothing_yet;
    auto handler = [self = shared_from_this()](const Stream::ErrorCode& error, std::size_t size) {
        self->on_read(error, size);
    };
    read_pending_ = true;
    if (stream_->is_encrypted() || idle_anonymous) {
        reader_.release();
        account();
        stream_->async_readable(std::move(handler));
        return;
    }
    const auto room = reader_.room();
    account();
    stream_->async_read(room, std::move(handler));
}

void Connection::on_read(const Stream::ErrorCode& error, std::size_t size) {
    read_pending_ = false;
    tls_reads_ = 0;
    switch (state_) {
        case State::reading:
        case State::receiving:
            if (error) {
                close();
                return;
            }
            readable_ = size == 0;
            reader_.received(size);
            serve();
            return;
        case State::lingering:
            linger();
            return;
        case State::handling:  // No read is pending from here to holding.
        case State::answering:
        case State::sending_body:
        case State::awaiting_piece:
        case State::holding:
        case State::closing:  // The request was refused, so its bytes are ignored.
        case State::closed:
            return;
    }
}

void Connection::handle() {
    begin_request();
    dispatch();
    state_ = State::answering;
    asked_bytes_ = reader_.body().size();
    reader_.consume();
    if (early_reply_) {
        append(std::move(*early_reply_));
        early_reply_.reset();
    } else {
        account();  // The answer may be far off.
    }
}

void Connection::begin_request() {
    const Head& head = *reader_.head();
    request_id_ = head.request_id.empty() ? thread_.request_ids().next() : head.request_id;
    version_1_0_ = head.version_1_0;
    without_body_ = head.method == Method::head;
    ++requests_;
    client_goes_on_ = head.keep_alive;
    keep_alive_ = head.keep_alive && requests_ < thread_.service().limits.requests_per_connection;
    answers_index_ = thread_.answers_index(origin_, match_.path);
    asked_bytes_ = 0;
    thread_.count_request();
    await(Wait::nothing);

    party_ = Party{peer_};
    state_ = State::handling;
}

void Connection::dispatch() {
    Responder responder{shared_from_this()};
    if (match_.handler == nullptr) {
        Reply reply = refusal(match_.status);
        if (match_.status == 405) {
            reply.add_header("Allow", match_.allow);
        }
        responder.send(std::move(reply));
        return;
    }
    Request request = request_of(*reader_.head());
    request.body = reader_.body();
    request.party = &party_;
    try {
        (*match_.handler)(request, std::move(responder));
    } catch (...) {  // The destructor of the Responder has answered 500.
        thread_.log_exception("a request was answered 500 because its handler threw", route());
    }
}

Request Connection::request_of(const Head& head) {
    Request request = head.request();
    request.id = request_id_;
    request.from_local_socket = origin_ == Origin::local_socket;
    request.from_loopback = peer_.is_loopback();
    request.is_encrypted = stream_->is_encrypted();
    request.peer = peer_;
    if (request.from_local_socket) {
        request.peer_user = stream_->peer_user();
    }
    return request;
}

bool Connection::flush() {
    if (write_pending_) {
        return false;
    }
    for (auto next = unsent(); !next.empty(); next = unsent()) {
        const auto progress = stream_->write(next);
        if (progress.closed) {
            close();
            return false;
        }
        if (progress.bytes == 0) {
            wait_for_writing();
            stream_->async_writable(
                [self = shared_from_this()](const Stream::ErrorCode& error, std::size_t /*none*/) {
                    self->on_writable(error);
                });
            return false;
        }
        sent_ += progress.bytes;
        wait_ = Wait::nothing;  // The client reads, so write_timeout starts again.
    }
    out_.clear();
    static_body_ = {};
    sent_ = 0;
    write_deadline_ = SteadyTime::max();
    if (out_.capacity() > out_kept_max) {
        out_.shrink_to_fit();
    }
    return true;
}

void Connection::wait_for_writing() {
    if (write_deadline_ == SteadyTime::max()) {
        const Limits& limits = thread_.service().limits;
        const auto unsent_bytes = out_.size() + static_body_.size() - sent_;
        write_deadline_ =
            thread_.now() + limits.write_timeout + limits.sweep_interval +
            std::chrono::seconds{static_cast<std::int64_t>(unsent_bytes / limits.write_rate_min)};
    }
    await(Wait::writing);
    deadline_ = std::min(deadline_, write_deadline_);
    write_pending_ = true;
    if (!read_pending_) {
        reader_.release();
    }
    account();
}

std::string_view Connection::unsent() const noexcept {
    return sent_ < out_.size() ? std::string_view{out_}.substr(sent_)
                               : static_body_.substr(sent_ - out_.size());
}

/// Whether the gathered answers must be sent before another is appended.
bool Connection::must_flush() const noexcept {
    const std::size_t most = knows_caller() ? gather_max : anonymous_gather_max;
    return !static_body_.empty() || out_.size() > most;
}

bool Connection::knows_caller() const noexcept {
    return party_.is_known() || origin_ == Origin::local_socket;
}

std::string_view Connection::route() const noexcept {
    const Service& service = thread_.service();
    const bool local = origin_ == Origin::local_socket;
    const Router& router = local ? service.local_router : service.router;
    return match_.path == Router::no_path ? "none" : std::string_view{router.paths()[match_.path]};
}

void Connection::account() {
    if (origin_ == Origin::local_socket) {
        return;
    }
    using Use = PartyShares::Use;
    const bool waits_for_us = state_ == State::answering || state_ == State::awaiting_piece;
    const bool idle = state_ == State::reading && unsent().empty() &&
                      reader_.part() == RequestReader::Part::nothing_yet;
    thread_.hold(*this, party_,
                 waits_for_us ? Use::answering
                 : idle       ? Use::idle
                              : Use::transferring,
                 bytes_held());
}

/// Of a known caller, only what it has not sent or not read in full, and the body that the handler
/// has until it answers: all else is bounded with the number of connections.
std::size_t Connection::bytes_held() const noexcept {
    const auto with_handler = held_bytes_ + (state_ == State::answering ? asked_bytes_ : 0);
    if (!party_.is_known()) {
        return connection_bytes + reader_.capacity() + with_handler + out_.capacity() +
               stream_->tls_bytes();
    }
    const bool partial = reader_.part() != RequestReader::Part::nothing_yet;
    return with_handler + (partial ? reader_.capacity() : 0) +
           (unsent().empty() ? 0 : out_.capacity());
}

std::optional<int> Connection::awaiting_answer() noexcept {
    const bool awaits =
        state_ == State::answering || state_ == State::awaiting_piece || state_ == State::holding;
    return awaits ? std::optional{stream_->descriptor()} : std::nullopt;
}

void Connection::on_writable(const Stream::ErrorCode& error) {
    write_pending_ = false;
    if (state_ == State::closed) {
        return;
    }
    if (error) {
        close();
        return;
    }
    if (flush()) {
        serve();
    }
}

void Connection::check_deadline(SteadyTime now) {
    if (now < deadline_) {
        return;
    }
    switch (wait_) {
        case Wait::nothing:
            return;
        case Wait::idle:
        case Wait::writing:
        case Wait::lingering:
            close();
            return;
        case Wait::head:
        case Wait::body:
        case Wait::piece:
            if (reader_.part() == RequestReader::Part::nothing_yet) {
                close();  // There is no request to answer.
            } else {
                refuse(408);
                serve();
            }
            return;
    }
}

void Connection::drain() {
    draining_ = true;
    if (receiver_ != nullptr) {
        refuse(503);
        serve();
        return;
    }
    if (read_pending_ && state_ == State::reading &&
        reader_.part() == RequestReader::Part::nothing_yet) {
        close();
    }
}

void Connection::await(Wait wait) {
    if (wait_ == wait) {
        return;  // The same wait goes on: a client that sends byte by byte gains no time.
    }
    wait_ = wait;
    if (wait == Wait::piece) {
        piece_awaited_since_ = thread_.now();
    }
    // The thread's time may be one sweep old. Adding the interval keeps waits from ending early.
    deadline_ = wait == Wait::nothing
                    ? SteadyTime::max()
                    : thread_.now() + timeout(wait) + thread_.service().limits.sweep_interval;
}

SteadyTime::duration Connection::timeout(Wait wait) const {
    const Limits& limits = thread_.service().limits;
    switch (wait) {
        case Wait::nothing:
            break;
        case Wait::idle:
            return limits.idle_timeout;
        case Wait::head:
            return limits.header_timeout;
        case Wait::body:
            return limits.body_timeout;
        case Wait::piece:
            return limits.body_timeout - behind_;
        case Wait::writing:
            return limits.write_timeout;
        case Wait::lingering:
            return linger_timeout;
    }
    return {};
}

}  // namespace merpati::http
