// merpati key …

#include <CLI/App.hpp>

#include "api/manage/accounts/limits.hpp"
#include "cli/commands.hpp"
#include "cli/request_command.hpp"

namespace merpati::cli {
namespace {

constexpr Column sheet[]{
    "id",
    "key",
    "account",
    "name",
    "hint",
    "revision",
    "scopes",
    "state",
    "created_at",
    "expires_at",
    "revoked_at",
    {"previous", "previous key"},
    "previous_expires_at",
};

constexpr Column list_columns[]{"id",     "hint",  "name",       "revision",
                                "scopes", "state", "created_at", "expires_at"};

std::vector<RequestCommand> commands() {
    return {
        {.text = {.name = "create",
                  .summary = "Create an API key for an account",
                  .details =
                      "The key is printed once and stored as a digest: nobody can read it again.\n"
                      "A revision pins the key to one published form of POST /v1/send; "
                      "auto\nrecognises the form of each request by its fields.\n"
                      "Scopes say what the key may do: send (and adding devices),\n"
                      "messages:read, messages:manage, campaigns:read, campaigns:manage,\n"
                      "devices:manage, callbacks:manage, account:read, account:manage;\n"
                      "admin is the whole server.",
                  .example = "merpati key create acc_1 --name kasir --revision A\n"
                             "merpati key create acc_1 --scopes send,messages:read"},
         .method = http::Method::post,
         .path = "/keys",
         .parameters =
             {account_argument("Whose key it is: acc_1, or 1"),
              {.name = "--revision",
               .help = "Pin the key to a revision (auto)",
               .words = {"A", "B", "auto"},
               .field = "revision",
               .standard = "auto"},
              {.name = "--scopes",
               .help = "What the key may do (send)",
               .shape = "SCOPE,…",
               .check = scopes(),
               .field = "scopes",
               .value_of = as_words},
              {.name = "--name", .help = "The key's name", .shape = "NAME", .field = "name"}},
         .columns = sheet,
         .sentence = "Created. The key is shown only now.",
         .when_lost = "the key {0} was created, but nobody has seen it: end it with `merpati key "
                      "revoke {0}`, and create another"},
        {.text = {.name = "list",
                  .summary = "List an account's keys, including revoked ones",
                  .example = "merpati key list acc_1"},
         .path = "/keys",
         .parameters = {account_argument("Whose keys: acc_1, or 1")},
         .columns = list_columns,
         .when_empty = "The account has no keys: merpati key create ACCOUNT"},
        {.text = {.name = "rotate",
                  .summary = "Replace a key; the old one stays valid for a while",
                  .details = "The successor has the same name, revision and scopes. With --overlap "
                             "0s the\nold key ends now.",
                  .example = "merpati key rotate key_3 --overlap 24h"},
         .method = http::Method::post,
         .path = "/keys/{}/rotate",
         .parameters = {{.name = "ID", .help = "The key to replace: key_3, or 3"},
                        {.name = "--overlap",
                         .help = "How long the old key stays valid (24h)",
                         .shape = "DURATION",
                         .check = duration(api::manage::overlap_max),
                         .field = "overlap_seconds",
                         .value_of = as_seconds,
                         .standard = "24h"}},
         .columns = sheet,
         .sentence = "The new key is shown only now.",
         .when_lost =
             "the new key {0} was created, but nobody has seen it: replace it with `merpati "
             "key rotate {0}`; the old key ends as asked"},
        {.text = {.name = "revoke",
                  .summary = "Revoke a key, at once and for good",
                  .example = "merpati key revoke key_3"},
         .method = http::Method::del,
         .path = "/keys/{}",
         .parameters = {{.name = "ID", .help = "The key: key_3, or 3"}},
         .columns = sheet},
    };
}

}  // namespace

void add_key_commands(Program& program) {
    auto& group = program.add_group(
        program.root(), {.name = "key",
                         .summary = "API keys: what callers authenticate with",
                         .example = "merpati key create acc_1\nmerpati key rotate key_1",
                         .section = section::accounts});
    add_request_commands(program, group, commands());
}

}  // namespace merpati::cli
