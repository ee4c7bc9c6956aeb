// The rows of nodes.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "store/nodes.hpp"
#include "store/postgres/connection.hpp"

namespace merpati::store::postgres {

/// See Nodes. Has a connection of its own, so that a node renews its lease while a batch is
/// written.
class StoredNodes final : public Nodes {
public:
    /// Called on the threads of the callers of Nodes. None is empty.
    struct Listeners {
        std::function<void(const NodeGeneration& self)> on_joined;
        /// Shards were claimed, before `claim` returns. Other nodes may have written their rows.
        std::function<void()> on_claimed;
    };
    StoredNodes(ConnectionSettings settings, Listeners listeners);

    /// As Connection::demand_durability.
    void demand_durability(bool must_sync) noexcept { connection_.demand_durability(must_sync); }

    Result<NodeGeneration> join(const NodeEntry& entry, Millis lease) override;
    [[nodiscard]] std::optional<IdSlot> slot() const override;
    Result<void> renew() override;
    Result<std::vector<Node>> list() override;
    Result<std::vector<ShardOwner>> owners() override;
    Result<std::vector<Shard>> claim(std::span<const Shard> shards) override;
    Result<void> release(std::span<const Shard> shards) override;
    Result<void> announce_leave() override;
    Result<void> leave() override;
    Result<bool> depose(const NodeGeneration& other, Millis silent_for) override;

private:
    template <class Body>
    auto guarded(Body body) -> decltype(body());
    template <class Body>
    auto written(Body body) -> decltype(body());
    [[nodiscard]] const NodeGeneration& self() const;
    /// A generation that has begun; of node 0: the node is at work. No slot: all are taken.
    struct Begun {
        NodeGeneration id;
        std::optional<IdSlot> slot{};
    };
    [[nodiscard]] std::optional<std::string> user_of_address(const NodeEntry& entry, Millis lease);
    [[nodiscard]] Begun begin_generation(const NodeEntry& entry, Millis lease);
    [[nodiscard]] bool end_generation(const NodeGeneration& node, std::string_view condition);
    void check_schema();
    void free_shards(const NodeGeneration& node);

    mutable std::mutex mutex_;
    Connection connection_;
    const Listeners listeners_;
    std::optional<NodeGeneration> self_;  // Set by `join`.
    std::optional<IdSlot> slot_;          // The same.
};

}  // namespace merpati::store::postgres
