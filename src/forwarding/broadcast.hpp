// A request that every node gets.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "forwarding/kept_request.hpp"
#include "forwarding/owner.hpp"
#include "forwarding/sending_desk.hpp"
#include "http/body_receiver.hpp"
#include "http/reply.hpp"
#include "http/request.hpp"

namespace merpati::forwarding {

/// Operation: the answer is that of a node that could not take its part, if there is one; or else
/// of one that took it (200); or else of one that knew nobody whom the request concerns
/// (`KnowsNobody`). One that could not take it and says so before the body has come answers at
/// once.
///
/// Limits: it keeps the whole body, whose bounds are the route's.
///
/// Threads: any.
class Broadcast final : public std::enable_shared_from_this<Broadcast> {
public:
    /// Whether a node, by its answer, knew nobody whom the request concerns.
    using KnowsNobody = bool (*)(const http::Reply&);

    Broadcast(const http::Request& request, http::Responder responder, KnowsNobody knows_nobody)
        : kept_(request), responder_(std::move(responder)), knows_nobody_(knows_nobody) {}

    /// The right to give one node's answer.
    [[nodiscard]] http::Responder answer();

    void add(std::string_view piece) { kept_.add(piece); }
    /// The body is complete. `others`: a shard of each other node.
    void send(const SendingDesk& desk, std::span<const Shard> others);

    /// Whether it was answered before the body came.
    [[nodiscard]] bool is_answered() const;

private:
    class Answer;
    enum class Part : std::uint8_t { knows_nobody, taken, not_taken };
    [[nodiscard]] Part part_in(const http::Reply& reply) const;
    void note(http::Reply reply);
    void settle();

    KeptWhole kept_;
    mutable std::mutex mutex_;
    std::optional<http::Responder> responder_;
    const KnowsNobody knows_nobody_;
    std::optional<http::Reply> best_;
    int awaited_ = 0;
    bool is_sent_ = false;
};

/// Gives a body to this node's own receiver and to the others.
class BroadcastBody final : public http::BodyReceiver {
public:
    using Send = std::move_only_function<void(Broadcast&)>;

    /// `here` null: this node has answered. `send` sends the whole to the others.
    BroadcastBody(std::shared_ptr<Broadcast> broadcast, std::unique_ptr<http::BodyReceiver> here,
                  Send send)
        : broadcast_(std::move(broadcast)), here_(std::move(here)), send_(std::move(send)) {}

    void take(std::string piece, http::PieceHold hold) override;
    void finish() override;

private:
    const std::shared_ptr<Broadcast> broadcast_;
    const std::unique_ptr<http::BodyReceiver> here_;
    Send send_;
};

}  // namespace merpati::forwarding
