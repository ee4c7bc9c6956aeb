// Takes the pieces of a body that is passed on.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "forwarding/passage.hpp"
#include "http/answer.hpp"
#include "http/body_receiver.hpp"

namespace merpati::forwarding {

/// Makes chunks of the pieces. Calls `abandon` if the body is broken off. Threads: the
/// connection's.
class PieceSender final : public http::BodyReceiver {
public:
    using Take = std::function<void(Passage::Piece)>;

    PieceSender(Take take_piece, std::function<void()> abandon)
        : take_(std::move(take_piece)), abandon_(std::move(abandon)) {}
    PieceSender(const PieceSender&) = delete;
    PieceSender& operator=(const PieceSender&) = delete;
    ~PieceSender() override {
        if (!finished_) {
            abandon_();
        }
    }

    void take(std::string piece, http::PieceHold hold) override {
        std::string chunk;
        http::append_chunk(chunk, piece);
        take_({.bytes = std::move(chunk), .hold = std::move(hold)});
    }
    void finish() override {
        finished_ = true;
        std::string end;
        http::append_chunk(end, {});
        take_({.bytes = std::move(end), .last = true, .hold = std::nullopt});
    }

private:
    const Take take_;
    const std::function<void()> abandon_;
    bool finished_ = false;
};

}  // namespace merpati::forwarding
