#include "outbound/peer_client.hpp"

#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

namespace merpati::outbound {
namespace {

using boost::asio::ip::tcp;

}  // namespace

/// What the exchanges of a client share.
class PeerPool {
public:
    PeerPool(const Clock& clock, boost::asio::any_io_executor executor, tcp::endpoint peer)
        : clock_(clock), executor_(std::move(executor)), peer_(std::move(peer)) {}

    [[nodiscard]] const boost::asio::any_io_executor& executor() const { return executor_; }
    [[nodiscard]] const tcp::endpoint& peer() const { return peer_; }

    void begin(std::shared_ptr<PeerExchange> exchange) { running_.insert(std::move(exchange)); }

    /// A connection that the peer has not closed. Null: there is none.
    std::shared_ptr<Connection> take_idle() {
        const auto fresh_from = clock_.steady_now() - PeerClient::idle_time;
        while (!idle_.empty()) {
            auto connection = std::move(idle_.back());
            idle_.pop_back();
            if (connection->idle_since >= fresh_from && !connection->is_closed_by_server()) {
                return connection;
            }
            connection->close();
        }
        return nullptr;
    }

    void end(const std::shared_ptr<PeerExchange>& exchange, std::shared_ptr<Connection> connection,
             bool keep) {
        running_.erase(exchange);
        if (connection == nullptr) {
            return;
        }
        if (!keep || closed_ || idle_.size() >= PeerClient::idle_max) {
            connection->close();
            return;
        }
        connection->idle_since = clock_.steady_now();
        idle_.push_back(std::move(connection));
    }

