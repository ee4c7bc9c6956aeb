// A request that every node gets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "forwarding/copying_receiver.hpp"
#include "forwarding/kept_request.hpp"
#include "forwarding/owner.hpp"
#include "forwarding/sending_desk.hpp"
#include "http/party.hpp"
#include "http/reply.hpp"
#include "http/request.hpp"

namespace merpati::forwarding {

/// Operation: this node takes its part first. If it cannot, or says so before the body has come,
/// that is the answer, and nobody else gets the request. Otherwise `spread` decides: it calls
/// `send` or `answer`. After `send` the answer is that of a node that could not take its part, if
/// there is one; or else of one that took it; or else of one that knew nobody whom the request
/// concerns. `ended` may still replace it.
///
/// Limits: it keeps the whole body until the end. What the bodies of all may take is limited by
/// this node's own receiver, as long as that has not answered, and then by `spread`.
///
/// Threads: any, of `add` and `end_body` one at a time.
class Broadcast final : public std::enable_shared_from_this<Broadcast> {
public:
    /// What a node has done, by its answer.
    enum class Part : std::uint8_t { knows_nobody, taken, not_taken };

    struct Rules {
        Part (*part_in)(const http::Reply&);
        /// Called once, on the thread of this node's answer. `own`: never not_taken.
        std::function<void(Broadcast&, Part own)> spread;
        /// Called once with the answer of all after `send`. `best`: the part that it tells.
        std::function<http::Reply(http::Reply, Part best)> ended;
    };
    Broadcast(const http::Request& request, http::Responder responder, Rules rules)
        : kept_(request), rules_(std::move(rules)), responder_(std::move(responder)) {}

    /// The right to give this node's answer. Call once.
    [[nodiscard]] http::Responder own_answer();

    void add(std::string_view piece);
    /// The body is complete.
    void end_body();

    // For `spread`.
    [[nodiscard]] std::size_t body_size() const noexcept { return body_size_; }
    /// `others`: a shard of each other node. `party`: who has a share of what may be on its way.
    void send(const SendingDesk& desk, std::span<const Shard> others, const http::Party& party);
    void answer(http::Reply reply);

private:
    class Answer;
    void note_own(http::Reply reply);
    void note(http::Reply reply);
    void end();

    KeptWhole kept_;
    std::size_t body_size_ = 0;
    Rules rules_;
    std::mutex mutex_;
    std::optional<http::Responder> responder_;  // Empty: it is answered.
    std::optional<http::Reply> best_;
    std::size_t awaited_ = 0;
    bool body_ended_ = false;
};

/// Keeps a body for the others.
using BroadcastBody = CopyingReceiver<Broadcast>;

}  // namespace merpati::forwarding
