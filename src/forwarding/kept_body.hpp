// The copy of a body that its own node has read, in case the request has to be passed on.
#pragma once

#include <string>

#include "forwarding/body_room.hpp"
#include "forwarding/copying_receiver.hpp"
#include "forwarding/kept_request.hpp"
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
    void end_body() noexcept { ended_ = true; }

    /// Whether the request has its whole body.
    [[nodiscard]] bool is_whole() const noexcept { return ended_ && fits_; }
    [[nodiscard]] const http::Request& request() noexcept { return kept_.request(); }

private:
    BodyRoom::Place place_;
    KeptWhole kept_;
    bool fits_ = true;
    bool ended_ = false;
};

using KeepingReceiver = CopyingReceiver<KeptBody>;

}  // namespace merpati::forwarding
