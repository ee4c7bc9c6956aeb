#include "store/postgres/stored_nodes.hpp"

#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/assert.hpp"
#include "store/postgres/database_clock.hpp"
#include "store/postgres/schema.hpp"

namespace merpati::store::postgres {
namespace {

using sql::Failure;

/// Longer than an idle transaction of the other node may last (Connection::begin).
constexpr std::chrono::milliseconds patience{6'000};

/// Held by who joins, until the end of the transaction, so that two do not take one slot: "Merq".
constexpr const char* join_lock = "SELECT pg_advisory_xact_lock(1298494065)";

constexpr std::array<std::string_view, 3> states{"live", "leaving", "gone"};

std::string_view text_of(Node::State state) {
    return states.at(static_cast<std::size_t>(state));
}

Node::State state_of(const sql::Cursor& row, int column) {
    for (const auto state : {Node::State::live, Node::State::leaving, Node::State::gone}) {
        if (row.text(column) == text_of(state)) {
            return state;
        }
    }
    return row.parsed(column, std::optional<Node::State>{});
}

std::string list_of(std::span<const Shard> shards) {
    return fmt::format("{}", fmt::join(shards, ","));
}

/// Gives shards to `owner`, both in SQL, and returns their ids. They are locked in one order, so
/// that two nodes never wait for each other. Their generation changes with each owner.
std::string give_shards(std::string_view owner, std::string_view condition) {
    return fmt::format(
        "WITH given AS MATERIALIZED (SELECT id FROM shard WHERE {} ORDER BY id FOR UPDATE) "
        "UPDATE shard SET node = {}, generation = generation + 1 FROM given "
        "WHERE shard.id = given.id RETURNING shard.id",
        condition, owner);
}

constexpr std::string_view is_listed = "id = ANY(string_to_array(?2, ',')::bigint[])";

}  // namespace

StoredNodes::StoredNodes(ConnectionSettings settings, Listeners listeners)
    : connection_(std::move(settings)), listeners_(std::move(listeners)) {
    connection_.wait_for_locks(patience);
}

Result<NodeGeneration> StoredNodes::join(const NodeEntry& entry, Millis lease) {
    const auto begun = written([&]() -> Result<Begun> {
        invariant(!self_, "a process joins once");
        (void)connection_.query_text(join_lock);
        if (const auto other = user_of_address(entry, lease)) {
            return fail(ErrorCode::conflict,
                        fmt::format("the node \"{}\" is at work at the address {}: give this one "
                                    "its own with cluster.listen or cluster.address, or stop the "
                                    "other",
                                    *other, entry.address));
        }
        auto made = begin_generation(entry, lease);
        if (made.id.node == 0) {
            return fail(ErrorCode::conflict,
                        fmt::format("the node \"{}\" is at work: give this one another name with "
                                    "cluster.node, or stop the other",
                                    entry.name));
        }
        if (!made.slot) {
            return fail(ErrorCode::refused,
                        fmt::format("{} nodes are at work on this database, and there cannot be "
                                    "more: stop one of them",
                                    id_slots));
        }
        return made;
    });
    if (!begun) {
        return pass(begun);
    }
    const std::lock_guard lock{mutex_};
    self_ = begun->id;
    slot_ = begun->slot;
    connection_.fence(begun->id);
    listeners_.on_joined(begun->id);
    return begun->id;
}

std::optional<IdSlot> StoredNodes::slot() const {
    const std::lock_guard lock{mutex_};
    return slot_;
}

/// Another node that was seen within `lease` where others would look for this one. Requests for
/// either would reach the same process.
std::optional<std::string> StoredNodes::user_of_address(const NodeEntry& entry, Millis lease) {
    if (entry.address.empty()) {
        return std::nullopt;
    }
    sql::Statement find{
        connection_,
        fmt::format("SELECT o.name FROM node o LEFT JOIN node_heartbeat h ON h.node = o.id "
                    "WHERE o.address = ?1 AND o.name <> ?2 AND o.state <> 'gone' "
                    "AND greatest(o.joined_at, h.seen_at) > {} - ?3 LIMIT 1",
                    now)};
    auto row = find.query(entry.address, entry.name, lease.count());
    return row.next() ? std::optional{std::string{row.text(0)}} : std::nullopt;
}

/// Of two processes with one name that start at once, the second waits for the row, and then sees
/// `joined_at`, but not the heartbeat. Before a slot is another node's, the commits of the node
/// that had it have ended: who ends a generation waits for them.
StoredNodes::Begun StoredNodes::begin_generation(const NodeEntry& entry, Millis lease) {
    sql::Statement add{
        connection_,
        "INSERT INTO node(name, generation, state, address, version, joined_at, slot) "
        "VALUES(?, 0, 'gone', '', '', 0, 0) ON CONFLICT(name) DO NOTHING"};
    add.run(entry.name);
    sql::Statement begin{
        connection_,
        fmt::format("UPDATE node SET generation = generation + 1, state = 'live', address = ?2, "
                    "version = ?3, joined_at = {0}, slot = coalesce((SELECT min(s) FROM "
                    "generate_series(0, {1}) s WHERE NOT EXISTS (SELECT 1 FROM node o WHERE "
                    "o.slot = s AND o.state <> 'gone' AND o.id <> node.id)), -1) "
                    "WHERE name = ?1 AND (state = 'gone' OR "
                    "(joined_at <= {0} - ?4 AND NOT EXISTS (SELECT 1 FROM node_heartbeat h WHERE "
                    "h.node = node.id AND h.seen_at > {0} - ?4))) RETURNING id, generation, slot",
                    now, id_slots - 1)};
    Begun made;
    {
        auto row = begin.query(entry.name, entry.address, entry.version, lease.count());
        if (!row.next()) {
            return {};
        }
        made.id = {.node = row.integer(0), .generation = row.integer(1)};
        if (const auto slot = row.integer(2); slot >= 0) {
            made.slot = static_cast<IdSlot>(slot);
        }
    }
    free_shards(made.id);
    sql::Statement note{connection_,
                        fmt::format("INSERT INTO node_heartbeat(node, seen_at) VALUES(?1, {0}) "
                                    "ON CONFLICT(node) DO UPDATE SET seen_at = {0}, read_to = NULL",
                                    now)};
    note.run(made.id.node);
    return made;
}

Result<void> StoredNodes::renew() {
    return written([&]() -> Result<void> {
        sql::Statement note{
            connection_, fmt::format("UPDATE node_heartbeat SET seen_at = {} WHERE node = ?", now)};
        note.run(self().node);
        return {};
    });
}

Result<std::vector<Node>> StoredNodes::list() {
    return guarded([&]() -> Result<std::vector<Node>> {
        sql::Statement find{
            connection_,
            fmt::format("SELECT n.id, n.generation, n.name, n.address, n.version, n.state, "
                        "n.joined_at, coalesce(h.seen_at, 0), {} - coalesce(h.seen_at, 0) "
                        "FROM node n LEFT JOIN node_heartbeat h ON h.node = n.id ORDER BY n.name",
                        now)};
        std::vector<Node> found;
        for (auto row = find.query(); row.next();) {
            found.push_back({.id = {.node = row.integer(0), .generation = row.integer(1)},
                             .entry = {.name = std::string{row.text(2)},
                                       .address = std::string{row.text(3)},
                                       .version = std::string{row.text(4)}},
                             .state = state_of(row, 5),
                             .joined_at = row.time(6),
                             .seen_at = row.time(7),
                             .silent_for = Millis{row.integer(8)}});
        }
        return found;
    });
}

Result<std::vector<ShardOwner>> StoredNodes::owners() {
    return guarded([&]() -> Result<std::vector<ShardOwner>> {
        sql::Statement find{connection_,
                            "SELECT s.id, n.id, n.generation FROM shard s LEFT JOIN node n ON "
                            "n.id = s.node ORDER BY s.id"};
        std::vector<ShardOwner> found;
        for (auto row = find.query(); row.next();) {
            auto& one = found.emplace_back(ShardOwner{.shard = row.integer(0), .owner = {}});
            if (!row.null(1)) {
                one.owner = {.node = row.integer(1), .generation = row.integer(2)};
            }
        }
        return found;
    });
}

Result<std::vector<Shard>> StoredNodes::claim(std::span<const Shard> shards) {
    auto claimed = written([&]() -> Result<std::vector<Shard>> {
        check_schema();
        sql::Statement take{connection_,
                            give_shards("?1", fmt::format("node IS NULL AND {}", is_listed))};
        std::vector<Shard> taken;
        const auto list = list_of(shards);
        for (auto row = take.query(self().node, list); row.next();) {
            taken.push_back(row.integer(0));
        }
        return taken;
    });
    if (!claimed || !claimed->empty()) {  // A failure may hide a commit.
        listeners_.on_claimed();
    }
    return claimed;
}

/// A node may have waited while somebody migrated the store, or restored another one.
void StoredNodes::check_schema() {
    const auto found = stored_schema(connection_).value_or(StoredSchema{});
    if (!found.fits()) {
        throw Failure{Failure::Kind::fenced,
                      fmt::format("the store's schema is version {} now, this program knows {}",
                                  found.version, schema_version())};
    }
}

Result<void> StoredNodes::release(std::span<const Shard> shards) {
    return written([&]() -> Result<void> {
        sql::Statement give{connection_,
                            give_shards("NULL", fmt::format("node = ?1 AND {}", is_listed))};
        give.run(self().node, list_of(shards));
        return {};
    });
}

Result<void> StoredNodes::announce_leave() {
    return written([&]() -> Result<void> {
        sql::Statement announce{
            connection_, "UPDATE node SET state = 'leaving' WHERE id = ? AND generation = ?"};
        announce.run(self().node, self().generation);
        if (connection_.changes() == 0) {
            throw Failure{Failure::Kind::fenced, "this node was deposed"};
        }
        return {};
    });
}

/// Whatever the heartbeats say: their times are of a clock that may have been set.
Result<void> StoredNodes::leave() {
    return written([&]() -> Result<void> {
        if (!end_generation(self(), "true")) {
            throw Failure{Failure::Kind::fenced, "this node was deposed"};
        }
        return {};
    });
}

Result<bool> StoredNodes::depose(const NodeGeneration& other, Millis silent_for) {
    const auto was_silent = fmt::format(
        "NOT EXISTS (SELECT 1 FROM node_heartbeat h WHERE h.node = node.id AND h.seen_at > {} - "
        "{})",
        now, silent_for.count());
    return written([&]() -> Result<bool> {
        return end_generation(other, silent_for > Millis{0} ? was_silent : "true");
    });
}

/// Each commit of the node locks its row, so this waits for the one in progress, and all later ones
/// find another generation. False: that has happened before, or `condition` does not hold.
bool StoredNodes::end_generation(const NodeGeneration& node, std::string_view condition) {
    sql::Statement end{connection_,
                       fmt::format("UPDATE node SET generation = generation + 1, state = 'gone' "
                                   "WHERE id = ?1 AND generation = ?2 AND state <> 'gone' AND {}",
                                   condition)};
    end.run(node.node, node.generation);
    if (connection_.changes() == 0) {
        return false;
    }
    free_shards(node);
    return true;
}

void StoredNodes::free_shards(const NodeGeneration& node) {
    sql::Statement free{connection_, give_shards("NULL", "node = ?")};
    free.run(node.node);
}

/// Turns a Failure into an Error.
template <class Body>
auto StoredNodes::guarded(Body body) -> decltype(body()) {
    const std::lock_guard lock{mutex_};
    try {
        return body();
    } catch (const Failure& failure) {
        connection_.roll_back();
        return fail(failure.is_busy() ? ErrorCode::busy : sql::code_of(failure.kind()),
                    failure.what());
    }
}

/// Runs `body` in a transaction, which is undone if it fails. After `join` it is this node's.
template <class Body>
auto StoredNodes::written(Body body) -> decltype(body()) {
    return guarded([&] {
        connection_.begin();
        auto result = body();
        if (result) {
            connection_.commit();
        } else {
            connection_.roll_back();
        }
        return result;
    });
}

const NodeGeneration& StoredNodes::self() const {
    invariant(self_.has_value(), "a node joins first");
    return *self_;
}

}  // namespace merpati::store::postgres
