#include "http/connection.hpp"

#include "base/assert.hpp"
#include "http/answer.hpp"
#include "http/io_thread.hpp"

namespace merpati::http {
namespace {

/// More room than this is given back once the answers are out.
constexpr std::size_t out_kept_max = 4096;

/// Of a connection, besides its buffers: the object, its wait, its place in the reactor.
constexpr std::size_t connection_bytes = 1536;

}  // namespace

Connection::Connection(IoThread& thread, Stream::Socket socket, SSL_CTX* tls, Origin origin,
                       const PeerAddress& peer)
    : thread_(thread),
      box_(thread.box()),
      stream_(std::in_place, std::move(socket), tls),
      reader_(thread.service().limits),
      origin_(origin),
      peer_(peer),
      caller_known_(origin == Origin::local_socket) {}

void Connection::open() {
    self_ = shared_from_this();
    thread_.link(*this);
    await(Wait::head);  // A new client has no claim to the longer wait between requests.
    serve();
}

void Connection::open_overloaded() {
    self_ = shared_from_this();
    thread_.link(*this);
    refuse(503);
}

void Connection::close() {
    if (!stream_) {
        return;
    }
    const auto keep = std::move(self_);
    thread_.release(*this);
    stream_.reset();
    await(Wait::nothing);
    thread_.unlink(*this);
}

void Connection::serve() {
    while (stream_ && !reading_ && !writing_ && !answering_ && !lingering_) {
        if (must_flush()) {
            if (!flush()) {
                return;
            }
            if (closing_) {
                finish();
                return;
            }
        }
        switch (reader_.advance()) {
            case RequestReader::State::refused:
                refuse(reader_.refusal());
                return;
            case RequestReader::State::ready:
                if (!handle()) {
                    (void)flush();  // What earlier requests were answered need not wait.
                    return;
                }
                break;
            case RequestReader::State::needs_more:
                if (reader_.take_continue()) {
                    out_ += "HTTP/1.1 100 Continue\r\n\r\n";
                }
                if (!flush() || !read_more()) {
                    return;
                }
                break;
        }
    }
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
            await(Wait::body);
            break;
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

/// A stranger who has not begun a request gets no buffer; callers who are known save a system call.
void Connection::wait_for_bytes() {
    const bool idle_stranger = !caller_known_ && reader_.part() == RequestReader::Part::nothing_yet;
    auto handler = [self = shared_from_this()](const Stream::ErrorCode& error, std::size_t size) {
        self->on_read(error, size);
    };
    reading_ = true;
    if (stream_->is_encrypted() || idle_stranger) {
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
    reading_ = false;
    if (!stream_) {
        return;
    }
    if (lingering_) {
        linger();
        return;
    }
    if (error) {
        close();
        return;
    }
    readable_ = size == 0;
    reader_.received(size);
    serve();
}

bool Connection::handle() {
    const Head& head = *reader_.head();
    request_id_ = head.request_id.empty() ? thread_.request_ids().next() : head.request_id;
    version_1_0_ = head.version_1_0;
    without_body_ = head.method == Method::head;
    ++requests_;
    client_goes_on_ = head.keep_alive;
    keep_alive_ = head.keep_alive && requests_ < thread_.service().limits.requests_per_connection;
    thread_.count_request();
    await(Wait::nothing);

    caller_known_ = origin_ == Origin::local_socket;
    answering_ = true;
    in_handler_ = true;
    dispatch();
    in_handler_ = false;
    reader_.consume();
    if (early_reply_) {
        append(std::move(*early_reply_));
        early_reply_.reset();
    }
    return !answering_;
}

void Connection::dispatch() {
    const Head& head = *reader_.head();
    const bool local = origin_ == Origin::local_socket;
    const Service& service = thread_.service();
    const auto match = (local ? service.local_router : service.router).find(head.method, head.path);
    answers_place_ = thread_.answers_place(origin_, match.path);
    Responder responder{shared_from_this()};
    if (match.handler == nullptr) {
        Reply reply = refusal(match.status);
        if (match.status == 405) {
            reply.add_header("Allow", match.allow);
        }
        responder.send(std::move(reply));
        return;
    }
    Request request = request_of(head);
    request.body = reader_.body();
    request.vouched = &caller_known_;
    try {
        (*match.handler)(request, std::move(responder));
    } catch (...) {  // NOLINT(bugprone-empty-catch)
        // The Responder, destroyed on the way here, has answered 500. The handler's room logs.
    }
}

Request Connection::request_of(const Head& head) const {
    Request request;
    request.method = head.method;
    request.path = head.path;
    request.query = head.query;
    request.id = request_id_;
    request.authorization = head.authorization;
    request.headers = head.headers;
    request.from_local_socket = origin_ == Origin::local_socket;
    request.from_loopback = peer_.is_loopback();
    return request;
}

void Connection::deliver(Reply&& reply) {
    if (box_->owned_by_this_thread() && in_handler_) {
        early_reply_.emplace(std::move(reply));
        return;
    }
    box_->put({.to = shared_from_this(), .reply = std::move(reply)});
}

void Connection::abandon() {
    if (box_->owned_by_this_thread() && in_handler_) {
        early_reply_.emplace(refusal(500));
        return;
    }
    box_->put({.to = shared_from_this(), .reply = {}, .abandoned = true});
}

void Connection::answer(ReplyBox::Mail&& mail) {
    if (!stream_) {
        return;  // Hung up, or the server stops.
    }
    append(mail.abandoned ? refusal(500) : std::move(mail.reply));
    serve();
}

void Connection::append(Reply&& reply) {
    answering_ = false;
    keep_alive_ = keep_alive_ && !reply.close && !draining_;
    closing_ = !keep_alive_;
    thread_.count_answer(answers_place_, reply.status);
    invariant(static_body_.empty(), "answers are sent in order");
    static_body_ = append_answer(out_, reply,
                                 {.request_id = request_id_,
                                  .version_1_0 = version_1_0_,
                                  .keep_alive = keep_alive_,
                                  .without_body = without_body_});
}

void Connection::refuse(std::uint16_t status) {
    thread_.count_refusal();
    const Head* head = reader_.head();
    const bool has_id = head != nullptr && !head->request_id.empty();
    request_id_ = has_id ? head->request_id : thread_.request_ids().next();
    without_body_ = head != nullptr && head->method == Method::head;
    keep_alive_ = false;
    answers_place_ = 0;
    if (head != nullptr) {
        const auto& service = thread_.service();
        const bool local = origin_ == Origin::local_socket;
        const auto& router = local ? service.local_router : service.router;
        answers_place_ = thread_.answers_place(origin_, router.find(head->method, head->path).path);
    }
    std::optional<Reply> earlier;
    if (status == 413 && head != nullptr && origin_ == Origin::network) {
        earlier = before_too_large(*head);
    }
    append(earlier ? std::move(*earlier) : refusal(status));
    lingering_ = true;
    if (flush()) {
        finish();
    }
}

std::optional<Reply> Connection::before_too_large(const Head& head) const {
    const auto& ask = thread_.service().router.before_too_large;
    try {
        return ask ? ask(request_of(head)) : std::nullopt;
    } catch (...) {
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

bool Connection::flush() {
    if (writing_) {
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
        wait_ = Wait::nothing;  // The client reads: its time for the next piece starts anew.
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
    writing_ = true;
    if (!reading_) {
        reader_.release();
    }
    account();
}

std::string_view Connection::unsent() const noexcept {
    return sent_ < out_.size() ? std::string_view{out_}.substr(sent_)
                               : static_body_.substr(sent_ - out_.size());
}

/// Whether what has gathered is to be sent before anything is added.
bool Connection::must_flush() const noexcept {
    const std::size_t most = caller_known_ ? gather_max : stranger_gather_max;
    return closing_ || !static_body_.empty() || out_.size() > most;
}

void Connection::account() {
    if (caller_known_ || answering_) {
        thread_.release(*this);
        return;
    }
    thread_.hold(*this, peer_,
                 connection_bytes + reader_.capacity() + out_.capacity() + stream_->tls_bytes());
}

void Connection::on_writable(const Stream::ErrorCode& error) {
    writing_ = false;
    if (!stream_) {
        return;
    }
    if (error) {
        close();
        return;
    }
    if (lingering_) {
        if (flush()) {
            finish();
        }
        return;
    }
    if (answering_) {
        (void)flush();
        return;
    }
    if (flush()) {
        serve();
    }
}

void Connection::finish() {
    stream_->shut_down();
    if (!lingering_ && !client_goes_on_) {
        close();
        return;
    }
    lingering_ = true;
    await(Wait::lingering);
    if (!reading_) {
        linger();
    }
}

void Connection::linger() {
    if (writing_ || !unsent().empty()) {
        return;  // The refusal is still on its way; `finish` comes back.
    }
    if (stream_->discard().closed) {
        close();
        return;
    }
    reading_ = true;
    reader_.release();
    account();
    stream_->async_discardable(
        [self = shared_from_this()](const Stream::ErrorCode& error, std::size_t size) {
            self->on_read(error, size);
        });
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
            if (reader_.part() == RequestReader::Part::nothing_yet) {
                close();  // Nothing was asked, so nothing is answered.
            } else {
                refuse(408);
            }
            return;
    }
}

void Connection::drain() {
    draining_ = true;
    if (reading_ && !lingering_ && reader_.part() == RequestReader::Part::nothing_yet) {
        close();
    }
}

void Connection::await(Wait wait) {
    if (wait_ == wait) {
        return;  // One that goes on: a client that sends byte by byte gains no time.
    }
    wait_ = wait;
    // The thread's time may be one sweep old: nobody is to get less than the limit says.
    deadline_ = wait == Wait::nothing
                    ? SteadyTime::max()
                    : thread_.now() + timeout(wait) + thread_.service().limits.sweep_interval;
}

std::chrono::seconds Connection::timeout(Wait wait) const {
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
        case Wait::writing:
            return limits.write_timeout;
        case Wait::lingering:
            return linger_timeout;
    }
    return {};
}

}  // namespace merpati::http
