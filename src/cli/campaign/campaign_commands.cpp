// merpati campaign …
#include <chrono>
#include <ostream>

#include <CLI/App.hpp>

#include "cli/campaign/campaign_id.hpp"
#include "cli/campaign/campaign_view.hpp"
#include "cli/campaign/plan_options.hpp"
#include "cli/commands.hpp"
#include "cli/request_command.hpp"

namespace merpati::cli {
namespace {

using namespace std::chrono_literals;

/// For what reads or changes a whole audience.
constexpr auto audience_timeout = 30min;

constexpr Column removed_sheet[]{"id", "removed"};

int show(Session& session, boost::json::value& answer, const std::string& /*id*/) {
    if (session.json()) {
        return session.print(answer);
    }
    const auto& campaign = answer.as_object();
    const int code = session.show(boost::json::value(campaign_view(campaign)), campaign_sheet);
    if (const auto texts = texts_of(campaign); !texts.empty()) {
        session.console().out << '\n' << texts;
    }
    return code;
}

std::vector<RequestCommand> commands() {
    return {
        {.text = {.name = "list",
                  .summary = "List campaigns, newest first",
                  .example = "merpati campaign list --account acc_1 --state running"},
         .path = "/campaigns",
         .parameters = {account_filter(), state_filter({"draft", "scheduled", "running", "paused",
                                                        "finished", "cancelled"})},
         .columns = campaign_columns,
         .when_empty = "There are no such campaigns: merpati campaign create ACCOUNT",
         .is_long = true,
         .view = campaign_view},
        {.text = {.name = "create",
                  .summary = "Create a campaign: a draft that sends nothing yet",
                  .details =
                      "Next: `import` its recipients, look at a `preview`, `check` it, `test` it "
                      "with\nyour own number, and `start` it.\n\n"
                      "Texts: docs/campaigns.md. Times without an offset are in --timezone.",
                  .example =
                      "merpati campaign create acc_1 --name Lebaran --device 6281234567890 \\\n"
                      "  --message 'Halo {{nama|Kak}}! Berhenti: {{optout_url}}' \\\n"
                      "  --consent 'Pelanggan toko' --per-minute 20\n"
                      "merpati campaign create acc_1 --name Tagihan --device 6281234567890 \\\n"
                      "  --message-file tagihan.txt --purpose transactional"},
         .method = http::Method::post,
         .path = "/campaigns",
         .parameters = with_plan_options(account_argument(), PlanUse::create),
         .sentence = "Created. Next, its recipients: merpati campaign import ID FILE",
         .show = show},
        {.text = {.name = "show",
                  .summary = "Show a campaign: its state, its counts, its text",
                  .example = "merpati campaign show cmp_1"},
         .path = "/campaigns/{}",
         .parameters = {campaign_id},
         .show = show},
        {.text = {.name = "edit",
                  .summary = "Change a campaign",
                  .details = "Changes only what you give. A draft and a scheduled campaign take "
                             "everything;\n`--schedule-at none` makes a scheduled one a draft "
                             "again. A running or paused\none takes --name, --device, "
                             "--per-minute, --quiet, --stop-rules and\n--finish-by. Devices "
                             "replace the former ones.",
                  .example = "merpati campaign edit cmp_1 --per-minute 10 --finish-by none"},
         .method = http::Method::patch,
         .path = "/campaigns/{}",
         .parameters = with_plan_options(campaign_id, PlanUse::edit),
         .show = show},
    };
}

RequestCommand act(const CommandText& text, std::string_view path, std::string_view sentence,
                   std::vector<Parameter> more = {}) {
    return {.text = text,
            .method = http::Method::post,
            .path = path,
            .parameters = joined({campaign_id}, std::move(more)),
            .columns = outcome_sheet,
            .sentence = sentence,
            .view = campaign_view,
            .timeout = audience_timeout};
}

std::vector<RequestCommand> acts() {
    return {
        act({.name = "start",
             .summary = "Start a campaign, now or later",
             .details = "It must be ready: see `check`. Its credit is reserved when it begins. "
                        "Without\n--at a draft with --schedule-at waits for that time.",
             .example = "merpati campaign start cmp_1\n"
                        "merpati campaign start cmp_1 --at 2027-01-31T09:00"},
            "/campaigns/{}/start", "To follow it: merpati campaign watch ID",
            {{.name = "--at",
              .help = "When; without an offset in the campaign's time zone",
              .shape = "TIME",
              .field = "at"}}),
        act({.name = "pause",
             .summary = "Pause a running campaign",
             .details = "What waits in the queues of its devices returns to the campaign; only "
                        "sends\nthat are under way end.",
             .example = "merpati campaign pause cmp_1"},
            "/campaigns/{}/pause", "To go on: merpati campaign resume ID"),
        act({.name = "resume",
             .summary = "Continue a paused campaign",
             .example = "merpati campaign resume cmp_1 --device 6281234567891"},
            "/campaigns/{}/resume", "To follow it: merpati campaign watch ID",
            {{.name = "--device",
              .help = "Its devices from now on; repeatable",
              .shape = "NUMBER",
              .field = "devices",
              .repeats = true},
             pace_option("Most messages a minute from now on")}),
        act({.name = "cancel",
             .summary = "End a campaign before everybody got its message",
             .details = "Those who wait get none, and their credit comes back. It cannot be "
                        "resumed.",
             .example = "merpati campaign cancel cmp_1"},
            "/campaigns/{}/cancel", ""),
        act({.name = "retry",
             .summary = "Send again to recipients whose message failed",
             .details = "Makes them wait again. An ended campaign is paused then, and `resume` "
                        "sends.\nuncertain: a crash interrupted the send, and nobody knows whether "
                        "it arrived;\nthese recipients may get the message twice.",
             .example = "merpati campaign retry cmp_1 --scope failed --code 1001"},
            "/campaigns/{}/retry", "To send: merpati campaign resume ID",
            {{.name = "--scope",
              .help = "Which recipients",
              .words = {"failed", "uncertain"},
              .field = "scope",
              .required = true},
             {.name = "--code",
              .help = "Only those that failed with this code",
              .shape = "CODE",
              .check = whole_number(1, 65'535),
              .field = "code",
              .value_of = as_number}}),
        act({.name = "clone",
             .summary = "Make a new draft of a campaign, with the same content",
             .example = "merpati campaign clone cmp_1 --recipients"},
            "/campaigns/{}/clone", "Created.",
            {{.name = "--recipients",
              .help = "With its recipients",
              .field = "recipients",
              .value_of = as_true,
              .is_flag = true}}),
        {.text = {.name = "remove",
                  .summary = "Remove a draft, or a campaign that has ended",
                  .details = "Its messages stay.",
                  .example = "merpati campaign remove cmp_1"},
         .method = http::Method::del,
         .path = "/campaigns/{}",
         .parameters = {campaign_id},
         .columns = removed_sheet,
         .timeout = audience_timeout},
    };
}

}  // namespace

void add_campaign_commands(Program& program) {
    auto& group = program.add_group(
        program.root(),
        {.name = "campaign",
         .summary = "Campaigns: one message to many recipients",
         .details = "create, import, check, start, watch: docs/campaigns.md tells more.",
         .example = "merpati campaign list --state running",
         .section = section::campaigns});
    add_request_commands(program, group, commands());
    add_campaign_audience(program, group);
    add_campaign_readiness(program, group);
    add_request_commands(program, group, acts());
    add_campaign_watch(program, group);
}

}  // namespace merpati::cli
