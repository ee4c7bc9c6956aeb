// Collects a body that comes in pieces.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "http/body_receiver.hpp"

namespace merpati::forwarding {

/// What all bodies that are being collected may take. Threads: any.
class BodyRoom {
public:
    explicit BodyRoom(std::size_t bytes_max) : bytes_max_(bytes_max) {}

    /// False: there is no room for so many more.
    [[nodiscard]] bool acquire(std::size_t bytes) noexcept {
        if (held_.fetch_add(bytes) + bytes <= bytes_max_) {
            return true;
        }
        held_ -= bytes;
        return false;
    }
    void release(std::size_t bytes) noexcept { held_ -= bytes; }

private:
    const std::size_t bytes_max_;
    std::atomic<std::size_t> held_{0};
};

/// Operation: calls `whole` with a body of at most `bytes_max`. For one that is too long, or for
/// which there is no room, calls `beyond` with what there is of it, and gives all that follows to
/// the receiver that this returns. Null: it has answered, and the rest is not wanted. A body that
/// is broken off calls neither.
///
/// Threads: the connection's. The room must outlive it.
class WholeBody final : public http::BodyReceiver {
public:
    using Whole = std::move_only_function<void(std::string body)>;
    using Beyond = std::move_only_function<std::unique_ptr<http::BodyReceiver>(std::string begun,
                                                                               bool is_too_long)>;

    WholeBody(BodyRoom& room, std::size_t bytes_max, Whole whole, Beyond beyond)
        : room_(room),
          bytes_max_(bytes_max),
          whole_(std::move(whole)),
          beyond_(std::move(beyond)) {}
    WholeBody(const WholeBody&) = delete;
    WholeBody& operator=(const WholeBody&) = delete;
    ~WholeBody() override { room_.release(body_.size()); }

    void take(std::string piece, http::PieceHold hold) override {
        const bool fits = body_.size() + piece.size() <= bytes_max_;
        if (!is_beyond_ && fits && room_.acquire(piece.size())) {
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
        room_.release(body_.size());
        return std::exchange(body_, {});
    }

    BodyRoom& room_;
    const std::size_t bytes_max_;
    Whole whole_;
    Beyond beyond_;
    std::string body_;
    bool is_beyond_ = false;
    std::unique_ptr<http::BodyReceiver> next_;
};

}  // namespace merpati::forwarding
