// What other nodes write to the tables that every node has in memory.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "store/records.hpp"

namespace merpati::store {

/// The journal of the directory's rows, where several nodes share a database.
///
/// Operation: each commit of a node that has joined (Nodes::join) notes which accounts, keys,
/// devices, people and sessions it has written or removed. Each node asks for those of all others,
/// reads the rows anew (DirectoryReader::rows_now), and says so when its copies in memory follow. A
/// commit that takes long is not missed, and holds up no other.
///
/// Threads: `changed_rows` and `note_followed` one at a time; `all_follow` any.
///
/// Limits: what was noted is kept for `kept` at least. A node that has not asked for so long is
/// `fenced`.
///
/// Errors of all: unavailable (the database is away), store_failed, fenced (this node was deposed,
/// or has left).
class RowJournal {
public:
    virtual ~RowJournal() = default;

    /// What others have written since the last call, each row once. The first call answers nothing:
    /// the journal is followed from there on, so the copies in memory are loaded afterwards.
    [[nodiscard]] virtual Result<std::vector<DirectoryRow>> changed_rows() = 0;

    /// Says that this node's copies follow everything that `changed_rows` has answered so far.
    [[nodiscard]] virtual Result<void> note_followed() = 0;

    /// A moment of the journal, in the database's words; "": none yet.
    struct Moment {
        std::string text;
    };
    /// Whether all other nodes follow what this one had written by `moment`, which is set to now if
    /// it is none yet. Nodes that follow nothing, because they have just joined, do not count.
    [[nodiscard]] virtual Result<bool> all_follow(Moment& moment) = 0;

    static constexpr std::chrono::minutes kept{10};
};

}  // namespace merpati::store
