#include "forwarding/broadcast.hpp"

namespace merpati::forwarding {

class Broadcast::Answer final : public http::ReplySink {
public:
    explicit Answer(std::shared_ptr<Broadcast> of) : of_(std::move(of)) {}
    void deliver(http::Reply&& reply) override { of_->note(std::move(reply)); }

private:
    const std::shared_ptr<Broadcast> of_;
};

http::Responder Broadcast::answer() {
    const std::lock_guard lock{mutex_};
    ++awaited_;
    return http::Responder{std::make_shared<Answer>(shared_from_this())};
}

void Broadcast::send(const SendingDesk& desk, std::span<const Shard> others) {
    for (const auto shard : others) {
        desk.pass_on(shard, kept_.request(), answer());
    }
    const std::lock_guard lock{mutex_};
    is_sent_ = true;
    settle();
}

bool Broadcast::is_answered() const {
    const std::lock_guard lock{mutex_};
    return !responder_;
}

Broadcast::Part Broadcast::part_in(const http::Reply& reply) const {
    if (reply.status == 200) {
        return Part::taken;
    }
    return knows_nobody_(reply) ? Part::knows_nobody : Part::not_taken;
}

void Broadcast::note(http::Reply reply) {
    const std::lock_guard lock{mutex_};
    --awaited_;
    if (!best_ || part_in(reply) > part_in(*best_)) {
        best_ = std::move(reply);
    }
    settle();
}

void Broadcast::settle() {
    if (!responder_ || !best_) {
        return;
    }
    const bool is_early = !is_sent_ && part_in(*best_) == Part::not_taken;
    if (is_early || (is_sent_ && awaited_ == 0)) {
        std::exchange(responder_, std::nullopt)->send(*std::exchange(best_, std::nullopt));
    }
}

void BroadcastBody::take(std::string piece, http::PieceHold hold) {
    broadcast_->add(piece);
    if (here_ != nullptr) {
        here_->take(std::move(piece), std::move(hold));
    }
}

/// The others first, so that what this node answers is not taken for an early refusal.
void BroadcastBody::finish() {
    send_(*broadcast_);
    if (here_ != nullptr) {
        here_->finish();
    }
}

}  // namespace merpati::forwarding
