// merpati suppression …

#include <CLI/App.hpp>

#include "cli/commands.hpp"
#include "cli/contacts/people_file.hpp"
#include "cli/request_command.hpp"

namespace merpati::cli {
namespace {

constexpr Column suppression_sheet[]{"number", "account", "reason", "campaign", "at"};

constexpr Column suppression_columns[]{"number", "reason", "campaign", "at"};

constexpr Column removed_suppression_sheet[]{"number", "removed"};

constexpr Column imported_suppressions_sheet[]{"rows", "added", "invalid", "duplicate"};

const Parameter suppressed_number{.name = "NUMBER", .help = "The number"};
const Parameter suppressing_account = required_account("Whose campaigns: acc_1, or 1");

RequestCommand list() {
    return {.text = {.name = "list",
                     .summary = "List suppressed numbers, in the order of numbers",
                     .example = "merpati suppression list --account acc_1"},
            .path = "/suppressions",
            .parameters = {required_account(),
                           {.name = "--number",
                            .help = "Only those that begin so: 62812",
                            .shape = "DIGITS",
                            .field = "number"}},
            .columns = suppression_columns,
            .when_empty = "No number is suppressed.",
            .is_long = true};
}

RequestCommand show() {
    return {.text = {.name = "show",
                     .summary = "Show why campaigns do not reach a number, and since when",
                     .example = "merpati suppression show 6281234567890 --account acc_1"},
            .path = "/suppressions/{}",
            .parameters = {suppressed_number, suppressing_account},
            .columns = suppression_sheet};
}

RequestCommand add_one() {
    return {.text = {.name = "add",
                     .summary = "Keep a number out of an account's campaigns",
                     .details = "Sends over the API are not affected.",
                     .example = "merpati suppression add 6281234567890 --account acc_1"},
            .method = http::Method::put,
            .path = "/suppressions/{}",
            .parameters = {suppressed_number,
                           suppressing_account,
                           {.name = "--reason",
                            .help = "Why (manual)",
                            .words = {"manual", "import", "opt_out", "unregistered"},
                            .field = "reason"}},
            .columns = suppression_sheet};
}

RequestCommand import_all() {
    return {.text = {.name = "import",
                     .summary = "Suppress all numbers of a file",
                     .example = "merpati suppression import blacklist.csv --account acc_1"},
            .method = http::Method::post,
            .path = "/suppressions/import",
            .parameters = joined(people_file(), {suppressing_account}),
            .columns = imported_suppressions_sheet};
}

RequestCommand export_all() {
    return {.text = {.name = "export",
                     .summary = "Print all suppressed numbers, as CSV or JSON lines",
                     .details = "The output is streamed, so its size does not matter.",
                     .example = "merpati suppression export --account acc_1 > out.csv"},
            .path = "/suppressions/export",
            .parameters = {required_account()},
            .formats = {"csv", "ndjson"}};
}

RequestCommand remove_one() {
    return {.text = {.name = "remove",
                     .summary = "Let campaigns reach a number again",
                     .example = "merpati suppression remove 6281234567890 --account acc_1"},
            .method = http::Method::del,
            .path = "/suppressions/{}",
            .parameters = {suppressed_number, suppressing_account},
            .columns = removed_suppression_sheet};
}

}  // namespace

void add_suppression_commands(Program& program) {
    auto& group =
        program.add_group(program.root(), {.name = "suppression",
                                           .summary = "Numbers that campaigns must not reach",
                                           .example = "merpati suppression list --account acc_1",
                                           .section = section::campaigns});
    add_request_commands(program, group,
                         {list(), show(), add_one(), import_all(), export_all(), remove_one()});
}

}  // namespace merpati::cli
