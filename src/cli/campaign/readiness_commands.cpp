// merpati campaign check, preview, test
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <CLI/App.hpp>
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
int check(Session& session, const std::string& id) {
    auto answer = session.ask(http::Method::post, campaign_path(id) + "/check", {}, check_timeout);
    if (!answer) {
        return session.fail(answer.error());
    }
    const bool is_ready = answer->at("ready").as_bool();
    const int code = is_ready ? exit_done : exit_failed;
    if (session.json()) {
        (void)session.print(*answer);
        return code;
    }
    const auto seconds = answer->at("seconds").to_number<std::int64_t>();
    answer->as_object()["takes"] = about(std::chrono::seconds{seconds});
    (void)session.show(answer, check_sheet);
    const auto& problems = answer->at("problems").as_array();
    auto& out = session.console().out;
    if (!problems.empty()) {
        out << '\n' << render_table(problems, problem_columns, "");
    }
    if (is_ready) {
        out << fmt::format("\nNext: merpati campaign start {}\n", printable(id));
    }
    return code;
}

void add_campaign_check(Program& program, CLI::App& group) {
    auto id = std::make_shared<std::string>();
    auto& command = program.add_command(
        group,
        {.name = "check",
         .summary = "Say what a campaign needs before it can start, and how long it takes",
         .details = "Exit code 1: it is not ready. docs/campaigns.md explains each problem, and "
                    "which\nones do not stand in the way.",
         .example = "merpati campaign check cmp_1 && merpati campaign start cmp_1"},
        [id](Session& session) { return check(session, *id); });
    add_campaign_id(command, *id);
}

struct Previewed {
    std::string id;
    std::string row;
    std::vector<std::string> values;  // "NAME=TEXT"
};

int preview(Session& session, const Previewed& wish) {
    boost::json::object body;
    if (!wish.row.empty()) {
        body["row"] = number_of(wish.row);
    }
    if (!wish.values.empty()) {
        body["values"] = named_texts(wish.values);
    }
    const auto answer = session.ask(http::Method::post, campaign_path(wish.id) + "/preview", body);
    if (!answer || session.json()) {
        return session.show(answer, preview_sheet);
    }
    auto& out = session.console().out;
    out << shown_text(answer->at("text").as_string().c_str()) << '\n';
    const int code = session.show(answer, preview_sheet);
    if (const auto& problems = answer->at("problems").as_array(); !problems.empty()) {
        out << '\n' << render_table(problems, problem_columns, "");
    }
    return code;
}

void add_campaign_preview(Program& program, CLI::App& group) {
    auto wish = std::make_shared<Previewed>();
    auto& command = program.add_command(
        group,
        {.name = "preview",
         .summary = "Show the message that a recipient gets",
         .details = "Of the first row, where no other one is named.",
         .example = "merpati campaign preview cmp_1 --row 3\n"
                    "merpati campaign preview cmp_1 --value nama=Ani --value kota=Solo"},
        [wish](Session& session) { return preview(session, *wish); });
    add_campaign_id(command, wish->id);
    auto* row = command.add_option("--row", wish->row, "The recipient of this row")
                    ->option_text("N")
                    ->check(whole_number(1, row_max));
    command.add_option("--value", wish->values, "The value of a column; repeatable")
        ->option_text("NAME=TEXT")
        ->check(named_text())
        ->allow_extra_args(false)
        ->excludes(row);
}

/// Exit code 1 if a number got no message.
int test(Session& session, const std::string& id, const std::vector<std::string>& to,
         const std::string& row) {
    boost::json::object body{{"to", boost::json::array(to.begin(), to.end())}};
    if (!row.empty()) {
        body["row"] = number_of(row);
    }
    const auto answer = session.ask(http::Method::post, campaign_path(id) + "/test", body);
    if (!answer) {
        return session.fail(answer.error());
    }
    boost::json::array sent;
    boost::json::array refused;
    for (const auto& message : answer->at("messages").as_array()) {
        (message.at("message").is_null() ? refused : sent).push_back(message);
    }
    if (session.json()) {
        (void)session.print(*answer);
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

void add_campaign_test(Program& program, CLI::App& group) {
    struct Wish {
        std::string id;
        std::vector<std::string> to;
        std::string row;
    };
    auto wish = std::make_shared<Wish>();
    auto& command = program.add_command(
        group,
        {.name = "test",
         .summary = "Send a campaign's message to numbers of your own",
         .details = "To at most 10 numbers, also suppressed ones. These messages cost credit, and "
                    "the\ncampaign does not count them. Exit code 1: a number got none.",
         .example = "merpati campaign test cmp_1 --to 6281234567899 --row 2"},
        [wish](Session& session) { return test(session, wish->id, wish->to, wish->row); });
    add_campaign_id(command, wish->id);
    command.add_option("--to", wish->to, "Who gets it; repeatable")
        ->option_text("NUMBER")
        ->required()
        ->check(not_empty())
        ->allow_extra_args(false);
    command.add_option("--row", wish->row, "With the values of this row (the first)")
        ->option_text("N")
        ->check(whole_number(1, row_max));
}

}  // namespace

void add_campaign_readiness(Program& program, CLI::App& group) {
    add_campaign_check(program, group);
    add_campaign_preview(program, group);
    add_campaign_test(program, group);
}

}  // namespace merpati::cli
