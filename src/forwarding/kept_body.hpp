// The copy of a body that its own node has read, in case the request has to be passed on.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "forwarding/body_room.hpp"
#include "forwarding/kept_request.hpp"
#include "http/body_receiver.hpp"
#include "http/request.hpp"

namespace merpati::forwarding {

/// Limits: the room. A body for which its party has none is not kept, and holds nothing.
///
/// Threads: that of the body, until it has ended; then any, one at a time.
class KeptBody {
public:
    KeptBody(BodyRoom& room, const http::Party& party, const http::Request& request)
        : place_(room, party), kept_(request) {}

    void add(const std::string& piece) {
        if (fits_ && (fits_ = place_.take(piece.size()))) {
            kept_.add(piece);
        } else {
            kept_.drop_body();
            place_.leave();
        }
    }
    void end() noexcept { ended_ = true; }

    /// Whether the request has its whole body.
    [[nodiscard]] bool is_whole() const noexcept { return ended_ && fits_; }
    [[nodiscard]] const http::Request& request() noexcept { return kept_.request(); }

private:
    BodyRoom::Place place_;
    KeptWhole kept_;
    bool fits_ = true;
    bool ended_ = false;
};

/// Gives a body to its receiver, and keeps a copy.
class KeepingReceiver final : public http::BodyReceiver {
public:
    KeepingReceiver(std::shared_ptr<KeptBody> copy, std::unique_ptr<http::BodyReceiver> here)
        : copy_(std::move(copy)), here_(std::move(here)) {}

    void take(std::string piece, http::PieceHold hold) override {
        copy_->add(piece);
        here_->take(std::move(piece), std::move(hold));
    }
    void finish() override {
        copy_->end();
        here_->finish();
    }

private:
    const std::shared_ptr<KeptBody> copy_;
    const std::unique_ptr<http::BodyReceiver> here_;
};

}  // namespace merpati::forwarding
