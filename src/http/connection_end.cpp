// The part of Connection that ends it.
#include <utility>

#include "base/assert.hpp"
#include "http/connection.hpp"
#include "http/io_thread.hpp"

namespace merpati::http {

void Connection::finish() {
    if (upgrade_) {
        hand_over();
        return;
    }
    stream_->shut_down();
    if (!client_goes_on_) {
        close();
        return;
    }
    state_ = State::lingering;
    await(Wait::lingering);
    if (!read_pending_) {
        linger();
    }
}

void Connection::hand_over() {
    invariant(!stream_->is_encrypted(), "only a plain connection is upgraded");
    if (reader_.part() != RequestReader::Part::nothing_yet) {
        close();  // The client has not waited for the answer.
        return;
    }
    auto upgrade = std::exchange(upgrade_, nullptr);
    auto socket = stream_->release();
    close();
    upgrade(std::move(socket));
}

void Connection::linger() {
    if (stream_->discard().closed) {
        close();
        return;
    }
    read_pending_ = true;
    reader_.release();
    account();
    stream_->async_discardable(
        [self = shared_from_this()](const Stream::ErrorCode& error, std::size_t size) {
            self->on_read(error, size);
        });
}

void Connection::close() {
    if (state_ == State::closed) {
        return;
    }
    state_ = State::closed;
    const auto keep = std::move(self_);
    gone_ = true;
    source_.reset();
    upgrade_ = nullptr;
    break_upload_off();
    early_reply_.reset();
    out_ = {};
    thread_.release(*this);
    stream_.reset();
    reader_.destroy_buffer();  // A Responder may keep this object for long.
    await(Wait::nothing);
    thread_.unlink(*this);
}

}  // namespace merpati::http
