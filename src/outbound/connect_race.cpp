#include "outbound/connect_race.hpp"

#include <algorithm>
#include <utility>

#include "base/assert.hpp"

namespace merpati::outbound {

using boost::system::error_code;

Addresses interleaved(const Addresses& addresses) {
    const bool v6_first = !addresses.empty() && addresses.front().is_v6();
    const auto count = std::min(addresses.size(), ConnectRace::attempts_max);
    Addresses ordered;
    ordered.reserve(count);
    auto same = addresses.begin();
    auto other = addresses.begin();
    const auto next_of = [&](auto& next, bool v6) {
        next = std::find_if(next, addresses.end(),
                            [v6](const auto& address) { return address.is_v6() == v6; });
        if (next != addresses.end() && ordered.size() < count) {
            ordered.push_back(*next++);
        }
    };
    while (ordered.size() < count) {
        next_of(same, v6_first);
        next_of(other, !v6_first);
    }
    return ordered;
}

ConnectRace::ConnectRace(boost::asio::any_io_executor executor, Addresses addresses,
                         std::uint16_t port, std::chrono::steady_clock::duration delay)
    : executor_(std::move(executor)),
      addresses_(std::move(addresses)),
      port_(port),
      delay_(delay),
      timer_(executor_) {
    invariant(!addresses_.empty(), "there is an address to dial");
    sockets_.reserve(addresses_.size());
}

void ConnectRace::start(Done done) {
    done_ = std::move(done);
    dial_next();
}

void ConnectRace::cancel() {
    done_ = nullptr;
    timer_.cancel();
    sockets_.clear();
}

void ConnectRace::dial_next() {
    const auto index = sockets_.size();
    auto& socket = sockets_.emplace_back(executor_);
    socket.async_connect(
        {addresses_[index], port_},
        [self = shared_from_this(), index](error_code error) { self->attempted(index, error); });
    if (sockets_.size() == addresses_.size()) {
        timer_.cancel();
        return;
    }
    timer_.expires_after(delay_);
    timer_.async_wait([weak = weak_from_this()](error_code error) {
        const auto self = weak.lock();
        if (self && !error && self->done_ && self->sockets_.size() < self->addresses_.size()) {
            self->dial_next();
        }
    });
}

void ConnectRace::attempted(std::size_t index, error_code error) {
    if (!done_) {
        return;  // Another attempt has succeeded, or the race was cancelled.
    }
    if (!error) {
        finish({}, std::move(sockets_[index]), addresses_[index]);
        return;
    }
    error_code ignored;
    sockets_[index].close(ignored);
    ++failed_;
    if (sockets_.size() < addresses_.size()) {
        dial_next();
    } else if (failed_ == addresses_.size()) {
        finish(error, Socket{executor_}, addresses_[index]);
    }
}

void ConnectRace::finish(error_code error, Socket socket, boost::asio::ip::address address) {
    auto done = std::exchange(done_, nullptr);
    timer_.cancel();
    sockets_.clear();
    done(error, std::move(socket), std::move(address));
}

}  // namespace merpati::outbound
