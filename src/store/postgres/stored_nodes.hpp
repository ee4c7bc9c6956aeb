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
    /// `joined` is called with the generation of this process.
    using Joined = std::function<void(const NodeGeneration&)>;

    StoredNodes(ConnectionSettings settings, Joined joined);

    /// As Connection::demand_durability.
    void demand_durability(bool must_sync) noexcept { connection_.demand_durability(must_sync); }

    Result<NodeGeneration> join(const NodeEntry& entry, Millis lease) override;
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
    [[nodiscard]] NodeGeneration begin_generation(const NodeEntry& entry, Millis lease);
    [[nodiscard]] bool end_generation(const NodeGeneration& node, std::string_view condition);
    void check_schema();
    void free_shards(const NodeGeneration& node);

    std::mutex mutex_;
    Connection connection_;
    const Joined joined_;
    std::optional<NodeGeneration> self_;  // Set by `join`.
};

}  // namespace merpati::store::postgres
