// merpati callback …
#include <array>

#include <CLI/App.hpp>

#include "cli/commands.hpp"
#include "cli/list_command.hpp"
#include "cli/request_command.hpp"

namespace merpati::cli {
namespace {

constexpr std::array sheet{
    Column{"id", "id"},
    Column{"state", "state"},
    Column{"kind", "kind"},
    Column{"account", "account"},
    Column{"message", "message"},
    Column{"url", "url"},
    Column{"attempts", "attempts"},
    Column{"last status", "last_status"},
    Column{"last error", "last_error"},
    Column{"next attempt", "next_attempt_at"},
    Column{"created", "created_at"},
};

constexpr std::array list_columns{
    Column{"ID", "id"},
    Column{"STATE", "state"},
    Column{"ACCOUNT", "account"},
    Column{"ATTEMPTS", "attempts"},
    Column{"STATUS", "last_status"},
    Column{"ERROR", "last_error"},
    Column{"URL", "url"},
};

void add_list(Program& program, CLI::App& group) {
    add_list_command(program, group,
                     {.text = {.name = "list",
                               .summary = "List callbacks and device webhooks, newest first",
                               .example = "merpati callback list --state exhausted"},
                      .path = "/callbacks",
                      .states = {"waiting", "delivered", "exhausted", "gone"},
                      .columns = list_columns,
                      .when_empty = "There are no such callbacks."});
}

RequestCommand replay() {
    return {.text = {.name = "replay",
                     .summary = "Deliver a callback again, from its first attempt on",
                     .details =
                         "The receiver gets the same webhook-id and body, with a fresh signature.",
                     .example = "merpati callback replay 019c3f3e-7d00-7abc-8def-0123456789ab"},
            .method = http::Method::post,
            .path = "/callbacks/{}/replay",
            .parameters = {{.name = "ID", .help = "The callback"}},
            .columns = sheet};
}

}  // namespace

void add_callback_commands(Program& program) {
    auto& group = program.add_group(program.root(),
                                    {.name = "callback",
                                     .summary = "Callbacks: who was told, and who could not be",
                                     .example = "merpati callback list --state exhausted",
                                     .section = section::messages});
    add_list(program, group);
    add_request_command(program, group, replay());
}

}  // namespace merpati::cli
