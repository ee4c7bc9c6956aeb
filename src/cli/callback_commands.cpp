// merpati callback …
#include <ostream>

#include <CLI/App.hpp>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/request_command.hpp"

namespace merpati::cli {
namespace {

constexpr Column sheet[]{
    "id",       "state",       "kind",       "account", "message",         "url",
    "attempts", "last_status", "last_error", "batch",   "next_attempt_at", "created_at"};

constexpr Column list_columns[]{
    "id", "state", "account", "attempts", {"last_status", "status"}, {"last_error", "error"},
    "url"};

constexpr Column attempt_columns[]{
    {"number", "attempt"}, "at",    "status", {"took_ms", "took (ms)"}, "error",
    "next_attempt_at",     "answer"};

constexpr Column host_columns[]{
    "origin",  "waiting",       "recent",    {"success_rate", "success"},
    "breaker", "next_probe_at", "last_error"};

constexpr Column replayed_sheet[]{"replayed", "more"};

constexpr Column tested_sheet[]{"delivered", "status", {"took_ms", "took (ms)"}, "error", "answer"};

/// Prints the record and below it each attempt; with --json as one object.
int show(Session& session, boost::json::value& answer, const std::string& id) {
    const auto attempts = session.ask_all("/callbacks/" + percent_encode(id) + "/attempts");
    if (!attempts) {
        return session.fail(attempts.error());
    }
    if (session.json()) {
        answer.as_object()["attempt_list"] = *attempts;
        return session.print(answer);
    }
    const int code = session.show(answer, sheet);
    session.console().out << '\n'
                          << render_table(*attempts, attempt_columns, "There was no attempt yet.");
    return code;
}

std::vector<RequestCommand> commands() {
    return {
        {.text = {.name = "list",
                  .summary = "List callbacks and device webhooks, newest first",
                  .example = "merpati callback list --state exhausted"},
         .path = "/callbacks",
         .parameters = {account_filter(),
                        state_filter({"waiting", "delivered", "exhausted", "gone"})},
         .columns = list_columns,
         .when_empty = "There are no such callbacks.",
         .is_long = true},
        {.text = {.name = "show",
                  .summary = "Show a callback, each attempt, and each answer",
                  .example = "merpati callback show 019c3f3e-7d00-7abc-8def-0123456789ab"},
         .path = "/callbacks/{}",
         .parameters = {{.name = "ID", .help = "The callback: its webhook-id"}},
         .show = show},
        {.text = {.name = "replay",
                  .summary = "Deliver a callback again, from its first attempt on",
                  .details =
                      "The receiver gets the same webhook-id and body, with a fresh signature.",
                  .example = "merpati callback replay 019c3f3e-7d00-7abc-8def-0123456789ab"},
         .method = http::Method::post,
         .path = "/callbacks/{}/replay",
         .parameters = {{.name = "ID", .help = "The callback"}},
         .columns = sheet},
        {.text = {.name = "replay-many",
                  .summary = "Deliver many callbacks of an account again",
                  .details =
                      "Replays callbacks that were given up, or those in --state. Needs at "
                      "least one of\n--since, --until and --state. Takes at most 10,000 at a "
                      "time; \"more\" says that\nothers remain.",
                  .example = "merpati callback replay-many acc_1 --since 2026-11-20T08:00:00Z"},
         .method = http::Method::post,
         .path = "/callbacks/replay",
         .parameters = {account_argument(),
                        {.name = "--since",
                         .help = "Created then or later",
                         .shape = "TIME",
                         .check = rfc3339_time(),
                         .field = "since"},
                        {.name = "--until",
                         .help = "Created before",
                         .shape = "TIME",
                         .check = rfc3339_time(),
                         .field = "until"},
                        state_filter({"exhausted", "gone", "delivered"})},
         .columns = replayed_sheet},
        {.text = {.name = "test",
                  .summary = "Post a signed test callback, and show the answer",
                  .details = "Its message does not exist.",
                  .example = "merpati callback test acc_1"},
         .method = http::Method::post,
         .path = "/callbacks/test",
         .parameters = {account_argument(),
                        {.name = "--url",
                         .help = "The URL (the account's callback URL)",
                         .shape = "URL",
                         .field = "url"}},
         .columns = tested_sheet},
        {.text = {.name = "hosts",
                  .summary = "Show the health of the hosts that receive an account's callbacks",
                  .example = "merpati callback hosts acc_1"},
         .path = "/callbacks/hosts",
         .parameters = {account_argument()},
         .columns = host_columns,
         .when_empty = "Nothing was told to anybody lately."},
    };
}

}  // namespace

void add_callback_commands(Program& program) {
    auto& group = program.add_group(
        program.root(), {.name = "callback",
                         .summary = "Callbacks: what was delivered, and what could not be",
                         .example = "merpati callback list --state exhausted",
                         .section = section::messages});
    add_request_commands(program, group, commands());
}

}  // namespace merpati::cli
