// merpati account …
#include <array>

#include <CLI/App.hpp>

#include "api/manage/limits.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"

namespace merpati::cli {
namespace {

using api::manage::credit_max;

constexpr std::array sheet{
    Column{"id", "id"},
    Column{"name", "name"},
    Column{"plan", "plan"},
    Column{"credit", "credit"},
    Column{"expires", "expires_at"},
    Column{"rate", "rate"},
    Column{"callback", "callback"},
    Column{"delivery", "delivery"},
    Column{"devices max", "devices_max"},
    Column{"created", "created_at"},
    Column{"webhook secret", "webhook_secret"},
    Column{"previous valid until", "previous_valid_until"},
};

constexpr std::array list_columns{
    Column{"ID", "id"},
    Column{"NAME", "name"},
    Column{"PLAN", "plan"},
    Column{"CREDIT", "credit"},
    Column{"EXPIRES", "expires_at"},
    Column{"RATE", "rate"},
    Column{"CALLBACK", "callback"},
};

/// What `create` and `set` take; empty texts were not given.
struct Choices {
    std::string id;  // Of the account, or at first its name.
    std::string name;
    std::string plan;
    std::string credits;
    std::string expires;
    std::string rate;
    std::string callback;
    std::string delivery;
    std::string devices_max;

    [[nodiscard]] boost::json::object body() const {
        boost::json::object body;
        const auto put = [&body](const char* name, const std::string& text, auto value_of) {
            if (!text.empty()) {
                body[name] = value_of(text);
            }
        };
        const auto as_is = [](const std::string& text) { return boost::json::value(text); };
        put("name", name, as_is);
        put("plan", plan, as_is);
        put("credit", credits, number_or_null);
        put("expires_at", expires, text_or_null);
        put("rate", rate, as_is);
        put("callback", callback, text_or_null);
        put("delivery", delivery, as_is);
        put("devices_max", devices_max, number_or_null);
        return body;
    }
};

void add_choices(CLI::App& command, Choices& choices) {
    command.add_option("--plan", choices.plan, "free and trial cannot add devices over the API")
        ->option_text("paid|trial|free")
        ->check(one_of({"paid", "trial", "free"}));
    command.add_option("--credits", choices.credits, "Messages left; none: not counted")
        ->option_text("N|none")
        ->check(or_none(whole_number(0, credit_max)));
    command.add_option("--expires", choices.expires, "End of validity; none: never")
        ->option_text("RFC3339|none")
        ->check(or_none(rfc3339_time()));
    command.add_option("--rate", choices.rate, "Requests let in; default: the server's api.rate")
        ->option_text("N/s|N/min|none|default")
        ->check(rate());
    command.add_option("--callback", choices.callback, "Where statuses go by default (https)")
        ->option_text("URL|none")
        ->check(not_empty());
    command
        .add_option("--delivery", choices.delivery,
                    "Whether a send cut off by a crash is repeated, or held for you")
        ->option_text("at-least-once|at-most-once")
        ->check(one_of({"at-least-once", "at-most-once"}));
    command.add_option("--devices-max", choices.devices_max, "How many devices it may have")
        ->option_text("N")
        ->check(whole_number(0, api::manage::devices_most));
}

void add_create(Program& program, CLI::App& group) {
    auto choices = std::make_shared<Choices>();
    auto& command = program.add_command(
        group,
        {.name = "create",
         .summary = "Create an account",
         .details = "Prints the account's webhook secret, with which it checks the signatures of\n"
                    "callbacks. It is not shown again; `account secret rotate` makes a new one.",
         .example = "merpati account create \"Toko Ani\" --credits 1000 --rate 50/s"},
        [choices](Session& session) {
            return session.show_once(
                session.ask(http::Method::post, "/accounts", choices->body()), sheet,
                "Created. The webhook secret is shown only now; next: merpati key create ID",
                "the account {0} was created, but nobody has seen its webhook secret: make a new "
                "one with `merpati account secret rotate {0}`");
        });
    command.add_option("NAME", choices->name, "What you call it")
        ->option_text(" ")
        ->required()
        ->check(not_empty());
    add_choices(command, *choices);
}

void add_set(Program& program, CLI::App& group) {
    auto choices = std::make_shared<Choices>();
    auto& command = program.add_command(
        group,
        {.name = "set",
         .summary = "Change an account",
         .details = "Only what is given changes. A running server goes by it at once.",
         .example = "merpati account set acc_1 --plan paid --expires none"},
        [choices](Session& session) {
            const auto target = "/accounts/" + percent_encode(choices->id);
            return session.show(session.ask(http::Method::patch, target, choices->body()), sheet);
        });
    command.add_option("ID", choices->id, "The account: acc_1, or 1")
        ->option_text(" ")
        ->required()
        ->check(not_empty());
    command.add_option("--name", choices->name, "What you call it")
        ->option_text("NAME")
        ->check(not_empty());
    add_choices(command, *choices);
}

void add_list_and_show(Program& program, CLI::App& group) {
    program.add_command(
        group, {.name = "list", .summary = "List all accounts", .example = "merpati account list"},
        [](Session& session) {
            return session.show_list(session.ask_all("/accounts"), list_columns,
                                     "There are no accounts: merpati account create NAME");
        });
    auto id = std::make_shared<std::string>();
    auto& show = program.add_command(
        group,
        {.name = "show", .summary = "Show an account", .example = "merpati account show acc_1"},
        [id](Session& session) {
            return session.show(session.ask(http::Method::get, "/accounts/" + percent_encode(*id)),
                                sheet);
        });
    show.add_option("ID", *id, "The account: acc_1, or 1")
        ->option_text(" ")
        ->required()
        ->check(not_empty());
}

void add_topup(Program& program, CLI::App& group) {
    struct Wish {
        std::string id;
        std::string amount;
    };
    auto wish = std::make_shared<Wish>();
    auto& command = program.add_command(
        group,
        {.name = "topup",
         .summary = "Add credit to an account",
         .details = "An account whose credit was not counted begins at 0.",
         .example = "merpati account topup acc_1 500"},
        [wish](Session& session) {
            return session.show(
                session.ask(http::Method::post, "/accounts/" + percent_encode(wish->id) + "/topup",
                            {{"amount", number_of(wish->amount)}}),
                sheet);
        });
    command.add_option("ID", wish->id, "The account: acc_1, or 1")
        ->option_text(" ")
        ->required()
        ->check(not_empty());
    command.add_option("N", wish->amount, "Messages to add")
        ->option_text(" ")
        ->required()
        ->check(whole_number(1, credit_max));
}

void add_secret_rotate(Program& program, CLI::App& group) {
    struct Wish {
        std::string id;
        std::string overlap = "24h";
    };
    auto wish = std::make_shared<Wish>();
    auto& secret =
        program.add_group(group, {.name = "secret",
                                  .summary = "The secret that signs an account's callbacks",
                                  .example = "merpati account secret rotate acc_1"});
    auto& command = program.add_command(
        secret,
        {.name = "rotate",
         .summary = "Make a new webhook secret, and show it",
         .details = "Callbacks carry both signatures until the overlap ends, so receivers can\n"
                    "change over without missing one.",
         .example = "merpati account secret rotate acc_1 --overlap 48h"},
        [wish](Session& session) {
            return session.show_once(
                session.ask(http::Method::post, "/accounts/" + percent_encode(wish->id) + "/secret",
                            {{"overlap_seconds", seconds_of(wish->overlap)}}),
                sheet, "The new secret is shown only now.",
                "the account {0} has a new webhook secret, but nobody has seen it: make another "
                "with `merpati account secret rotate {0}`");
        });
    command.add_option("ID", wish->id, "The account: acc_1, or 1")
        ->option_text(" ")
        ->required()
        ->check(not_empty());
    command.add_option("--overlap", wish->overlap, "How long the old one signs too (24h)")
        ->option_text("DURATION")
        ->check(duration(api::manage::overlap_max));
}

}  // namespace

void add_account_commands(Program& program) {
    auto& group = program.add_group(
        program.root(), {.name = "account",
                         .summary = "Accounts: who sends, and what they may",
                         .example = "merpati account create \"Toko Ani\"\nmerpati account list",
                         .section = section::accounts});
    add_create(program, group);
    add_list_and_show(program, group);
    add_set(program, group);
    add_topup(program, group);
    add_secret_rotate(program, group);
}

}  // namespace merpati::cli
