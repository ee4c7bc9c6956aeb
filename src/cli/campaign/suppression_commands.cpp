// merpati suppression …

#include <CLI/App.hpp>

#include "cli/campaign/people_file.hpp"
#include "cli/commands.hpp"
#include "cli/list_command.hpp"
#include "cli/request_command.hpp"

namespace merpati::cli {
namespace {

constexpr Column suppression_sheet[]{"number", "account", "reason", "campaign", "at"};

constexpr Column suppression_columns[]{"number", "reason", "campaign", "at"};

constexpr Column removed_suppression_sheet[]{"number", "removed"};

constexpr Column imported_suppressions_sheet[]{"rows", "added", "invalid", "duplicate"};

constexpr Subject of_one_account{.needs_account = true};

const Parameter suppressed_number{.name = "NUMBER", .help = "The number"};
const Parameter suppressing_account{.name = "--account",
                                    .help = "Whose campaigns: acc_1, or 1",
                                    .shape = "ID",
                                    .field = "account",
                                    .required = true};

ImportCommand import_suppressions() {
    return {.text = {.name = "import",
                     .summary = "Suppress all numbers of a file",
                     .example = "merpati suppression import blacklist.csv --account acc_1"},
            .path = "/suppressions/import",
            .account_help = "Whose campaigns: acc_1, or 1",
            .columns = imported_suppressions_sheet};
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
                            .shape = "manual|import|opt_out|unregistered",
                            .check = one_of({"manual", "import", "opt_out", "unregistered"}),
                            .field = "reason"}},
            .columns = suppression_sheet};
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
    add_list_command(program, group,
                     {.text = {.name = "list",
                               .summary = "List suppressed numbers, in the order of numbers",
                               .example = "merpati suppression list --account acc_1"},
                      .path = "/suppressions",
                      .states = {},
                      .filters = {{.name = "--number",
                                   .field = "number",
                                   .help = "Only those that begin so: 62812",
                                   .shape = "DIGITS",
                                   .check = not_empty()}},
                      .columns = suppression_columns,
                      .when_empty = "No number is suppressed.",
                      .subject = of_one_account});
    add_request_command(
        program, group,
        {.text = {.name = "show",
                  .summary = "Show why campaigns do not reach a number, and since when",
                  .example = "merpati suppression show 6281234567890 --account acc_1"},
         .method = http::Method::get,
         .path = "/suppressions/{}",
         .parameters = {suppressed_number, suppressing_account},
         .columns = suppression_sheet});
    add_request_command(program, group, add_one());
    add_import_command(program, group, import_suppressions());
    add_export_command(program, group,
                       {.text = {.name = "export",
                                 .summary = "Print all suppressed numbers, as CSV or JSON lines",
                                 .details = "The output is streamed, so its size does not matter.",
                                 .example = "merpati suppression export --account acc_1 > out.csv"},
                        .path = "/suppressions/export",
                        .states = {},
                        .formats = {"csv", "ndjson"},
                        .subject = of_one_account});
    add_request_command(program, group, remove_one());
}

}  // namespace merpati::cli
