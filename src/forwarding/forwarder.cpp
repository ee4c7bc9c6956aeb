#include "forwarding/forwarder.hpp"

#include <deque>
#include <expected>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include "forwarding/channel_text.hpp"
#include "forwarding/dead_owners.hpp"
#include "forwarding/owner_limits.hpp"
#include "forwarding/passage_text.hpp"
#include "forwarding/peer_table.hpp"
#include "forwarding/piece_sender.hpp"
#include "outbound/event_thread.hpp"
#include "outbound/periodic_timer.hpp"
#include "telemetry/metrics.hpp"

namespace merpati::forwarding {
namespace {

using PassagePtr = std::shared_ptr<Passage>;

bool was_not_taken(const http::Reply& reply) {
    return reply.status == 503 && reply.body == not_taken_body;
}

}  // namespace

class Forwarder::Impl {
public:
    Impl(const Clock& clock, http::RefusalBody refusal, Options options, telemetry::Log log)
        : clock_(clock),
          refusal_(std::move(refusal)),
          log_(std::move(log)),
          limits_(options.requests_max, options.bytes_max),
          peers_(clock, thread_.executor(),
                 options.channel_request.empty()
                     ? nullptr
                     : std::make_shared<const std::string>(options.channel_request)) {}

    void start() { thread_.start(); }
    void stop();

    void set_owners(Owners owners, std::vector<Owner> leaving);
    [[nodiscard]] std::optional<Owner> owner(Shard shard) const {
        const std::lock_guard lock{mutex_};
        return owners_.at(shard);
    }
    [[nodiscard]] bool is_dead(const Owner& owner) const { return dead_.is_dead(owner); }
    void pass_on(const PassagePtr& passage);
    [[nodiscard]] std::unique_ptr<http::BodyReceiver> pass_on_in_pieces(const PassagePtr& passage);

    [[nodiscard]] std::uint64_t passed_total() const noexcept { return passed_.value(); }

private:
    // On the thread.
    void become(const Owners& owners, const std::vector<Owner>& leaving);
    void begin(const PassagePtr& passage);
    void take_piece(const PassagePtr& passage, Passage::Piece piece);
    void send_piece(Passage& passage);
    void abandon(const PassagePtr& passage);
    static void withdraw(Passage& passage);
    void attempt(const PassagePtr& passage);
    void attempt_or_wait(const PassagePtr& passage);
    void wait(const PassagePtr& passage);
    [[nodiscard]] bool takes_channel(const Passage& passage) const;
    void attempt_on_channel(const PassagePtr& passage);
    void channel_ended(const PassagePtr& passage,
                       std::expected<http::Reply, OutgoingChannel::Loss> answer);
    [[nodiscard]] bool note_status(const PassagePtr& passage, std::uint16_t status,
                                   bool is_not_here, std::string_view named);
    [[nodiscard]] bool take_head(const PassagePtr& passage, const outbound::Response& response);
    [[nodiscard]] bool take_body(Passage& passage, std::span<const std::byte> bytes);
    void stream(const PassagePtr& passage);
    void exchange_ended(const PassagePtr& passage, Result<void> result);
    void look_elsewhere(const PassagePtr& passage);
    void failed(const PassagePtr& passage, bool may_have_arrived);
    void refuse(const PassagePtr& passage, std::uint16_t status);
    void answer(Passage& passage, std::uint16_t status) const;
    void release(const PassagePtr& passage);
    [[nodiscard]] bool tick();
    void drop_gone();
    void look_at_waiting();

    const Clock& clock_;
    const http::RefusalBody refusal_;
    const telemetry::Log log_;
    outbound::EventThread thread_{"forwarding"};
    outbound::PeriodicTimer timer_{thread_.executor(), look_every, [this] { return tick(); }};
    telemetry::Counter passed_;

    mutable std::mutex mutex_;
    Owners owners_;
    std::vector<Owner> leaving_;
    DeadOwners dead_{clock_, dead_after};

