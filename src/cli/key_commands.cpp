// merpati key …
#include <array>

#include <CLI/App.hpp>

#include "api/manage/limits.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"

namespace merpati::cli {
namespace {

constexpr std::array sheet{
    Column{"id", "id"},
    Column{"key", "key"},
    Column{"account", "account"},
    Column{"name", "name"},
    Column{"hint", "hint"},
    Column{"revision", "revision"},
    Column{"state", "state"},
    Column{"created", "created_at"},
    Column{"expires", "expires_at"},
    Column{"revoked", "revoked_at"},
    Column{"previous key", "previous"},
    Column{"previous expires", "previous_expires_at"},
};

constexpr std::array list_columns{
    Column{"ID", "id"},
    Column{"HINT", "hint"},
    Column{"NAME", "name"},
    Column{"REVISION", "revision"},
    Column{"STATE", "state"},
    Column{"CREATED", "created_at"},
    Column{"EXPIRES", "expires_at"},
};

void add_create(Program& program, CLI::App& group) {
    struct Wish {
        std::string account;
        std::string revision = "auto";
        std::string name;
    };
    auto wish = std::make_shared<Wish>();
    auto& command = program.add_command(
        group,
        {.name = "create",
         .summary = "Create an API key for an account",
         .details = "The key is printed once and stored as a digest: nobody can read it again.\n"
                    "A revision pins the key to one published form of POST /v1/send; auto lets\n"
                    "each request show by its fields which one it speaks.",
         .example = "merpati key create acc_1 --name kasir --revision A"},
        [wish](Session& session) {
            boost::json::object body{{"account", wish->account}, {"revision", wish->revision}};
            if (!wish->name.empty()) {
                body["name"] = wish->name;
            }
            return session.show_once(session.ask(http::Method::post, "/keys", body), sheet,
                                     "Created. The key is shown only now.",
                                     "the key {0} was created, but nobody has seen it: end it "
                                     "with `merpati key revoke {0}`, and create another");
        });
    command.add_option("ACCOUNT", wish->account, "Whose key it is: acc_1, or 1")
        ->option_text(" ")
        ->required()
        ->check(not_empty());
    command.add_option("--revision", wish->revision, "Pin the key to a revision (auto)")
        ->option_text("A|B|auto")
        ->check(one_of({"A", "B", "auto"}));
    command.add_option("--name", wish->name, "What it is for")
        ->option_text("NAME")
        ->check(not_empty());
}

void add_list(Program& program, CLI::App& group) {
    auto account = std::make_shared<std::string>();
    auto& command = program.add_command(
        group,
        {.name = "list",
         .summary = "List an account's keys, those that were revoked too",
         .example = "merpati key list acc_1"},
        [account](Session& session) {
            return session.show_list(session.ask_all("/keys?account=" + percent_encode(*account)),
                                     list_columns,
                                     "The account has no keys: merpati key create ACCOUNT");
        });
    command.add_option("ACCOUNT", *account, "Whose keys: acc_1, or 1")
        ->option_text(" ")
        ->required()
        ->check(not_empty());
}

void add_revoke(Program& program, CLI::App& group) {
    auto id = std::make_shared<std::string>();
    auto& command = program.add_command(
        group,
        {.name = "revoke",
         .summary = "End a key, at once and for good",
         .example = "merpati key revoke key_3"},
        [id](Session& session) {
            return session.show(
                session.ask(http::Method::post, "/keys/" + percent_encode(*id) + "/revoke"), sheet);
        });
    command.add_option("ID", *id, "The key: key_3, or 3")
        ->option_text(" ")
        ->required()
        ->check(not_empty());
}

void add_rotate(Program& program, CLI::App& group) {
    struct Wish {
        std::string id;
        std::string overlap = "24h";
    };
    auto wish = std::make_shared<Wish>();
    auto& command = program.add_command(
        group,
        {.name = "rotate",
         .summary = "Replace a key; the old one works on for a while",
         .details =
             "The successor has the same name and revision. Overlap 0s ends the old key now.",
         .example = "merpati key rotate key_3 --overlap 24h"},
        [wish](Session& session) {
            return session.show_once(
                session.ask(http::Method::post, "/keys/" + percent_encode(wish->id) + "/rotate",
                            {{"overlap_seconds", seconds_of(wish->overlap)}}),
                sheet, "The new key is shown only now.",
                "the new key {0} was created, but nobody has seen it: replace it with `merpati key "
                "rotate {0}`; the old key ends as asked");
        });
    command.add_option("ID", wish->id, "The key to replace: key_3, or 3")
        ->option_text(" ")
        ->required()
        ->check(not_empty());
    command.add_option("--overlap", wish->overlap, "How long the old key works on (24h)")
        ->option_text("DURATION")
        ->check(duration(api::manage::overlap_max));
}

}  // namespace

void add_key_commands(Program& program) {
    auto& group = program.add_group(
        program.root(), {.name = "key",
                         .summary = "API keys: what callers authenticate with",
                         .example = "merpati key create acc_1\nmerpati key rotate key_1",
                         .section = section::accounts});
    add_create(program, group);
    add_list(program, group);
    add_rotate(program, group);
    add_revoke(program, group);
}

}  // namespace merpati::cli
