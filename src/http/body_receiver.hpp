// A body that is handled while it arrives, for long requests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "http/reply.hpp"
#include "http/request.hpp"

namespace merpati::http {

/// Where the pieces of a body come from. Implemented by the connection.
class BodyFeed {
public:
    virtual ~BodyFeed() = default;
    /// `hold`: the number of the PieceHold that was destroyed.
    virtual void go_on(std::uint64_t hold) = 0;
};

/// While it exists, no further byte of the body is read. It may be destroyed on any thread, which
/// asks for the next piece.
class PieceHold {
public:
    PieceHold(std::shared_ptr<BodyFeed> feed, std::uint64_t number) noexcept
        : feed_(std::move(feed)), number_(number) {}
    PieceHold(PieceHold&&) noexcept = default;
    PieceHold& operator=(PieceHold&&) = delete;
    ~PieceHold();

private:
    std::shared_ptr<BodyFeed> feed_;
    std::uint64_t number_;
};

/// Takes a body, whatever its framing. Each upload has its own.
///
/// Operation: `take` is called for each piece, once the hold on the one before is destroyed;
/// `finish` after the last. A sender therefore occupies one piece of memory and the read buffer,
/// however fast it is. A receiver that is destroyed before `finish` was called has not received the
/// whole body: the client has hung up, has broken the framing, has exceeded the limit of the route
/// or is too slow (Limits::body_timeout, Limits::body_rate_min), or the server drains or stops, or
/// the request was answered before its end. A PieceHold that is destroyed afterwards does nothing.
/// A client that hangs up while a piece is held is noticed within about Limits::sweep_interval. No
/// deadline runs while a piece is held.
///
/// Threads: the connection's I/O thread makes all calls and destroys the receiver; none may block.
///
/// Limits: piece_max.
class BodyReceiver {
public:
    static constexpr std::size_t piece_max = 64UL * 1024;

    virtual ~BodyReceiver() = default;
    virtual void take(std::string piece, PieceHold hold) = 0;
    virtual void finish() = 0;
};

/// Called on the I/O thread with the head of a request whose body has not been read; must not
/// block. `Request::body` is empty.
///
/// `hold` is on the body as a whole: nothing is read, and a client that waits for "100 Continue"
/// does not get it, before it is destroyed. The answer may be sent at any time. If it is sent
/// before the body has ended, or if null is returned, the rest of the body is not read, and the
/// connection is closed after the answer. If the handler throws before it answers, the answer is
/// 500.
using UploadHandler =
    std::function<std::unique_ptr<BodyReceiver>(const Request&, Responder, PieceHold hold)>;

}  // namespace merpati::http