    // Of the thread.
    OwnerLimits limits_;
    PeerTable peers_;
    boost::unordered_flat_set<PassagePtr> passages_;
    std::deque<PassagePtr> waiting_;  // Longest waiting first.
};

void Forwarder::Impl::set_owners(Owners owners, std::vector<Owner> leaving) {
    {
        const std::lock_guard lock{mutex_};
        if (owners_ == owners && leaving_ == leaving) {
            return;
        }
        owners_ = owners;
        leaving_ = leaving;
    }
    thread_.post([this, owners = std::move(owners), leaving = std::move(leaving)] {
        become(owners, leaving);
    });
}

void Forwarder::Impl::become(const Owners& owners, const std::vector<Owner>& leaving) {
    peers_.set(owners, leaving, last_answers);
    timer_.start();
    look_at_waiting();
}

/// A forwarder that has stopped takes nothing more.
void Forwarder::Impl::pass_on(const PassagePtr& passage) {
    if (!thread_.post([this, passage] { begin(passage); })) {
        answer(*passage, 503);  // It was never begun; the rest is the thread's.
    }
}

std::unique_ptr<http::BodyReceiver> Forwarder::Impl::pass_on_in_pieces(const PassagePtr& passage) {
    pass_on(passage);
    return std::make_unique<PieceSender>(
        [this, passage](Passage::Piece piece) {
            thread_.post([this, passage, piece = std::move(piece)]() mutable {
                take_piece(passage, std::move(piece));
            });
        },
        [this, passage] { thread_.post([this, passage] { abandon(passage); }); });
}

void Forwarder::Impl::begin(const PassagePtr& passage) {
    const auto& request = passage->request;
    const auto& peer = peers_.peer_of(passage->shard);
    passage->counted_for = peer == nullptr ? 0 : peer->owner.node;
    if (!limits_.admit(passage->counted_for, request.party, request.bytes->size())) {
        refuse(passage, 503);
        return;
    }
    passages_.insert(passage);
    timer_.start();
    attempt_or_wait(passage);
}

void Forwarder::Impl::attempt_or_wait(const PassagePtr& passage) {
    if (peers_.takes(passage->shard)) {
        attempt(passage);
    } else {
        wait(passage);
    }
}

void Forwarder::Impl::attempt(const PassagePtr& passage) {
    passage->reply = {};
    passage->peer = peers_.peer_of(passage->shard);
    if (takes_channel(*passage)) {
        attempt_on_channel(passage);
        return;
    }
    const auto& request = passage->request;
    passage->exchange = passage->peer->client.send(
        {.method = request.method,
         .bytes = request.bytes,
         .has_more = request.has_more,
         .on_open = [this, passage] { send_piece(*passage); },
         .on_head = [this, passage](const auto& response) { return take_head(passage, response); },
         .on_body = [this, passage](auto bytes) { return take_body(*passage, bytes); },
         .has_room = [passage] { return passage->pipe == nullptr || passage->pipe->has_room(); }},
        [this, passage](Result<void> result) { exchange_ended(passage, std::move(result)); });
}

/// Until the channel is open, and while its node does not read, requests take connections of their
/// own, whose bytes are given up with them.
bool Forwarder::Impl::takes_channel(const Passage& passage) const {
    const auto& channel = passage.peer->channel;
    if (channel == nullptr || passage.request.answer != AnswerSize::brief ||
        passage.request.bytes->size() > request_text_max) {
        return false;
    }
    channel->open();
    return channel->has_room();
}

void Forwarder::Impl::attempt_on_channel(const PassagePtr& passage) {
    auto ended = [this, passage](auto answer) { channel_ended(passage, std::move(answer)); };
    passage->channel_number =
        passage->peer->channel->send(*passage->request.bytes, std::move(ended));
}

void Forwarder::Impl::channel_ended(const PassagePtr& passage,
                                    std::expected<http::Reply, OutgoingChannel::Loss> answer) {
    passage->channel_number.reset();
    if (!answer || was_not_taken(*answer)) {
        failed(passage, !answer && answer.error() == OutgoingChannel::Loss::maybe_sent);
        return;
    }
    if (note_status(passage, answer->status, answer->added_header(not_here_header).has_value(),
                    answer->added_header(shard_header).value_or(""))) {
        std::exchange(passage->responder, std::nullopt)->send(*std::move(answer));
        release(passage);
    } else {
        look_elsewhere(passage);
    }
}

void Forwarder::Impl::wait(const PassagePtr& passage) {
    if (!passage->give_up_at) {
        passage->give_up_at = clock_.steady_now() + passage->request.patience;
    }
    if (clock_.steady_now() >= *passage->give_up_at) {
        refuse(passage, 503);
    } else {
        waiting_.push_back(passage);
    }
}

/// A piece waits with the request until that is sent: no other one comes before.
void Forwarder::Impl::take_piece(const PassagePtr& passage, Passage::Piece piece) {
    if (passage->ended) {
        return;
    }
    passage->piece.emplace(std::move(piece));
    if (passage->exchange != nullptr && passage->exchange->may_have_arrived()) {
        send_piece(*passage);
    }
}

void Forwarder::Impl::send_piece(Passage& passage) {
    if (auto piece = std::exchange(passage.piece, std::nullopt)) {
        passage.pieces_began = true;
        passage.exchange->send_more(std::move(piece->bytes), piece->last,
                                    [hold = std::move(piece->hold)] {});
    }
}

void Forwarder::Impl::abandon(const PassagePtr& passage) {
    withdraw(*passage);
    release(passage);
}

/// Nobody waits for the peer's answer any more.
void Forwarder::Impl::withdraw(Passage& passage) {
    if (passage.exchange != nullptr) {
        passage.exchange->cancel();
    } else if (passage.channel_number) {
        passage.peer->channel->forget(*passage.channel_number);
    }
}

bool Forwarder::Impl::take_head(const PassagePtr& passage, const outbound::Response& response) {
    if (!note_status(passage, response.status, !response.header(not_here_header).empty(),
                     response.header(shard_header))) {
        return false;
    }
    passage->reply = reply_of(response);
    if (!has_body_within(response, whole_max)) {
        stream(passage);
    }
    return true;
}

/// Notes what an answer says of its node. False: the request was not carried out there.
bool Forwarder::Impl::note_status(const PassagePtr& passage, std::uint16_t status, bool is_not_here,
                                  std::string_view named) {
    if (is_not_here || status == not_here_status) {
        passage->elsewhere = parse_shard(named).value_or(passage->shard);
        if (!is_not_here) {
            log_.error(
                "the server that works does not know this one: do both have copies of one "
                "cluster.key_file?");
            passage->peer->answers = false;
        }
        return false;
    }
    passed_.add();
    passage->peer->has_answered = true;
    dead_.note(*passage->peer, false);
    if (peers_.note_taken(passage->shard, passage->peer)) {
        thread_.post([this] { look_at_waiting(); });
    }
    return true;
}

void Forwarder::Impl::stream(const PassagePtr& passage) {
    passage->pipe = std::make_shared<ReplyPipe>([this, weak = std::weak_ptr{passage}] {
        thread_.post([this, weak] {
            const auto one = weak.lock();
            if (one == nullptr || one->exchange == nullptr) {
                return;
            }
            if (one->pipe->is_left()) {
                abandon(one);
            } else {
                one->exchange->read_on();
            }
        });
    });
    passage->reply.source = passage->pipe->source();
    std::exchange(passage->responder, std::nullopt)->send(std::move(passage->reply));
}

bool Forwarder::Impl::take_body(Passage& passage, std::span<const std::byte> bytes) {
    if (passage.pipe != nullptr) {
        return passage.pipe->put(bytes);
    }
    passage.reply.body.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return true;
}

void Forwarder::Impl::exchange_ended(const PassagePtr& passage, Result<void> result) {
    const auto exchange = std::exchange(passage->exchange, nullptr);
    if (passage->pipe != nullptr) {
        if (result) {
            passage->pipe->finish();
        } else {
            passage->pipe->break_off();
        }
        release(passage);
    } else if (passage->elsewhere) {
        look_elsewhere(passage);
    } else if (was_not_taken(passage->reply)) {
        failed(passage, false);
    } else if (!result) {
        dead_.note(*passage->peer, exchange->was_refused());
        failed(passage, exchange->may_have_arrived());
    } else {
        std::exchange(passage->responder, std::nullopt)->send(std::move(passage->reply));
        release(passage);
    }
}

/// The node has lost the shard, or knows better to which one the request belongs.
void Forwarder::Impl::look_elsewhere(const PassagePtr& passage) {
    const auto shard = *std::exchange(passage->elsewhere, std::nullopt);
    if (passage->pieces_began) {
        refuse(passage, 503);
    } else if (shard == passage->shard || passage->redirects++ >= redirects_max) {
        peers_.note_elsewhere(passage->shard);
        wait(passage);
    } else {
        passage->shard = shard;
        attempt_or_wait(passage);
    }
}

/// Requests that come now wait, while one of those that wait finds out whether the peer answers.
void Forwarder::Impl::failed(const PassagePtr& passage, bool may_have_arrived) {
    if (!may_have_arrived) {
        passage->peer->answers = false;
    }
    if (passage->pieces_began) {
        refuse(passage, may_have_arrived ? 502 : 503);
    } else if (may_have_arrived && !passage->request.is_repeatable) {
        refuse(passage, 502);
    } else {
        wait(passage);
    }
}

void Forwarder::Impl::refuse(const PassagePtr& passage, std::uint16_t status) {
    answer(*passage, status);
    release(passage);
}

void Forwarder::Impl::answer(Passage& passage, std::uint16_t status) const {
    if (auto responder = std::exchange(passage.responder, std::nullopt)) {
        http::Reply reply{.status = status, .body = refusal_(status)};
        if (status == 503) {
            reply.add_header("Retry-After", "1");
        }
        responder->send(std::move(reply));
    }
}

void Forwarder::Impl::release(const PassagePtr& passage) {
    passage->ended = true;
    passage->exchange.reset();
    passage->piece.reset();
    passage->pipe.reset();
    passage->responder.reset();
    if (passages_.erase(passage) > 0) {
        limits_.release(passage->counted_for, passage->request.party,
                        passage->request.bytes->size());
    }
}

bool Forwarder::Impl::tick() {
    for (const auto& peer : peers_.take_left()) {
        dead_.forget(*peer);
        peer->close();
    }
    drop_gone();
    look_at_waiting();
    return !passages_.empty() || peers_.any_leaves();
}

void Forwarder::Impl::drop_gone() {
    std::vector<PassagePtr> gone;
    for (const auto& passage : passages_) {
        if (passage->responder && passage->responder->is_gone()) {
            gone.push_back(passage);
        }
    }
    for (const auto& passage : gone) {
        abandon(passage);
    }
}

void Forwarder::Impl::look_at_waiting() {
    peers_.begin_look();
    for (const auto& passage : std::exchange(waiting_, {})) {
        if (passage->ended) {
            continue;
        }
        if (clock_.steady_now() >= *passage->give_up_at) {
            refuse(passage, 503);
        } else if (peers_.may_try(passage->shard)) {
            attempt(passage);
        } else {
            waiting_.push_back(passage);
        }
    }
}

void Forwarder::Impl::stop() {
    thread_.stop([this] {
        timer_.cancel();
        const auto left = passages_;
        for (const auto& passage : left) {
            withdraw(*passage);
            if (passage->pipe != nullptr) {
                passage->pipe->break_off();
            }
            refuse(passage, 503);
        }
        peers_.close();
    });
}

Forwarder::Forwarder(const Clock& clock, http::RefusalBody refusal, Options options,
                     telemetry::Log log)
    : impl_(std::make_unique<Impl>(clock, std::move(refusal), options, std::move(log))) {}

Forwarder::~Forwarder() {
    stop();
}

void Forwarder::start() {
    impl_->start();
}

void Forwarder::stop() {
    impl_->stop();
}

void Forwarder::set_owners(Owners owners, std::vector<Owner> leaving) {
    impl_->set_owners(std::move(owners), std::move(leaving));
}

std::optional<Owner> Forwarder::owner(Shard shard) const {
    return impl_->owner(shard);
}

bool Forwarder::is_dead(const Owner& owner) const {
    return impl_->is_dead(owner);
}

void Forwarder::pass_on(PassedRequest request, http::Responder responder) {
    impl_->pass_on(std::make_shared<Passage>(std::move(request), std::move(responder)));
}

std::unique_ptr<http::BodyReceiver> Forwarder::pass_on_in_pieces(PassedRequest request,
                                                                 http::Responder responder) {
    return impl_->pass_on_in_pieces(
        std::make_shared<Passage>(std::move(request), std::move(responder)));
}

std::uint64_t Forwarder::passed_total() const noexcept {
    return impl_->passed_total();
}

}  // namespace merpati::forwarding
