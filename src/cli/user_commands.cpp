// merpati user …
#include <optional>

#include <CLI/App.hpp>
#include <fmt/format.h>

#include "cli/commands.hpp"
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

boost::json::value as_null(const std::string& /*text*/) {
    return nullptr;
}

/// A body without a password asks for one that is made.
void read_password(Session& session, boost::json::object& body) {
    const auto read = session.console().piped_line;
    if (const auto password = read == nullptr ? std::nullopt : read()) {
        body["password"] = *password;
    }
}

void read_new_password(Session& session, boost::json::object& body) {
    if (body.contains("password")) {
        read_password(session, body);
    }
}

int show_person(Session& session, boost::json::value& answer, std::string_view sentence) {
    if (!session.json()) {
        answer = with_accounts(answer.as_object());
    }
    return session.show_once(answer, sheet, sentence,
                             "{0} is there, but nobody has seen the password: make another one "
                             "with `merpati user set EMAIL --new-password`");
}

/// Whether the answer has a password that was made.
bool has_password(const boost::json::value& answer) {
    return answer.as_object().contains("password");
}

int show_created(Session& session, boost::json::value& answer, const std::string& /*id*/) {
    return show_person(
        session, answer,
        has_password(answer) ? "Created. The password is shown only now." : "Created.");
}

int show_changed(Session& session, boost::json::value& answer, const std::string& /*id*/) {
    return show_person(session, answer,
                       has_password(answer) ? "The password is shown only now." : "");
}

const Parameter email{.name = "EMAIL", .help = "The person's e-mail address"};

/// Who signs in, and in which role.
std::vector<RequestCommand> people() {
    return {
        {.text = {.name = "create",
                  .summary = "Let a person sign in to the web app",
                  .details = "Reads the password, at least 12 characters, from the first line of "
                             "standard\ninput. Without input it makes one, and prints it once.",
                  .example = "merpati user create ani@toko.example --account acc_1 --role owner\n"
                             "merpati user create ops@example.com --admin"},
         .method = http::Method::post,
         .path = "/admin/people",
         .parameters = {{.name = "EMAIL", .help = email.help, .field = "email"},
                        {.name = "--admin",
                         .help = "An administrator of the server: every right in every account",
                         .field = "admin",
                         .value_of = as_true,
                         .is_flag = true},
                        {.name = "--account",
                         .help = "An account: acc_1, or 1",
                         .shape = "ID",
                         .field = "account",
                         .needs = "--role",
                         .excludes = {"--admin"}},
                        {.name = "--role",
                         .help = "The person's role in the account",
                         .words = {"owner", "operator", "viewer"},
                         .field = "role",
                         .needs = "--account"}},
         .complete = read_password,
         .show = show_created},
        {.text = {.name = "list",
                  .summary = "List people who can sign in",
                  .example = "merpati user list --account acc_1"},
         .path = "/admin/people",
         .parameters = {account_filter()},
         .columns = list_columns,
         .when_empty = "Nobody can sign in yet: merpati user create EMAIL --admin",
         .view = with_accounts},
        {.text = {.name = "set",
                  .summary = "Change a person: roles, address, password, second factor",
                  .details =
                      "A new password ends the person's sessions. It is read from the first line "
                      "of\nstandard input; without input one is made, and printed once.",
                  .example = "merpati user set ani@toko.example --account acc_2 --role viewer\n"
                             "merpati user set ani@toko.example --account acc_1 --role none\n"
                             "merpati user set ani@toko.example --new-password"},
         .method = http::Method::patch,
         .path = "/admin/people/{}",
         .parameters = {email,
                        {.name = "--account",
                         .help = "An account: acc_1, or 1",
                         .shape = "ID",
                         .field = "account",
                         .needs = "--role"},
                        {.name = "--role",
                         .help = "The person's role in the account; none: remove it",
                         .words = {"owner", "operator", "viewer", "none"},
                         .field = "role",
                         .needs = "--account"},
                        {.name = "--admin",
                         .help = "Whether the person is an administrator of the server",
                         .words = {"yes", "no"},
                         .field = "admin",
                         .value_of = as_yes},
                        {.name = "--email",
                         .help = "Another e-mail address",
                         .shape = "EMAIL",
                         .field = "email"},
                        {.name = "--new-password",
                         .help = "Another password",
                         .field = "password",
                         .value_of = as_null,
                         .is_flag = true},
                        {.name = "--totp",
                         .help = "Remove the second factor, after a phone was lost",
                         .words = {"off"},
                         .field = "totp",
                         .value_of = as_false}},
         .complete = read_new_password,
         .show = show_changed},
        {.text = {.name = "link",
                  .summary = "Make a link that signs a person in, once, for 15 minutes",
                  .details = "The link needs no password: give it to that person only. Its address "
                             "is\napp.url, or else the first address of http.listen.",
                  .example = "merpati user link ani@toko.example"},
         .method = http::Method::post,
         .path = "/admin/people/{}/link",
         .parameters = {email},
         .columns = link_sheet,
         .sentence = "Opens the web app once, within 15 minutes."},
        {.text = {.name = "remove",
                  .summary = "Remove a person; all sessions end at once",
                  .example = "merpati user remove ani@toko.example"},
         .method = http::Method::del,
         .path = "/admin/people/{}",
         .parameters = {email},
         .columns = sheet},
    };
}

std::vector<RequestCommand> invitations() {
    return {
        {.text = {.name = "invite",
                  .summary = "Make a link by which a person joins an account, once, within a week",
                  .details = "Who opens the link chooses a password, or gives the one that there "
                             "is, and only\nthen belongs to the account. Another invitation of the "
                             "address replaces it.",
                  .example = "merpati user invite acc_1 budi@toko.example --role operator"},
         .method = http::Method::post,
         .path = "/account/invitations",
         .parameters = {account_argument(),
                        {.name = "EMAIL", .help = email.help, .field = "email"},
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
         .parameters = {account_argument()},
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
    add_request_commands(program, group, people());
    add_request_commands(program, group, invitations());
}

}  // namespace merpati::cli
