// Leads requests to the nodes that work for their accounts.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "admission/ownership.hpp"
#include "api/callers.hpp"
#include "api/cloud_webhook.hpp"
#include "api/routes.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/random.hpp"
#include "config/settings.hpp"
#include "daemon/platform_posts.hpp"
#include "forwarding/body_room.hpp"
#include "forwarding/forwarder.hpp"
#include "forwarding/node_secret.hpp"
#include "forwarding/receiving_desk.hpp"
#include "forwarding/sending_desk.hpp"
#include "http/router.hpp"
#include "http/server.hpp"
#include "store/nodes.hpp"
#include "telemetry/log.hpp"

namespace merpati::daemon {

/// Operation: `start` listens on `cluster.listen`, before the node joins, and says that it works
/// for nothing. `open` gives it the rooms. From then on each request for this node's own addresses
/// is carried out here if its account is here, and passed on otherwise (api::place_of). The account
/// of a key is known at once, as are that of a person who has only one, and one that the query
/// names. Otherwise the operation itself finds out, before it does anything, that its account is
/// elsewhere (api/manage/engine/whereabouts.hpp); then its request is passed on, of which a copy
/// was kept. That is also how a request goes on whose account moves meanwhile. Until its account
/// has left, the operation says whether the request can be carried out here still
/// (admission::Stay).
///
/// Posts of the official platform go to all nodes (PlatformPosts).
///
/// Limits: those of Forwarder, of the desks and of PlatformPosts. An upload of which something was
/// read before its account moved is answered 503. Export and import of a device's secrets are not
/// passed on: files of this machine are the operator's here.
///
/// Threads: the servers'; `note_owners`, `is_dead`, `is_settled`, `settled_moves` and
/// `passed_total` any; the rest the owner's.
class Front final : public api::Gate {
public:
    Front(const Clock& clock, Random& random, const config::Settings& settings,
          const telemetry::Log& log, const forwarding::NodeSecret& secret);
    ~Front() override { stop(); }
    Front(const Front&) = delete;
    Front& operator=(const Front&) = delete;

    /// Errors: of http::Server.
    [[nodiscard]] Result<void> start();

    /// Where other nodes reach this one.
    [[nodiscard]] const std::string& told_address() const noexcept { return told_address_; }

    /// Who works for what. `self`: this node.
    void note_owners(const store::NodeGeneration& self, const std::vector<store::Node>& nodes,
                     const std::vector<store::ShardOwner>& owners);
    /// See Forwarder::is_dead.
    [[nodiscard]] bool is_dead(const store::Node& node) const;

    /// Before routes are guarded. All must outlive the servers of these routes.
    void attend(const admission::Ownership& ownership, const api::Callers& callers,
                const api::CloudWebhook& webhook);
    /// From now on requests of other nodes are taken, with these handlers, which must not be
    /// guarded.
    void open(const http::Router& routes) { receiving_.open(routes); }

    /// Other nodes are told to look elsewhere. They know before that this one leaves.
    void leave();
    /// Waits until all others have seen that, and until their requests are answered.
    void drain(std::chrono::milliseconds patience);
    /// Idempotent.
    void stop();

    // api::Gate
    [[nodiscard]] http::Handler guard(const api::Operation& operation,
                                      http::Handler handler) override;
    [[nodiscard]] http::UploadHandler guard(const api::Operation& operation,
                                            http::UploadHandler handler) override;

    /// Whether every shard has an owner, as all nodes know, and those of this node are attached.
    [[nodiscard]] bool is_settled() const;
    /// How often shards have moved, as far as this node knows; empty while it is not settled.
    [[nodiscard]] std::optional<std::uint64_t> settled_moves() const;
    [[nodiscard]] std::uint64_t passed_total() const noexcept { return forwarder_.passed_total(); }

private:
    /// Of bodies that are kept until their requests are answered (forwarding/kept_body.hpp), shared
    /// among the callers.
    static constexpr std::size_t kept_max = std::size_t{32} << 20;
    /// Until others know who works for what: twice as long as between two looks at the nodes.
    static constexpr std::chrono::milliseconds known_within{500};
    /// Until others send nothing more to a node that leaves. Its accounts must be others' within a
    /// second.
    static constexpr std::chrono::milliseconds quiet_within{300};

    /// The shard whose node carries the request out. Empty: it is not known yet, or this one.
    [[nodiscard]] std::optional<store::Shard> shard_of(const api::Operation& operation,
                                                       const http::Request& request) const;
    [[nodiscard]] bool is_here(store::Shard shard) const;
    /// Whether the operation may be carried out by this node's rooms.
    [[nodiscard]] bool may_be_here(const api::Operation& operation, store::Shard shard) const;
    [[nodiscard]] std::unique_ptr<http::BodyReceiver> keep_body(const http::UploadHandler& handler,
                                                                const http::Request& request,
                                                                http::Responder responder,
                                                                http::PieceHold hold,
                                                                std::optional<store::Shard> shard);
    /// Of a request that was found to be elsewhere. `known`: its shard, if the answer names none.
    void pass_on(const api::Operation& operation, std::optional<store::Shard> shard,
                 const http::Request& request, http::Responder responder) const;
    void refuse_files(store::Shard shard, http::Responder responder) const;
    /// A shard of each other node that works.
    [[nodiscard]] std::vector<forwarding::Shard> others() const;
    /// How often shards have changed hands.
    [[nodiscard]] std::uint64_t moves() const;

    const Clock& clock_;
    const telemetry::Log log_;
    const forwarding::NodeSecret secret_;
    forwarding::Forwarder forwarder_;
    forwarding::SendingDesk sending_;
    forwarding::ReceivingDesk receiving_;
    forwarding::BodyRoom kept_room_{kept_max};
    PlatformPosts posts_{{.sending = sending_,
                          .others = [this] { return others(); },
                          .moves = [this] { return moves(); }}};
    http::Router cluster_router_;
    http::Server cluster_server_;
    std::string told_address_;
    const admission::Ownership* ownership_ = nullptr;
    const api::Callers* callers_ = nullptr;
    mutable std::mutex mutex_;
    std::optional<std::int64_t> self_;              // This node.
    SteadyTime moved_at_{};                         // When owners of shards have changed.
    std::uint64_t moves_ = 0;                       // How often.
    bool has_others_ = false;                       // Other nodes are at work.
    std::optional<SteadyTime> left_at_;             // Empty too if there are no others.
    std::vector<std::string> names_;                // By shard: of its node; "": nobody.
    std::vector<std::optional<std::int64_t>> ids_;  // The same.
};

/// Null: cluster.listen is unset. Errors: of NodeSecret::open and of http::Server.
[[nodiscard]] Result<std::unique_ptr<Front>> start_front(const Clock& clock, Random& random,
                                                         const config::Settings& settings,
                                                         const telemetry::Log& log);

}  // namespace merpati::daemon
