#include "forwarding/incoming_channels.hpp"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>
#include <sys/socket.h>
#include <utility>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "forwarding/channel_text.hpp"
#include "forwarding/frame_socket.hpp"
#include "forwarding/passage_text.hpp"
#include "outbound/event_thread.hpp"

namespace merpati::forwarding {

class IncomingChannels::Impl : public std::enable_shared_from_this<Impl> {
public:
    Impl(CarryOut carry_out, telemetry::Log log)
        : carry_out_(std::move(carry_out)), log_(std::move(log)) {
        thread_.start();
    }

    void adopt(FileDescriptor socket) {
        thread_.post([this, socket = std::move(socket)]() mutable { begin(std::move(socket)); });
    }
    void drain(std::chrono::milliseconds patience) {
        std::unique_lock lock{mutex_};
        quiet_.wait_for(lock, patience, [this] { return unanswered_ == 0; });
    }
    void stop();

private:
    class Channel;
    class Answer;
    using ChannelPtr = std::shared_ptr<Channel>;

    void begin(FileDescriptor socket);
    void carry_out(std::string_view text, http::Responder responder) const;
    void count(std::size_t more, std::size_t fewer);

    const CarryOut carry_out_;
    const telemetry::Log log_;
    outbound::EventThread thread_{"channels"};
    boost::unordered_flat_set<ChannelPtr> channels_;  // Of the thread.
    std::mutex mutex_;
    std::condition_variable quiet_;
    std::size_t unanswered_ = 0;  // Requests of all channels whose answers have not left.
};

/// Threads: the channels' one.
class IncomingChannels::Impl::Channel : public std::enable_shared_from_this<Channel> {
public:
    explicit Channel(std::shared_ptr<Impl> owner) : owner_(std::move(owner)) {}

    void start(FrameSocket::Socket socket);
    void answer(std::uint64_t number, const http::Reply& reply);
    void close();

private:
    void take(std::uint64_t number, std::string_view text);
    void note_answered(std::size_t requests);
    void end();

    const std::shared_ptr<Impl> owner_;
    std::shared_ptr<FrameSocket> socket_;                                    // Null: it is closed.
    boost::unordered_flat_map<std::uint64_t, std::weak_ptr<Answer>> begun_;  // By number.
    std::size_t unanswered_ = 0;
};

/// Takes the answer to one request, on any thread.
class IncomingChannels::Impl::Answer final : public http::ReplySink {
public:
    Answer(std::shared_ptr<Impl> owner, ChannelPtr channel, std::uint64_t number)
        : owner_(std::move(owner)), channel_(std::move(channel)), number_(number) {}

    void deliver(http::Reply&& reply) override {
        if (reply.source != nullptr) {
            reply = {.status = 500};
        }
        owner_->thread_.post([channel = std::move(channel_), number = number_,
                              reply = std::move(reply)] { channel->answer(number, reply); });
    }
    [[nodiscard]] bool is_gone() const noexcept override { return gone_; }
    void note_gone() noexcept { gone_ = true; }

private:
    const std::shared_ptr<Impl> owner_;
    ChannelPtr channel_;
    const std::uint64_t number_;
    std::atomic<bool> gone_ = false;
};

void IncomingChannels::Impl::Channel::start(FrameSocket::Socket socket) {
    socket_ = std::make_shared<FrameSocket>(
        std::move(socket), request_text_max,
        FrameSocket::Listener{.on_frame = weakly<&Channel::take>(weak_from_this()),
                              .on_written = weakly<&Channel::note_answered>(weak_from_this()),
                              .on_closed = weakly<&Channel::end>(weak_from_this())});
    socket_->start();
}

void IncomingChannels::Impl::Channel::take(std::uint64_t number, std::string_view text) {
    if (text.empty()) {
        const auto found = begun_.find(number);
        if (const auto answer = found == begun_.end() ? nullptr : found->second.lock()) {
            answer->note_gone();
        }
        return;
    }
    ++unanswered_;
    owner_->count(1, 0);
    if (begun_.size() >= requests_max) {
        answer(number, {.status = 503, .body = std::string{not_taken_body}});
        return;
    }
    const auto answer = std::make_shared<Answer>(owner_, shared_from_this(), number);
    begun_.insert_or_assign(number, answer);
    owner_->carry_out(text, http::Responder{answer});
}

void IncomingChannels::Impl::Channel::answer(std::uint64_t number, const http::Reply& reply) {
    if (socket_ != nullptr) {
        begun_.erase(number);
        send_answer(*socket_, number, reply);
    }
}

void IncomingChannels::Impl::Channel::note_answered(std::size_t requests) {
    unanswered_ -= requests;
    owner_->count(0, requests);
}

void IncomingChannels::Impl::Channel::close() {
    if (const auto socket = std::exchange(socket_, nullptr)) {
        socket->close();
        note_answered(unanswered_);
        for (const auto& [number, weak] : std::exchange(begun_, {})) {
            if (const auto answer = weak.lock()) {
                answer->note_gone();
            }
        }
    }
}

void IncomingChannels::Impl::Channel::end() {
    close();
    owner_->channels_.erase(shared_from_this());
}

void IncomingChannels::Impl::begin(FileDescriptor socket) {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) {
        return;
    }
    FrameSocket::Socket stream{thread_.executor()};
    boost::system::error_code error;
    stream.assign({address.ss_family, IPPROTO_TCP}, socket.get(), error);
    if (error) {
        return;
    }
    (void)socket.release();
    const auto channel = std::make_shared<Channel>(shared_from_this());
    channels_.insert(channel);
    channel->start(std::move(stream));
}

void IncomingChannels::Impl::carry_out(std::string_view text, http::Responder responder) const {
    try {
        carry_out_(text, std::move(responder));
    } catch (const std::exception& exception) {  // The destructor of the Responder answers 500.
        log_.error("a request of another node was answered 500 because its handler threw",
                   {{"why", exception.what()}});
    }
}

void IncomingChannels::Impl::count(std::size_t more, std::size_t fewer) {
    const std::lock_guard lock{mutex_};
    unanswered_ += more;
    unanswered_ -= fewer;
    if (unanswered_ == 0) {
        quiet_.notify_all();
    }
}

void IncomingChannels::Impl::stop() {
    thread_.stop([this] {
        for (const auto& channel : std::exchange(channels_, {})) {
            channel->close();
        }
    });
}

IncomingChannels::IncomingChannels(CarryOut carry_out, telemetry::Log log)
    : impl_(std::make_shared<Impl>(std::move(carry_out), std::move(log))) {}

IncomingChannels::~IncomingChannels() {
    stop();
}

void IncomingChannels::adopt(FileDescriptor socket) {
    impl_->adopt(std::move(socket));
}

void IncomingChannels::drain(std::chrono::milliseconds patience) {
    impl_->drain(patience);
}

void IncomingChannels::stop() {
    impl_->stop();
}

}  // namespace merpati::forwarding