    void close() {
        closed_ = true;
        const auto running = running_;
        for (const auto& exchange : running) {
            exchange->end(fail(ErrorCode::shutting_down, "the client is closed"));
        }
        for (const auto& connection : idle_) {
            connection->close();
        }
        idle_.clear();
    }

private:
    const Clock& clock_;
    const boost::asio::any_io_executor executor_;
    const tcp::endpoint peer_;
    boost::unordered_flat_set<std::shared_ptr<PeerExchange>> running_;
    std::vector<std::shared_ptr<Connection>> idle_;  // Longest idle first.
    bool closed_ = false;
};

PeerExchange::PeerExchange(std::shared_ptr<PeerPool> pool, PeerRequest request, PeerDone done)
    : pool_(std::move(pool)),
      on_open_(std::move(request.on_open)),
      on_upgrade_(std::move(request.on_upgrade)),
      has_room_(std::move(request.has_room)),
      done_(std::move(done)),
      timer_(pool_->executor()),
      all_is_sent_(!request.has_more) {
    limits_.method = std::move(request.method);
    limits_.header_bytes_max = header_bytes_max;
    limits_.body_bytes_max = std::numeric_limits<std::size_t>::max();
    limits_.on_head = std::move(request.on_head);
    limits_.on_body = std::move(request.on_body);
    limits_.may_upgrade = on_upgrade_ != nullptr;
    pieces_.push_back({.bytes = std::move(request.bytes)});
}

void PeerExchange::start() {
    pool_->begin(shared_from_this());
    connection_ = pool_->take_idle();
    if (connection_ == nullptr) {
        connect();
        return;
    }
    boost::asio::post(pool_->executor(), [self = shared_from_this()] {
        if (!self->ended_) {
            self->open();
        }
    });
}

void PeerExchange::connect() {
    connecting_ = std::make_shared<tcp::socket>(pool_->executor());
    timer_.expires_after(connect_timeout);
    timer_.async_wait([socket = connecting_](const boost::system::error_code& error) {
        if (!error) {
            boost::system::error_code ignored;
            socket->close(ignored);
        }
    });
    connecting_->async_connect(
        pool_->peer(), [self = shared_from_this()](const boost::system::error_code& error) {
            self->timer_.cancel();
            const auto socket = std::exchange(self->connecting_, nullptr);
            if (self->ended_) {
                return;
            }
            if (error) {
                self->was_refused_ = error == boost::asio::error::connection_refused;
                self->end(fail(ErrorCode::unreachable, "cannot connect: " + error.message()));
                return;
            }
            self->connection_ = std::make_shared<Connection>(
                std::move(*socket), self->pool_->peer().address(), nullptr);
            self->open();
        });
}

void PeerExchange::open() {
    reader_.emplace(limits_);
    may_have_arrived_ = true;
    read();
    write();
    if (on_open_) {
        on_open_();
    }
}

/// After an error only the response is waited for: the peer may have refused the body.
void PeerExchange::write() {
    if (connection_ == nullptr || writing_ || pieces_.empty()) {
        return;
    }
    writing_.emplace(std::move(pieces_.front()));
    pieces_.pop_front();
    connection_->write(*writing_->bytes,
                       [self = shared_from_this()](const boost::system::error_code& error) {
                           auto piece = std::exchange(self->writing_, std::nullopt);
                           if (self->ended_) {
                               return;
                           }
                           if (error) {
                               self->cannot_send_ = true;
                               self->pieces_.clear();
                               return;
                           }
                           self->all_is_sent_ = self->all_is_sent_ || piece->last;
                           if (piece->sent) {
                               piece->sent();
                           }
                           self->write();
                       });
}

void PeerExchange::send_more(std::string bytes, bool last, std::move_only_function<void()> sent) {
    if (ended_ || cannot_send_) {
        return;
    }
    pieces_.push_back({.bytes = std::make_shared<const std::string>(std::move(bytes)),
                       .last = last,
                       .sent = std::move(sent)});
    write();
}

void PeerExchange::read() {
    connection_->read([self = shared_from_this()](const boost::system::error_code& error) {
        if (self->ended_) {
            return;
        }
        const bool at_end = error == boost::asio::error::eof;
        if (error && !at_end) {
            self->end(fail(ErrorCode::unreachable, "the connection broke"));
            return;
        }
        self->received(at_end);
    });
}

void PeerExchange::read_on() {
    if (std::exchange(paused_, false) && !ended_) {
        read();
    }
}

void PeerExchange::received(bool at_end) {
    auto& buffer = connection_->buffer;
    if (const auto size = buffer.size(); size > 0) {
        reader_->feed({static_cast<const char*>(buffer.data().data()), size});
        buffer.consume(size);
    }
    if (ended_) {
        return;  // A listener has cancelled it.
    }
    if (at_end && reader_->state() == ResponseReader::State::needs_more) {
        reader_->finish();
    }
    switch (reader_->state()) {
        case ResponseReader::State::needs_more:
            paused_ = has_room_ && !has_room_();
            if (!paused_) {
                read();
            }
            return;
        case ResponseReader::State::done:
            if (reader_->response().status == 101) {
                hand_over();
                return;
            }
            end({}, reader_->keep_alive() && all_is_sent_ && !writing_ && !cannot_send_ && !at_end);
            return;
        case ResponseReader::State::failed:
            end(std::unexpected(reader_->take_error()));
            return;
    }
}

void PeerExchange::hand_over() {
    if (!reader_->keep_alive()) {
        end(fail(ErrorCode::protocol, "more than the answer came before the upgrade"));
        return;
    }
    on_upgrade_(connection_->release());
    end({});
}

void PeerExchange::cancel() {
    if (!std::exchange(ended_, true)) {
        let_go(false);
    }
}

void PeerExchange::end(Result<void> result, bool keep) {
    if (std::exchange(ended_, true)) {
        return;
    }
    auto done = std::move(done_);
    let_go(keep);
    done(std::move(result));
}

void PeerExchange::let_go(bool keep) {
    const auto self = shared_from_this();  // The pool may have had the last other one.
    timer_.cancel();
    if (connecting_ != nullptr) {
        boost::system::error_code ignored;
        connecting_->close(ignored);
    }
    pieces_.clear();
    pool_->end(self, std::exchange(connection_, nullptr), keep);
}

PeerClient::PeerClient(const Clock& clock, boost::asio::any_io_executor executor,
                       tcp::endpoint peer)
    : pool_(std::make_shared<PeerPool>(clock, std::move(executor), std::move(peer))) {}

std::shared_ptr<PeerExchange> PeerClient::send(PeerRequest request, PeerDone done) {
    auto exchange = std::make_shared<PeerExchange>(pool_, std::move(request), std::move(done));
    exchange->start();
    return exchange;
}

void PeerClient::close() {
    pool_->close();
}

}  // namespace merpati::outbound
