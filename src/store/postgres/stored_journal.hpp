// The journal of the directory's rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "store/nodes.hpp"
#include "store/postgres/connection.hpp"
#include "store/row_journal.hpp"

namespace merpati::store::postgres {

/// Notes which rows of the directory a transaction has written. From time to time it removes what
/// any node noted longer than RowJournal::kept ago, so that the journal stays small also where
/// nobody follows it, and where a node never comes back. A removal reads a bounded number of rows,
/// and waits for no other node.
///
/// Threads: the writer's.
class JournalWriter {
public:
    explicit JournalWriter(Connection& connection);

    /// From now on rows are noted as written by this node; nobody follows those of a process that
    /// has not joined.
    void join(const NodeGeneration& self) { self_ = self; }

    /// Call inside the transaction. Throws Failure.
    void write(std::span<const RowChange> changes);

    /// How many rows are noted between two removals.
    static constexpr std::size_t remove_every = 256;
    /// How many rows a removal looks at, at each end of the journal. More than `remove_every`, so
    /// that a journal that is too long gets shorter.
    static constexpr std::size_t looked_at = 2 * remove_every;

private:
    sql::Statement insert_;
    sql::Statement remove_old_;
    std::optional<NodeGeneration> self_;
    std::size_t until_removal_ = 0;
};

/// See RowJournal. Has a connection of its own, so that a node follows others while it writes a
/// batch, or renews its lease.
///
/// Operation: a snapshot of the database says which transactions had ended. Each call reads the
/// rows of those that had not ended in the snapshot of the call before. So it does not matter how
/// long a transaction takes. A server that crashed may give numbers of transactions again: after
/// another session has begun, everything is read that the journal still has.
class StoredJournal final : public RowJournal {
public:
    explicit StoredJournal(ConnectionSettings settings);

    /// As Connection::demand_durability.
    void demand_durability(bool must_sync) noexcept { connection_.demand_durability(must_sync); }

    /// Call it once the node has joined, before the rest.
    void join(const NodeGeneration& self);

    Result<std::vector<DirectoryRow>> changed_rows() override;
    Result<void> note_followed() override;
    Result<bool> all_follow(Moment& moment) override;

private:
    template <class Body>
    auto guarded(Body body) -> decltype(body());
    [[nodiscard]] const NodeGeneration& self() const;
    /// What was in the database at one moment.
    struct Look {
        std::string snapshot;
        std::string server;  // Which one answered, since when.
        std::uint64_t session = 0;
        std::int64_t at = 0;  // By the database's clock, in milliseconds.
        std::vector<DirectoryRow> rows{};
    };
    [[nodiscard]] Look look(std::string_view rows);
    void check_not_late(const Look& found) const;
    void write_followed();

    std::mutex mutex_;
    Connection connection_;
    std::optional<NodeGeneration> self_;  // Set by `join`.
    std::optional<Look> last_;            // Without its rows.
};

}  // namespace merpati::store::postgres
