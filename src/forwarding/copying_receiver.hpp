// A body that goes two ways.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "http/body_receiver.hpp"

namespace merpati::forwarding {

/// Gives a body to this node's own receiver, and each piece to a copy before: its `add`, and
/// `end_body` once the body is complete.
template <class Copy>
class CopyingReceiver final : public http::BodyReceiver {
public:
    CopyingReceiver(std::shared_ptr<Copy> copy, std::unique_ptr<http::BodyReceiver> here)
        : copy_(std::move(copy)), here_(std::move(here)) {}

    void take(std::string piece, http::PieceHold hold) override {
        copy_->add(piece);
        here_->take(std::move(piece), std::move(hold));
    }
    void finish() override {
        copy_->end_body();
        here_->finish();
    }

private:
    const std::shared_ptr<Copy> copy_;
    const std::unique_ptr<http::BodyReceiver> here_;
};

}  // namespace merpati::forwarding
