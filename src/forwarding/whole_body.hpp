// Collects a body that comes in pieces.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "forwarding/body_room.hpp"
#include "http/body_receiver.hpp"

namespace merpati::forwarding {

/// Operation: calls `whole` with a body of at most `bytes_max`. For one that is too long, or for
/// which its party has no room, calls `beyond` with what there is of it, and gives all that follows
/// to the receiver that this returns. Null: it has answered, and the rest is not wanted. A body
/// that is broken off calls neither.
///
/// Threads: the connection's. The room must outlive it.
class WholeBody final : public http::BodyReceiver {
public:
    using Whole = std::move_only_function<void(std::string body)>;
    using Beyond = std::move_only_function<std::unique_ptr<http::BodyReceiver>(std::string begun,
                                                                               bool is_too_long)>;

    WholeBody(BodyRoom& room, const http::Party& party, std::size_t bytes_max, Whole whole,
              Beyond beyond)
        : place_(room, party),
          bytes_max_(bytes_max),
          whole_(std::move(whole)),
          beyond_(std::move(beyond)) {}

    void take(std::string piece, http::PieceHold hold) override {
        const bool fits = body_.size() + piece.size() <= bytes_max_;
        if (!is_beyond_ && fits && place_.take(piece.size())) {
            body_ += piece;
            return;
        }
        if (!std::exchange(is_beyond_, true)) {
            next_ = beyond_(take_body(), !fits);
        }
        if (next_ != nullptr) {
            next_->take(std::move(piece), std::move(hold));
        }
    }
    void finish() override {
        if (!is_beyond_) {
            whole_(take_body());
        } else if (next_ != nullptr) {
            next_->finish();
        }
    }

private:
    std::string take_body() {
        place_.leave();
        return std::exchange(body_, {});
    }

    BodyRoom::Place place_;
    const std::size_t bytes_max_;
    Whole whole_;
    Beyond beyond_;
    std::string body_;
    bool is_beyond_ = false;
    std::unique_ptr<http::BodyReceiver> next_;
};

}  // namespace merpati::forwarding
