// merpati campaign check, preview, test
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/printable.hpp"
#include "cli/campaign/campaign_id.hpp"
#include "cli/campaign/campaign_view.hpp"
#include "cli/commands.hpp"
#include "cli/progress_line.hpp"
#include "cli/request_command.hpp"

namespace merpati::cli {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t row_max = 4'294'967'295;
constexpr auto check_timeout = 30min;

constexpr Column check_sheet[]{"ready", "recipients", "credit", "takes"};

constexpr Column problem_columns[]{{"code", "problem"}, "count", {"detail", "what"}};

constexpr Column preview_sheet[]{"variant", "media", "header", "buttons", "characters"};

constexpr Column test_columns[]{"to", "message"};
constexpr Column refused_columns[]{"to", {"detail", "why not"}};

/// Exit code 1 if the campaign is not ready.
int check(Session& session, boost::json::value& answer, const std::string& id) {
    const bool is_ready = answer.at("ready").as_bool();
    const int code = is_ready ? exit_done : exit_failed;
    if (session.json()) {
        (void)session.print(answer);
        return code;
    }
    const auto seconds = answer.at("seconds").to_number<std::int64_t>();
    answer.as_object()["takes"] = about(std::chrono::seconds{seconds});
    (void)session.show(answer, check_sheet);
    const auto& problems = answer.at("problems").as_array();
    auto& out = session.console().out;
    if (!problems.empty()) {
        out << '\n' << render_table(problems, problem_columns, "");
    }
    if (is_ready) {
        out << fmt::format("\nNext: merpati campaign start {}\n", printable(id));
    }
    return code;
}

int preview(Session& session, boost::json::value& answer, const std::string& /*id*/) {
    if (session.json()) {
        return session.print(answer);
    }
    auto& out = session.console().out;
    out << shown_text(answer.at("text").as_string().c_str()) << '\n';
    const int code = session.show(answer, preview_sheet);
    if (const auto& problems = answer.at("problems").as_array(); !problems.empty()) {
        out << '\n' << render_table(problems, problem_columns, "");
    }
    return code;
}

/// Exit code 1 if a number got no message.
int test(Session& session, boost::json::value& answer, const std::string& /*id*/) {
    boost::json::array sent;
    boost::json::array refused;
    for (const auto& message : answer.at("messages").as_array()) {
        (message.at("message").is_null() ? refused : sent).push_back(message);
    }
    if (session.json()) {
        (void)session.print(answer);
    } else {
        auto& out = session.console().out;
        out << "Sent to the queue: merpati message show MESSAGE\n\n"
            << render_table(sent, test_columns, "");
        if (!refused.empty()) {
            out << "\nNot sent:\n\n" << render_table(refused, refused_columns, "");
        }
    }
    return refused.empty() ? exit_done : exit_failed;
}

/// "--row"
Parameter row(std::string help) {
    return {.name = "--row",
            .help = std::move(help),
            .shape = "N",
            .check = whole_number(1, row_max),
            .field = "row",
            .value_of = as_number};
}

}  // namespace

void add_campaign_readiness(Program& program, CLI::App& group) {
    add_request_commands(
        program, group,
        {{.text = {.name = "check",
                   .summary =
                       "Say what a campaign needs before it can start, and how long it takes",
                   .details = "Exit code 1: it is not ready. docs/campaigns.md explains each "
                              "problem, and which\nones do not stand in the way.",
                   .example = "merpati campaign check cmp_1 && merpati campaign start cmp_1"},
          .method = http::Method::post,
          .path = "/campaigns/{}/check",
          .parameters = {campaign_id},
          .show = check,
          .timeout = check_timeout},
         {.text = {.name = "preview",
                   .summary = "Show the message that a recipient gets",
                   .details = "Of the first row, where no other one is named.",
                   .example = "merpati campaign preview cmp_1 --row 3\n"
                              "merpati campaign preview cmp_1 --value nama=Ani --value kota=Solo"},
          .method = http::Method::post,
          .path = "/campaigns/{}/preview",
          .parameters = {campaign_id,
                         row("The recipient of this row"),
                         {.name = "--value",
                          .help = "The value of a column; repeatable",
                          .shape = "NAME=TEXT",
                          .check = named_text(),
                          .field = "values",
                          .value_of_all = as_named_texts,
                          .repeats = true,
                          .excludes = {"--row"}}},
          .show = preview},
         {.text = {.name = "test",
                   .summary = "Send a campaign's message to numbers of your own",
                   .details = "To at most 10 numbers, also suppressed ones. These messages cost "
                              "credit, and the\ncampaign does not count them. Exit code 1: a "
                              "number got none.",
                   .example = "merpati campaign test cmp_1 --to 6281234567899 --row 2"},
          .method = http::Method::post,
          .path = "/campaigns/{}/test",
          .parameters = {campaign_id,
                         {.name = "--to",
                          .help = "Who gets it; repeatable",
                          .shape = "NUMBER",
                          .field = "to",
                          .repeats = true,
                          .required = true},
                         row("With the values of this row (the first)")},
          .show = test}});
}

}  // namespace merpati::cli
