// The number of a transaction, by which a commit without an answer is looked up.
#pragma once

#include <cstdint>
#include <string>

#include "store/nodes.hpp"

namespace merpati::store::postgres {

// Each function returns a statement, whose only row has one column.
//
// A server that crashed gives numbers again that it had given before, if its log does not have
// them. Then the status of a number is that of another transaction. So each transaction of a node
// leaves its number in a row, which is there only if that transaction was committed.

/// Of the open transaction.
[[nodiscard]] std::string read_number();
/// The same, and leaves it in a row of the node.
[[nodiscard]] std::string leave_number(const NodeGeneration& node);
/// Of the server's log; a standby that becomes the primary begins another.
[[nodiscard]] std::string read_timeline();

/// As pg_xact_status; `aborted` if the server has not given the number yet, or gives it to the
/// transaction that asks. Locks a row, so that the transaction that asks writes.
[[nodiscard]] std::string read_status(std::int64_t number);
/// NULL on another timeline.
[[nodiscard]] std::string read_status_on_timeline(std::int64_t number, std::int64_t timeline);
/// What the node has left where it leaves this number; "": nothing.
[[nodiscard]] std::string read_left(const NodeGeneration& node, std::int64_t number);

}  // namespace merpati::store::postgres
