// merpati device …
#include <array>

#include <CLI/App.hpp>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"

namespace merpati::cli {
namespace {

constexpr std::array sheet{
    Column{"number", "number"},      Column{"connector", "connector"}, Column{"state", "state"},
    Column{"since", "state_since"},  Column{"account", "account"},     Column{"webhook", "webhook"},
    Column{"created", "created_at"}, Column{"removed", "removed"},
};

constexpr std::array list_columns{
    Column{"NUMBER", "number"},   Column{"STATE", "state"},       Column{"CONNECTOR", "connector"},
    Column{"ACCOUNT", "account"}, Column{"SINCE", "state_since"}, Column{"WEBHOOK", "webhook"},
};

void add_add(Program& program, CLI::App& group) {
    struct Wish {
        std::string account;
        std::string number;
        std::string connector;
        std::string webhook;
    };
    auto wish = std::make_shared<Wish>();
    auto& command = program.add_command(
        group,
        {.name = "add",
         .summary = "Add a sender number to an account",
         .details =
             "A simulated device is connected at once. Adding an account's own number again\n"
             "is no error, and updates its webhook where one is given.",
         .example = "merpati device add acc_1 6281234567890"},
        [wish](Session& session) {
            boost::json::object body{{"account", wish->account}, {"number", wish->number}};
            if (!wish->connector.empty()) {
                body["connector"] = wish->connector;
            }
            if (!wish->webhook.empty()) {
                body["webhook"] = text_or_null(wish->webhook);
            }
            return session.show(session.ask(http::Method::post, "/devices", body), sheet);
        });
    command.add_option("ACCOUNT", wish->account, "Whose device it is: acc_1, or 1")
        ->option_text(" ")
        ->required()
        ->check(not_empty());
    command.add_option("NUMBER", wish->number, "In international format, digits only")
        ->option_text(" ")
        ->required()
        ->check(phone_number());
    command.add_option("--connector", wish->connector, "The platform it is on (simulator)")
        ->option_text("simulator|cloud|linked")
        ->check(one_of({"simulator", "cloud", "linked"}));
    command.add_option("--webhook", wish->webhook, "Where its events go (https)")
        ->option_text("URL|none")
        ->check(not_empty());
}

void add_list(Program& program, CLI::App& group) {
    auto account = std::make_shared<std::string>();
    auto& command = program.add_command(
        group,
        {.name = "list",
         .summary = "List devices, of one account or of all",
         .example = "merpati device list\nmerpati device list acc_1"},
        [account](Session& session) {
            const auto target =
                account->empty() ? "/devices" : "/devices?account=" + percent_encode(*account);
            return session.show_list(session.ask_all(target), list_columns,
                                     "There are no devices: merpati device add ACCOUNT NUMBER");
        });
    command.add_option("ACCOUNT", *account, "Whose devices (acc_1, or 1); all without it")
        ->option_text(" ")
        ->check(not_empty());
}

/// Commands that take a number and nothing else.
void add_simple(Program& program, CLI::App& group, const CommandText& text, http::Method method,
                std::string_view verb) {
    auto number = std::make_shared<std::string>();
    auto& command = program.add_command(group, text, [number, method, verb](Session& session) {
        return session.show(
            session.ask(method, "/devices/" + percent_encode(*number) + std::string{verb}), sheet);
    });
    command.add_option("NUMBER", *number, "The device")
        ->option_text(" ")
        ->required()
        ->check(phone_number());
}

}  // namespace

void add_device_commands(Program& program) {
    auto& group = program.add_group(
        program.root(), {.name = "device",
                         .summary = "Devices: the numbers that messages are sent from",
                         .example = "merpati device add acc_1 6281234567890\nmerpati device list",
                         .section = section::accounts});
    add_add(program, group);
    add_list(program, group);
    add_simple(program, group,
               {.name = "connect",
                .summary = "Connect a device; what waits for it begins to leave",
                .details = "On a stopped server it is connected when the server starts.",
                .example = "merpati device connect 6281234567890"},
               http::Method::post, "/connect");
    add_simple(program, group,
               {.name = "disconnect",
                .summary = "Disconnect a device; its messages wait",
                .details = "Requests that send from it are refused until it is connected again.",
                .example = "merpati device disconnect 6281234567890"},
               http::Method::post, "/disconnect");
    add_simple(program, group,
               {.name = "remove",
                .summary = "Remove a device for which nothing waits",
                .example = "merpati device remove 6281234567890"},
               http::Method::del, "");
}

}  // namespace merpati::cli
