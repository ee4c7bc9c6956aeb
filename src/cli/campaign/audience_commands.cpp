// merpati campaign import, clear, recipients, report
#include <memory>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include <CLI/App.hpp>
#include <boost/json/serialize.hpp>

#include "cli/campaign/campaign_id.hpp"
#include "cli/campaign/campaign_view.hpp"
#include "cli/campaign/people_file.hpp"
#include "cli/commands.hpp"
#include "cli/request_command.hpp"

namespace merpati::cli {
namespace {

using namespace std::chrono_literals;

constexpr Column import_sheet[]{"rows", "added", "invalid", "duplicate", "suppressed", "columns"};

constexpr Column recipient_columns[]{"row",  "number", "original", "state",   "reason",
                                     "code", "values", "device",   "message", "at"};

/// Which recipients of which campaign `recipients` and `report` take.
std::vector<Parameter> filters() {
    return {
        campaign_id,
        state_filter({"pending", "queued", "sent", "failed", "skipped", "uncertain", "cancelled"}),
        {.name = "--reason",
         .help = "Only those that are skipped for it",
         .words = {"invalid", "duplicate", "suppressed", "frequency", "excluded", "empty_value"},
         .field = "reason"}};
}

/// All contacts that have one of the tags.
Result<boost::json::value> import_tags(Session& session, const std::string& target,
                                       const std::vector<std::string>& tags) {
    const boost::json::object body{{"tags", boost::json::array(tags.begin(), tags.end())}};
    auto text = boost::json::serialize(body);
    return session.upload(target, "application/json",
                          [&text]() -> Result<std::string> { return std::exchange(text, {}); });
}

void add_campaign_import(Program& program, CLI::App& group) {
    struct Wish {
        std::string id;
        PeopleFile file;
        std::vector<std::string> tags;
    };
    auto wish = std::make_shared<Wish>();
    auto& command = program.add_command(
        group,
        {.name = "import",
         .summary = "Add recipients to a draft, from a file or from the contacts",
         .details =
             "A CSV file of any size, as spreadsheets save it; its columns are the values of\n"
             "the text's placeholders. Every row becomes a recipient; invalid and repeated\n"
             "numbers are skipped, and counted. An import that breaks off adds nothing.\n"
             "docs/campaigns.md tells how numbers and columns are read.",
         .example = "merpati campaign import cmp_1 pelanggan.csv\n"
                    "merpati campaign import cmp_1 list.txt --number-column 2 --no-header\n"
                    "psql -c 'copy customers to stdout csv header' | merpati campaign import "
                    "cmp_1 -\n"
                    "merpati campaign import cmp_1 --tag vip"},
        [wish](Session& session) {
            if (!wish->file.is_given() && wish->tags.empty()) {
                (void)session.fail({.code = ErrorCode::invalid_argument,
                                    .detail = "give FILE, or --tag for contacts",
                                    .origin = std::source_location::current()});
                return exit_usage;
            }
            const auto target = campaign_path(wish->id) + "/recipients";
            return session.show(wish->file.is_given() ? wish->file.upload(session, target)
                                                      : import_tags(session, target, wish->tags),
                                import_sheet, "Next: merpati campaign check ID");
        });
    add_parameter(command, campaign_id, wish->id);
    auto* file = wish->file.add_to(command, PeopleFile::Need::optional);
    command.add_option("--tag", wish->tags, "In place of FILE: contacts with this tag; repeatable")
        ->option_text("TAG")
        ->check(not_empty())
        ->allow_extra_args(false)
        ->excludes(file);
}

std::vector<RequestCommand> commands() {
    return {
        {.text = {.name = "recipients",
                  .summary = "List recipients of a campaign, in the order of rows",
                  .example = "merpati campaign recipients cmp_1 --state skipped --reason invalid"},
         .path = "/campaigns/{}/recipients",
         .parameters = filters(),
         .columns = recipient_columns,
         .when_empty = "There are no such recipients.",
         .is_long = true,
         .view = person_view},
        {.text = {.name = "clear",
                  .summary = "Remove all recipients of a draft",
                  .example = "merpati campaign clear cmp_1"},
         .method = http::Method::del,
         .path = "/campaigns/{}/recipients",
         .parameters = {campaign_id},
         .columns = outcome_sheet,
         .view = campaign_view,
         .timeout = 30min},
        {.text = {.name = "report",
                  .summary = "Print all recipients of a campaign, as CSV or JSON lines",
                  .details = "What became of each recipient. The output is streamed, so its size "
                             "does not\nmatter. In CSV (RFC 4180) a value that a spreadsheet would "
                             "take for a formula\nbegins with an apostrophe.",
                  .example = "merpati campaign report cmp_1 > report.csv\n"
                             "merpati campaign report cmp_1 --state failed --format ndjson"},
         .path = "/campaigns/{}/recipients/export",
         .parameters = filters(),
         .formats = {"csv", "ndjson"}},
    };
}

}  // namespace

void add_campaign_audience(Program& program, CLI::App& group) {
    add_campaign_import(program, group);
    add_request_commands(program, group, commands());
}

}  // namespace merpati::cli
