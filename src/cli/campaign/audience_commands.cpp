// merpati campaign import, clear, recipients, report
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/App.hpp>
#include <boost/json/serialize.hpp>

#include "cli/campaign/campaign_id.hpp"
#include "cli/campaign/campaign_view.hpp"
#include "cli/commands.hpp"
#include "cli/contacts/people_file.hpp"
#include "cli/file_upload.hpp"
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
Result<boost::json::value> import_tags(Session& session, const Call& call) {
    auto text = boost::json::serialize(boost::json::object{{"tags", call.body.at("tags")}});
    return session.upload(call.target, "application/json",
                          [&text]() -> Result<std::string> { return std::exchange(text, {}); });
}

int import_recipients(Session& session, const Call& call) {
    if (call.file.empty() && !call.body.contains("tags")) {
        (void)session.fail(ErrorCode::invalid_argument, "give FILE, or --tag for contacts");
        return exit_usage;
    }
    return session.show(call.file.empty() ? import_tags(session, call)
                                          : upload_file(session, call.target, call.file),
                        import_sheet, "Next: merpati campaign check ID");
}

void add_campaign_import(Program& program, CLI::App& group) {
    struct Wish {
        RequestCommand row;
        Typed typed;
    };
    const auto wish = std::make_shared<Wish>();
    wish->row = {
        .text = {},
        .method = http::Method::post,
        .path = "/campaigns/{}/recipients",
        .parameters = joined(joined({campaign_id}, people_file(true)),
                             {{.name = "--tag",
                               .help = "In place of FILE: contacts with this tag; repeatable",
                               .shape = "TAG",
                               .field = "tags",
                               .repeats = true,
                               .excludes = {"FILE"}}})};
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
            const auto call = call_of(wish->row, wish->typed);
            return call ? import_recipients(session, *call) : session.fail(call.error());
        });
    add_parameters(command, wish->row.parameters, wish->typed);
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
