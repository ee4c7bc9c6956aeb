// merpati user …
#include <memory>

#include <CLI/App.hpp>
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/gateway.hpp"
#include "cli/request_command.hpp"

namespace merpati::cli {
namespace {

constexpr Column sheet[]{"id",        "email",
                         "password",  {"admin", "administrator"},
                         "accounts",  {"totp", "second factor"},
                         "created_at"};

constexpr Column list_columns[]{"id", "email", "admin", "accounts", "totp", "created_at"};

constexpr Column link_sheet[]{"url", "expires_at"};

constexpr Column invitation_sheet[]{"id",   "url",        "email",     "account",
                                    "role", "invited_by", "expires_at"};

constexpr Column invitation_columns[]{"id", "email", "role", "invited_by", "expires_at"};

/// A person whose accounts are one text: "acc_1 owner, acc_2 viewer".
boost::json::object with_accounts(const boost::json::object& person) {
    std::string text;
    if (const auto* memberships = person.if_contains("memberships")) {
        for (const auto& membership : memberships->as_array()) {
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ",
                                std::string_view{membership.at("account").as_string()},
                                std::string_view{membership.at("role").as_string()});
        }
    }
    auto shown = person;
    shown["accounts"] = text;
    return shown;
}

Result<boost::json::value> readable(const Session& session, Result<boost::json::value> answer) {
    if (answer && answer->is_object() && !session.json()) {
        *answer = with_accounts(answer->as_object());
    }
    return answer;
}

struct Choices {
    std::string email;
    std::string new_email;
    std::string account;
    std::string role;
    std::string admin;
    std::string totp;
    bool is_admin = false;
    bool new_password = false;
};

/// The fields of `--account` and `--role`, which `create` and `set` both take.
boost::json::object membership_of(const Choices& choices) {
    boost::json::object body;
    if (!choices.account.empty()) {
        body["account"] = choices.account;
    }
    if (!choices.role.empty()) {
        body["role"] = choices.role;
    }
    return body;
}

std::optional<std::string> given_password(Session& session) {
    const auto read = session.console().piped_line;
    return read == nullptr ? std::nullopt : read();
}

constexpr std::string_view password_lost =
    "{0} is there, but nobody has seen the password: make another one with `merpati user set "
    "EMAIL --new-password`";

int create(Session& session, const Choices& choices) {
    auto body = membership_of(choices);
    body["email"] = choices.email;
    if (choices.is_admin) {
        body["admin"] = true;
    }
    if (const auto password = given_password(session)) {
        body["password"] = *password;
    }
    const auto answer = readable(session, session.ask(http::Method::post, "/admin/people", body));
    return session.show_once(
        answer, sheet,
        body.contains("password") ? "Created." : "Created. The password is shown only now.",
        password_lost);
}

int set(Session& session, const Choices& choices) {
    auto body = membership_of(choices);
    if (!choices.new_email.empty()) {
        body["email"] = choices.new_email;
    }
    if (!choices.admin.empty()) {
        body["admin"] = choices.admin == "yes";
    }
    if (!choices.totp.empty()) {
        body["totp"] = false;
    }
    if (choices.new_password) {
        const auto password = given_password(session);
        // Not with braces: those would make an array.
        body["password"] = password ? boost::json::value(*password) : boost::json::value(nullptr);
    }
    const auto answer = readable(
        session,
        session.ask(http::Method::patch, "/admin/people/" + percent_encode(choices.email), body));
    const bool shown = choices.new_password && body.at("password").is_null();
    return session.show_once(answer, sheet, shown ? "The password is shown only now." : "",
                             password_lost);
}

CLI::Option* add_email(CLI::App& command, std::string& email) {
    return command.add_option("EMAIL", email, "The person's e-mail address")
        ->required()
        ->option_text(" ")
        ->check(not_empty());
}

void add_create(Program& program, CLI::App& group) {
    const auto choices = std::make_shared<Choices>();
    auto& command = program.add_command(
        group,
        {.name = "create",
         .summary = "Let a person sign in to the web app",
         .details = "Reads the password, at least 12 characters, from the first line of "
                    "standard\ninput. Without input it makes one, and prints it once.",
         .example = "merpati user create ani@toko.example --account acc_1 --role owner\n"
                    "merpati user create ops@example.com --admin"},
        [choices](Session& session) { return create(session, *choices); });
    add_email(command, choices->email);
    auto* admin = command.add_flag("--admin", choices->is_admin,
                                   "An administrator of the server: every right in every account");
    auto* account = command.add_option("--account", choices->account, "An account: acc_1, or 1")
                        ->option_text("ID")
                        ->check(not_empty())
                        ->excludes(admin);
    auto* role = command.add_option("--role", choices->role, "The person's role in the account")
                     ->option_text("owner|operator|viewer")
                     ->check(one_of({"owner", "operator", "viewer"}))
                     ->needs(account);
    account->needs(role);
}

void add_set(Program& program, CLI::App& group) {
    const auto choices = std::make_shared<Choices>();
    auto& command = program.add_command(
        group,
        {.name = "set",
         .summary = "Change a person: roles, address, password, second factor",
         .details = "A new password ends the person's sessions. It is read from the first line "
                    "of\nstandard input; without input one is made, and printed once.",
         .example = "merpati user set ani@toko.example --account acc_2 --role viewer\n"
                    "merpati user set ani@toko.example --account acc_1 --role none\n"
                    "merpati user set ani@toko.example --new-password"},
        [choices](Session& session) { return set(session, *choices); });
    add_email(command, choices->email);
    auto* account = command.add_option("--account", choices->account, "An account: acc_1, or 1")
                        ->option_text("ID")
                        ->check(not_empty());
    auto* role = command
                     .add_option("--role", choices->role,
                                 "The person's role in the account; none: remove it")
                     ->option_text("owner|operator|viewer|none")
                     ->check(one_of({"owner", "operator", "viewer", "none"}))
                     ->needs(account);
    account->needs(role);
    command
        .add_option("--admin", choices->admin,
                    "Whether the person is an administrator of the server")
        ->option_text("yes|no")
        ->check(one_of({"yes", "no"}));
    command.add_option("--email", choices->new_email, "Another e-mail address")
        ->option_text("EMAIL")
        ->check(not_empty());
    command.add_flag("--new-password", choices->new_password, "Another password");
    command.add_option("--totp", choices->totp, "Remove the second factor, after a phone was lost")
        ->option_text("off")
        ->check(one_of({"off"}));
}

RequestCommand list() {
    return {.text = {.name = "list",
                     .summary = "List people who can sign in",
                     .example = "merpati user list --account acc_1"},
            .path = "/admin/people",
            .parameters = {account_filter()},
            .columns = list_columns,
            .when_empty = "Nobody can sign in yet: merpati user create EMAIL --admin",
            .view = with_accounts};
}

std::vector<RequestCommand> commands() {
    return {
        {.text = {.name = "link",
                  .summary = "Make a link that signs a person in, once, for 15 minutes",
                  .details = "The link needs no password: give it to that person only. Its address "
                             "is\napp.url, or else the first address of http.listen.",
                  .example = "merpati user link ani@toko.example"},
         .method = http::Method::post,
         .path = "/admin/people/{}/link",
         .parameters = {{.name = "EMAIL", .help = "The person's e-mail address"}},
         .columns = link_sheet,
         .sentence = "Opens the web app once, within 15 minutes."},
        {.text = {.name = "remove",
                  .summary = "Remove a person; all sessions end at once",
                  .example = "merpati user remove ani@toko.example"},
         .method = http::Method::del,
         .path = "/admin/people/{}",
         .parameters = {{.name = "EMAIL", .help = "The person's e-mail address"}},
         .columns = sheet},
        {.text = {.name = "invite",
                  .summary = "Make a link by which a person joins an account, once, within a week",
                  .details = "Who opens the link chooses a password, or gives the one that there "
                             "is, and only\nthen belongs to the account. Another invitation of the "
                             "address replaces it.",
                  .example = "merpati user invite acc_1 budi@toko.example --role operator"},
         .method = http::Method::post,
         .path = "/account/invitations",
         .parameters = {{.name = "ACCOUNT", .help = "The account: acc_1, or 1", .field = "account"},
                        {.name = "EMAIL", .help = "The person's e-mail address", .field = "email"},
                        {.name = "--role",
                         .help = "The person's role in the account (viewer)",
                         .words = {"owner", "operator", "viewer"},
                         .field = "role",
                         .standard = "viewer"}},
         .columns = invitation_sheet,
         .sentence = "Give the link to that person only. It is shown only now.",
         .when_lost =
             "the invitation {0} was made, but nobody has seen its link: invite the person "
             "again"},
        {.text = {.name = "invitations",
                  .summary = "List an account's invitations that can still be accepted",
                  .example = "merpati user invitations acc_1"},
         .path = "/account/invitations",
         .parameters = {{.name = "ACCOUNT",
                         .help = "The account: acc_1, or 1",
                         .field = "account"}},
         .columns = invitation_columns,
         .when_empty = "The account has no invitations: merpati user invite ACCOUNT EMAIL"},
        {.text = {.name = "uninvite",
                  .summary = "Revoke an invitation; its link no longer works",
                  .example = "merpati user uninvite inv_3"},
         .method = http::Method::del,
         .path = "/account/invitations/{}",
         .parameters = {{.name = "ID", .help = "The invitation: inv_3, or 3"}},
         .columns = invitation_sheet},
    };
}

}  // namespace

void add_user_commands(Program& program) {
    auto& group = program.add_group(
        program.root(),
        {.name = "user",
         .summary = "People: who may sign in to the web app, and what they may do there",
         .example = "merpati user create ani@toko.example --account acc_1 --role owner\n"
                    "merpati user link ani@toko.example",
         .section = section::accounts});
    add_create(program, group);
    add_request_command(program, group, list());
    add_set(program, group);
    add_request_commands(program, group, commands());
}

}  // namespace merpati::cli
