#include "forwarding/outgoing_channel.hpp"

#include <utility>

#include "forwarding/channel_text.hpp"

namespace merpati::forwarding {

void OutgoingChannel::open() {
    const auto now = clock_.steady_now();
    if (socket_ != nullptr || opening_ != nullptr ||
        (tried_at_ && now < *tried_at_ + open_again_after)) {
        return;
    }
    tried_at_ = now;
    opening_ = client_.send(
        {.method = "GET",
         .bytes = request_,
         .on_head = [](const outbound::Response& response) { return response.status == 101; },
         .on_upgrade = weakly<&OutgoingChannel::begin>(weak_from_this())},
        [weak = weak_from_this()](
            const Result<void>& /*without_it_requests_take_connections_of_their_own*/) {
            if (const auto self = weak.lock()) {
                self->opening_ = nullptr;
            }
        });
}

void OutgoingChannel::begin(boost::asio::ip::tcp::socket socket) {
    socket_ = std::make_shared<FrameSocket>(
        std::move(socket), answer_text_max,
        FrameSocket::Listener{.on_frame = weakly<&OutgoingChannel::take>(weak_from_this()),
                              .on_written = [](std::size_t /*frames*/) {},
                              .on_closed = weakly<&OutgoingChannel::lose>(weak_from_this())});
    socket_->start();
}

std::uint64_t OutgoingChannel::send(std::string_view text, Done done) {
    socket_->send(++last_, {text});
    under_way_.emplace(last_, std::move(done));
    return last_;
}

void OutgoingChannel::forget(std::uint64_t number) {
    if (under_way_.erase(number) > 0 && socket_ != nullptr) {
        socket_->send(number, {});
        ++last_;
    }
}

void OutgoingChannel::take(std::uint64_t number, std::string_view text) {
    const auto found = under_way_.find(number);
    if (found == under_way_.end()) {
        return;  // It was forgotten meanwhile.
    }
    auto answer = parse_answer(text);
    if (!answer) {
        lose();
        return;
    }
    auto done = std::move(found->second);
    under_way_.erase(found);
    done(*std::move(answer));
}

void OutgoingChannel::lose() {
    const auto socket = std::exchange(socket_, nullptr);
    if (socket == nullptr) {
        return;
    }
    socket->close();
    const auto sent_to = last_ - socket->unsent();
    for (auto& [number, done] : std::exchange(under_way_, {})) {
        done(std::unexpected(number > sent_to ? Loss::not_sent : Loss::maybe_sent));
    }
}

void OutgoingChannel::close() {
    if (const auto opening = std::exchange(opening_, nullptr)) {
        opening->cancel();
    }
    lose();
}

}  // namespace merpati::forwarding
