// merpati connector …

#include <CLI/App.hpp>

#include "cli/commands.hpp"
#include "cli/request_command.hpp"

namespace merpati::cli {
namespace {

constexpr Column list_columns[]{"name", "kind", "default", "pairing", "running", "trouble"};

}  // namespace

void add_connector_commands(Program& program) {
    auto& group = program.add_group(
        program.root(), {.name = "connector",
                         .summary = "Connectors: the ways by which devices reach their platforms",
                         .example = "merpati connector list",
                         .section = section::accounts});
    add_request_command(
        program, group,
        {.text = {.name = "list",
                  .summary = "List the connectors of this server, and whether they run",
                  .details = "simulated: nothing leaves the server. unofficial: a linked device of "
                             "a\nperson's phone, which the platform does not permit to programs. "
                             "official: the\nplatform's interface for businesses. custom: a worker "
                             "of the settings file.",
                  .example = "merpati connector list"},
         .path = "/connectors",
         .columns = list_columns,
         .when_empty = "There are no connectors."});
}

}  // namespace merpati::cli
