// merpati account …

#include <CLI/App.hpp>

#include "api/manage/accounts/limits.hpp"
#include "cli/commands.hpp"
#include "cli/request_command.hpp"

namespace merpati::cli {
namespace {

using api::manage::credit_max;

constexpr Column sheet[]{
    "id",
    "name",
    "plan",
    "credit",
    "expires_at",
    "rate",
    "callback",
    "callback_batch",
    "delivery",
    "devices_max",
    "country",
    "created_at",
    "webhook_secret",
    "previous_valid_until",
};

constexpr Column list_columns[]{"id", "name", "plan", "credit", "expires_at", "rate", "callback"};

constexpr Column ledger_columns[]{"begun_at", "kind",    "charged", "refunded",
                                  "amount",   "balance", "reason"};

constexpr Column usage_columns[]{"account", "day",  "device", "source",
                                 "code",    "sent", "failed", "cancelled"};

const Parameter id{.name = "ID", .help = "The account: acc_1, or 1"};

/// The options that `create` and `set` share.
std::vector<Parameter> choices() {
    return {
        {.name = "--plan",
         .help = "free and trial cannot add devices over the API",
         .words = {"paid", "trial", "free"},
         .field = "plan"},
        {.name = "--credits",
         .help = "Messages left; none: not counted",
         .shape = "N",
         .check = whole_number(0, credit_max),
         .takes_none = true,
         .field = "credit",
         .value_of = as_number},
        {.name = "--expires",
         .help = "End of validity; none: never",
         .shape = "RFC3339",
         .check = rfc3339_time(),
         .takes_none = true,
         .field = "expires_at"},
        {.name = "--rate",
         .help = "Most requests accepted; default: the server's api.rate",
         .shape = "N/s|N/min|none|default",
         .check = rate(),
         .field = "rate"},
        {.name = "--callback",
         .help = "Default URL for status callbacks (https)",
         .shape = "URL",
         .takes_none = true,
         .field = "callback"},
        {.name = "--callback-batch",
         .help = "Post up to N statuses together; each waits up to MS for others",
         .shape = "N/MSms",
         .check = callback_batch(),
         .takes_none = true,
         .field = "callback_batch",
         .value_of = as_batch},
        {.name = "--delivery",
         .help = "Repeat a send that a crash interrupted, or hold it for you",
         .words = {"at-least-once", "at-most-once"},
         .field = "delivery"},
        {.name = "--devices-max",
         .help = "Most devices it may have",
         .shape = "N",
         .check = whole_number(0, api::manage::devices_most),
         .field = "devices_max",
         .value_of = as_number},
        {.name = "--country",
         .help = "Country code of numbers that an audience has with a leading 0 (62)",
         .shape = "CODE",
         .field = "country"},
    };
}

std::vector<RequestCommand> commands() {
    return {
        {.text =
             {.name = "create",
              .summary = "Create an account",
              .details =
                  "Prints the account's webhook secret, which verifies the signatures "
                  "of\ncallbacks. It is not shown again; `account secret rotate` makes a new one.",
              .example = "merpati account create \"Toko Ani\" --credits 1000 --rate 50/s"},
         .method = http::Method::post,
         .path = "/admin/accounts",
         .parameters = joined({{.name = "NAME", .help = "Its name", .field = "name"}}, choices()),
         .columns = sheet,
         .sentence = "Created. The webhook secret is shown only now; next: merpati key create ID",
         .when_lost = "the account {0} was created, but nobody has seen its webhook secret: make a "
                      "new one with `merpati account secret rotate {0}`"},
        {.text = {.name = "list",
                  .summary = "List all accounts",
                  .example = "merpati account list"},
         .path = "/admin/accounts",
         .columns = list_columns,
         .when_empty = "There are no accounts: merpati account create NAME"},
        {.text = {.name = "show",
                  .summary = "Show an account",
                  .example = "merpati account show acc_1"},
         .path = "/admin/accounts/{}",
         .parameters = {id},
         .columns = sheet},
        {.text = {.name = "set",
                  .summary = "Change an account",
                  .details = "Changes only what you give. A running server applies it at once.",
                  .example = "merpati account set acc_1 --plan paid --expires none"},
         .method = http::Method::patch,
         .path = "/admin/accounts/{}",
         .parameters =
             joined({id, {.name = "--name", .help = "Its name", .shape = "NAME", .field = "name"}},
                    choices()),
         .columns = sheet},
        {.text = {.name = "topup",
                  .summary = "Add credit to an account",
                  .details = "If the account's credit was not counted, counting starts at 0.",
                  .example = "merpati account topup acc_1 500"},
         .method = http::Method::post,
         .path = "/admin/accounts/{}/topup",
         .parameters = {id,
                        {.name = "N",
                         .help = "Messages to add",
                         .check = whole_number(1, credit_max),
                         .field = "amount",
                         .value_of = as_number},
                        {.name = "--reason",
                         .help = "A reason for the account's ledger, up to 200 bytes",
                         .shape = "TEXT",
                         .field = "reason"}},
         .columns = sheet},
        {.text = {.name = "credit",
                  .summary = "Show an account's ledger: what changed its credit, newest first",
                  .details = "Messages of the same minute share one row. Failed and cancelled "
                             "messages\nare refunded.",
                  .example = "merpati account credit acc_1"},
         .path = "/account/credit",
         .parameters = {{.name = "ID", .help = "The account: acc_1, or 1", .field = "account"},
                        {.name = "--limit",
                         .help = "How many rows, up to 1000 (50)",
                         .shape = "N",
                         .check = whole_number(1, 1'000),
                         .field = "limit",
                         .value_of = as_number}},
         .columns = ledger_columns,
         .when_empty = "Nothing: its credit was never counted"},
        {.text = {.name = "usage",
                  .summary = "Count the messages that ended, of an account or of all",
                  .details = "Counts the last 30 days in UTC by default. The counts remain "
                             "when\nretention removes the messages.",
                  .example = "merpati account usage acc_1 --by day,code --offset +07:00"},
         .path = "/usage",
         .parameters = {{.name = "ID",
                         .help = "The account: acc_1, or 1; default: all",
                         .field = "account",
                         .optional = true},
                        {.name = "--by",
                         .help = "Columns to group by: day, device, source, code (day)",
                         .shape = "COLUMNS",
                         .field = "by"},
                        {.name = "--since",
                         .help = "From this hour on",
                         .shape = "RFC3339",
                         .check = rfc3339_time(),
                         .field = "since"},
                        {.name = "--until",
                         .help = "Before this hour",
                         .shape = "RFC3339",
                         .check = rfc3339_time(),
                         .field = "until"},
                        {.name = "--offset",
                         .help = "Where days begin, as an offset from UTC",
                         .shape = "+07:00",
                         .field = "offset"}},
         .columns = usage_columns,
         .when_empty = "No message has ended in that time"},
    };
}

RequestCommand rotate_secret() {
    return {.text = {.name = "rotate",
                     .summary = "Make a new webhook secret, and show it",
                     .details = "Callbacks carry both signatures until the overlap ends, so "
                                "receivers can\nswitch without rejecting any.",
                     .example = "merpati account secret rotate acc_1 --overlap 48h"},
            .method = http::Method::post,
            .path = "/admin/accounts/{}/secret",
            .parameters = {id,
                           {.name = "--overlap",
                            .help = "How long the old secret signs too (24h)",
                            .shape = "DURATION",
                            .check = duration(api::manage::overlap_max),
                            .field = "overlap_seconds",
                            .value_of = as_seconds,
                            .standard = "24h"}},
            .columns = sheet,
            .sentence = "The new secret is shown only now.",
            .when_lost =
                "the account {0} has a new webhook secret, but nobody has seen it: make "
                "another with `merpati account secret rotate {0}`"};
}

}  // namespace

void add_account_commands(Program& program) {
    auto& group = program.add_group(
        program.root(), {.name = "account",
                         .summary = "Accounts: who may send, and how much",
                         .example = "merpati account create \"Toko Ani\"\nmerpati account list",
                         .section = section::accounts});
    add_request_commands(program, group, commands());
    auto& secret =
        program.add_group(group, {.name = "secret",
                                  .summary = "The secret that signs an account's callbacks",
                                  .example = "merpati account secret rotate acc_1"});
    add_request_command(program, secret, rotate_secret());
}

}  // namespace merpati::cli
