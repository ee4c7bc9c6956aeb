#include "forwarding/broadcast.hpp"

namespace merpati::forwarding {

class Broadcast::Answer final : public http::ReplySink {
public:
    Answer(std::shared_ptr<Broadcast> of, bool is_own) : of_(std::move(of)), is_own_(is_own) {}
    void deliver(http::Reply&& reply) override {
        if (is_own_) {
            of_->note_own(std::move(reply));
        } else {
            of_->note(std::move(reply));
        }
    }

private:
    const std::shared_ptr<Broadcast> of_;
    const bool is_own_;
};

http::Responder Broadcast::own_answer() {
    return http::Responder{std::make_shared<Answer>(shared_from_this(), true)};
}

void Broadcast::add(std::string_view piece) {
    body_size_ += piece.size();
    kept_.add(piece);
}

void Broadcast::end_body() {
    const std::lock_guard lock{mutex_};
    body_ended_ = true;
}

void Broadcast::note_own(http::Reply reply) {
    const auto part = rules_.part_in(reply);
    bool goes_on = false;
    {
        const std::lock_guard lock{mutex_};
        goes_on = body_ended_ && part != Part::not_taken;
        if (goes_on) {
            best_ = std::move(reply);
        }
    }
    if (goes_on) {
        rules_.spread(*this, part);
    } else {
        answer(std::move(reply));
    }
}

void Broadcast::send(const SendingDesk& desk, std::span<const Shard> others,
                     const http::Party& party) {
    awaited_ = others.size();
    if (others.empty()) {
        end();
        return;
    }
    for (const auto shard : others) {
        desk.hand_over(shard, kept_.request(), party,
                       http::Responder{std::make_shared<Answer>(shared_from_this(), false)});
    }
}

void Broadcast::note(http::Reply reply) {
    {
        const std::lock_guard lock{mutex_};
        if (rules_.part_in(reply) > rules_.part_in(*best_)) {
            best_ = std::move(reply);
        }
        if (--awaited_ > 0) {
            return;
        }
    }
    end();
}

void Broadcast::end() {
    auto reply = *std::exchange(best_, std::nullopt);
    const auto part = rules_.part_in(reply);
    answer(rules_.ended(std::move(reply), part));
}

void Broadcast::answer(http::Reply reply) {
    std::optional<http::Responder> responder;
    {
        const std::lock_guard lock{mutex_};
        responder = std::exchange(responder_, std::nullopt);
    }
    if (responder) {
        responder->send(std::move(reply));
    }
}

}  // namespace merpati::forwarding
