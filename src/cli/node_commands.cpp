// merpati node …

#include <CLI/App.hpp>

#include "cli/commands.hpp"
#include "cli/request_command.hpp"

namespace merpati::cli {
namespace {

constexpr Column node_columns[]{"name",   "state", "accounts", "version", {"seen_at", "seen at"},
                                "address"};

}  // namespace

void add_node_commands(Program& program) {
    auto& group =
        program.add_group(program.root(), {.name = "node",
                                           .summary = "Nodes: the servers that share a database",
                                           .example = "merpati node list",
                                           .section = section::operation});
    add_request_command(
        program, group,
        {.text = {.name = "list",
                  .summary = "List the servers that share the database, and the accounts of each",
                  .details = "With cluster.listen each of them works for a part of the accounts; "
                             "without it one\nworks, and the others wait to take over "
                             "(docs/scaling.md). Works also while all\nof them are stopped.",
                  .example = "merpati node list"},
         .path = "/admin/nodes",
         .columns = node_columns,
         .when_empty = "No servers share this store."});
}

}  // namespace merpati::cli
