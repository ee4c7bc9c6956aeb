// merpati message …
#include <cstdint>
#include <limits>
#include <ostream>
#include <vector>

#include <CLI/App.hpp>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/request_command.hpp"

namespace merpati::cli {
namespace {

constexpr Column sheet[]{"id",          "state",       "account",        "from",
                         "to",          "type",        {"body", "text"}, "media",
                         "template",    "variables",   "sent_as",        "revision",
                         "attempts",    "accepted_at", "due_at",         "next_attempt_at",
                         "finished_at", "code",        "details",        "platform_id",
                         "callback",    "campaign",    "retry_of",       "retried_as"};

constexpr Column list_columns[]{"id",   "state", "account",  "from",       "to",
                                "type", "code",  "attempts", "accepted_at"};

constexpr Column callback_columns[]{
    {"id", "callback"},      "state",          "attempts", {"last_status", "status"},
    {"last_error", "error"}, "next_attempt_at"};

constexpr Column waits_sheet[]{{"for", "waits for"}, {"text", "because"}, "since", "until"};

constexpr Column timeline_columns[]{
    "at",
    "step",
    "for",
    "until",
    "code",
    "details",
    {"took_ms", "took (ms)"},
    {"count", "left out"},
    "id",
};

/// Which messages `list` and `export` take.
std::vector<Parameter> filters() {
    return {
        account_filter(),
        state_filter({"pending", "sending", "handed_over", "sent", "failed", "cancelled", "held"}),
        {.name = "--to", .help = "Only to this number", .shape = "NUMBER", .field = "to"},
        {.name = "--device",
         .help = "Only by this device",
         .shape = "NUMBER",
         .check = phone_number(),
         .field = "device"},
        {.name = "--code",
         .help = "Only those that ended with this code",
         .shape = "CODE",
         .check = whole_number(1, std::numeric_limits<std::uint16_t>::max()),
         .field = "code"},
        {.name = "--source",
         .help = "Only of this source",
         .words = {"api", "campaign"},
         .field = "source"},
        {.name = "--since",
         .help = "Accepted then or later",
         .shape = "TIME",
         .check = rfc3339_time(),
         .field = "since"},
        {.name = "--until",
         .help = "Accepted before",
         .shape = "TIME",
         .check = rfc3339_time(),
         .field = "until"},
        {.name = "--text",
         .help = "Only with all these words in the details",
         .shape = "WORDS",
         .field = "text"},
    };
}

/// Prints the record, the reason of its wait, its callbacks and its timeline; with --json as one
/// object.
int show(Session& session, boost::json::value& answer, const std::string& id) {
    const auto timeline = session.ask_all("/messages/" + percent_encode(id) + "/timeline");
    if (!timeline) {
        return session.fail(timeline.error());
    }
    if (session.json()) {
        answer.as_object()["timeline"] = *timeline;
        return session.print(answer);
    }
    const int code = session.show(answer, sheet);
    auto& out = session.console().out;
    if (const auto* waits = answer.at("waits").if_object()) {
        out << '\n' << render_record(*waits, waits_sheet);
    }
    const auto& callbacks = answer.at("callbacks").as_array();
    if (!callbacks.empty()) {
        out << '\n' << render_table(callbacks, callback_columns, "");
    }
    out << '\n' << render_table(*timeline, timeline_columns, "");
    return code;
}

std::vector<RequestCommand> queries() {
    return {
        {.text = {.name = "list",
                  .summary = "List messages, newest first, without their text",
                  .details = "A message must match all options. Words match whole words, in any "
                             "case and\norder.",
                  .example = "merpati message list --to 6281234567890 --state failed --limit 20"},
         .path = "/messages",
         .parameters = filters(),
         .columns = list_columns,
         .when_empty = "There are no such messages.",
         .is_long = true},
        {.text = {.name = "export",
                  .summary = "Print all messages, newest first, as JSON lines or CSV",
                  .details = "Leaves out the texts. The output is streamed, so its size does not "
                             "matter.\nIn CSV (RFC 4180) a value that a spreadsheet would take for "
                             "a formula begins\nwith an apostrophe.",
                  .example = "merpati message export --state failed --format csv > failed.csv"},
         .path = "/messages/export",
         .parameters = filters(),
         .formats = {"ndjson", "csv"}},
        {.text = {.name = "show",
                  .summary = "Show a message: its state, what it waits for, its history",
                  .example = "merpati message show 019c3f3e-7d00-7abc-8def-0123456789ab"},
         .path = "/messages/{}",
         .parameters = {{.name = "REQUEST_ID", .help = "The requestId in the answer to the send"},
                        {.name = "--body",
                         .help = "Show the message's text too",
                         .field = "body",
                         .is_flag = true}},
         .show = show},
    };
}

RequestCommand on_message(const CommandText& text, std::string_view path) {
    return {.text = text,
            .method = http::Method::post,
            .path = path,
            .parameters = {{.name = "REQUEST_ID", .help = "The message"}},
            .columns = sheet};
}

std::vector<RequestCommand> acts() {
    return {
        on_message({.name = "cancel",
                    .summary = "Cancel a message that waits, and refund its credit",
                    .example = "merpati message cancel 019c3f3e-7d00-7abc-8def-0123456789ab"},
                   "/messages/{}/cancel"),
        on_message({.name = "send-now",
                    .summary = "Make a delayed or retried message due now",
                    .details = "It queues behind messages that are due already. The device's pace "
                               "and cap\nstill apply.",
                    .example = "merpati message send-now 019c3f3e-7d00-7abc-8def-0123456789ab"},
                   "/messages/{}/send-now"),
        on_message({.name = "retry",
                    .summary = "Send a message that failed or was cancelled again, as a new one",
                    .details = "The new message is checked and charged as any other, and names the "
                               "former. A\nmessage can be retried once; so can the new one.",
                    .example = "merpati message retry 019c3f3e-7d00-7abc-8def-0123456789ab"},
                   "/messages/{}/retry"),
        on_message({.name = "fail",
                    .summary = "Fail a held message: refund its credit, and call back",
                    .details = "A message is held if a crash interrupted its send and its account "
                               "asked for\nat-most-once, or if its connector's worker has ended "
                               "twice during its send.\nCheck the device first: the recipient may "
                               "have received it,\nyet the callback will say that it failed. "
                               "`merpati message release` sends it\ninstead.",
                    .example = "merpati message fail 019c3f3e-7d00-7abc-8def-0123456789ab"},
                   "/messages/{}/fail"),
        on_message(
            {.name = "release",
             .summary = "Send a held message after all",
             .details = "A message is held if a crash interrupted its send and its account asked "
                        "for\nat-most-once, or if its connector's worker has ended twice during "
                        "its send.\nThe recipient may receive a released message twice.",
             .example = "merpati message release 019c3f3e-7d00-7abc-8def-0123456789ab"},
            "/messages/{}/release"),
    };
}

}  // namespace

void add_message_commands(Program& program) {
    auto& group = program.add_group(program.root(),
                                    {.name = "message",
                                     .summary = "Messages: what waits, and how the others ended",
                                     .example = "merpati message list --state pending",
                                     .section = section::messages});
    add_request_commands(program, group, queries());
    add_message_media(program, group);
    add_request_commands(program, group, acts());
}

}  // namespace merpati::cli
