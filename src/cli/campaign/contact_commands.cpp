// merpati contact …
#include <memory>
#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "cli/campaign/campaign_view.hpp"
#include "cli/campaign/people_file.hpp"
#include "cli/commands.hpp"
#include "cli/request_command.hpp"

namespace merpati::cli {
namespace {

using namespace std::chrono_literals;

constexpr auto erasure_timeout = 30min;

constexpr Column contact_sheet[]{"number", "account", "name",       "values",
                                 "tags",   "consent", "created_at", "updated_at"};

constexpr Column contact_columns[]{"number", "name", "tags", "values", "consent"};

constexpr Column removed_contact_sheet[]{"number", "removed"};

constexpr Column imported_contacts_sheet[]{"rows",    "added",     "merged",
                                           "invalid", "duplicate", "columns"};

const Parameter contact_number{.name = "NUMBER", .help = "The person's number"};
const Parameter contact_account{.name = "--account",
                                .help = "Whose contact: acc_1, or 1",
                                .shape = "ID",
                                .field = "account",
                                .required = true};

Parameter tag_filter() {
    return {
        .name = "--tag", .help = "Only with one of these tags", .shape = "TAG,TAG", .field = "tag"};
}

RequestCommand list() {
    return {.text = {.name = "list",
                     .summary = "List contacts of an account, in the order of numbers",
                     .example = "merpati contact list --account acc_1 --tag vip"},
            .path = "/contacts",
            .parameters = {required_account_filter(),
                           tag_filter(),
                           {.name = "--text",
                            .help = "Only with this in the name or the number",
                            .shape = "TEXT",
                            .field = "text"}},
            .columns = contact_columns,
            .when_empty = "There are no such contacts.",
            .is_long = true,
            .view = person_view};
}

RequestCommand show() {
    return {.text = {.name = "show",
                     .summary = "Show a contact",
                     .example = "merpati contact show 6281234567890 --account acc_1"},
            .path = "/contacts/{}",
            .parameters = {contact_number, contact_account},
            .columns = contact_sheet,
            .view = person_view};
}

struct NewContact {
    std::string number;
    std::string account;
    std::string name;
    std::vector<std::string> values;  // "NAME=TEXT"
    std::vector<std::string> tags;
    std::string source;
    std::string at;
    std::string text;

    [[nodiscard]] boost::json::object body() const {
        boost::json::object body{{"account", account}};
        if (!name.empty()) {
            body["name"] = name;
        }
        body["values"] = named_texts(values);
        body["tags"] = boost::json::array(tags.begin(), tags.end());
        if (!source.empty()) {
            auto& consent = body["consent"].emplace_object();
            consent["source"] = source;
            if (!at.empty()) {
                consent["at"] = at;
            }
            if (!text.empty()) {
                consent["text"] = text;
            }
        }
        return body;
    }
};

void add_contact_options(CLI::App& command, NewContact& contact) {
    const auto add = [&command](const char* name, std::string& place, const char* help,
                                const char* shape, const ArgumentCheck& check = not_empty()) {
        return command.add_option(name, place, help)->option_text(shape)->check(check);
    };
    const auto add_several = [&command](const char* name, std::vector<std::string>& place,
                                        const char* help, const char* shape,
                                        const ArgumentCheck& check) {
        command.add_option(name, place, help)
            ->option_text(shape)
            ->check(check)
            ->allow_extra_args(false);
    };
    add("NUMBER", contact.number, "The person's number", " ")->required();
    add("--account", contact.account, "Whose contact: acc_1, or 1", "ID")->required();
    add("--name", contact.name, "The person's name", "NAME");
    add_several("--value", contact.values, "A value for texts; repeatable", "NAME=TEXT",
                named_text());
    add_several("--tag", contact.tags, "A tag; repeatable", "TAG", not_empty());
    auto* source = add("--consent-source", contact.source, "Where the person agreed", "TEXT");
    add("--consent-at", contact.at, "When (now)", "RFC3339", rfc3339_time())->needs(source);
    add("--consent-text", contact.text, "To what", "TEXT")->needs(source);
}

void add_contact_put(Program& program, CLI::App& group) {
    auto contact = std::make_shared<NewContact>();
    auto& command = program.add_command(
        group,
        {.name = "put",
         .summary = "Add a contact, or replace it",
         .details = "What you leave out is gone afterwards.",
         .example = "merpati contact put 6281234567890 --account acc_1 --name Ani --tag vip \\\n"
                    "  --value kota=Solo --consent-source 'Formulir toko'"},
        [contact](Session& session) {
            auto answer = session.ask(
                http::Method::put, "/contacts/" + percent_encode(contact->number), contact->body());
            if (answer && !session.json()) {
                *answer = person_view(answer->as_object());
            }
            return session.show(answer, contact_sheet);
        });
    add_contact_options(command, *contact);
}

ImportCommand import_contacts() {
    return {
        .text = {.name = "import",
                 .summary = "Add contacts from a file, and merge those that exist",
                 .details =
                     "Of the file's columns, name, tags, consent_source, consent_at and\n"
                     "consent_text are fields; all others are values. Empty cells change nothing.",
                 .example = "merpati contact import pelanggan.csv --account acc_1 --tag lebaran"},
        .path = "/contacts/import",
        .account_help = "Whose contacts: acc_1, or 1",
        .tag_help = "A tag that all of them get; repeatable",
        .columns = imported_contacts_sheet};
}

RequestCommand export_contacts() {
    return {.text = {.name = "export",
                     .summary = "Print all contacts of an account, as CSV or JSON lines",
                     .details = "The output is streamed, so its size does not matter. In CSV (RFC "
                                "4180) a value\nthat a spreadsheet would take for a formula begins "
                                "with an apostrophe.",
                     .example = "merpati contact export --account acc_1 > contacts.csv"},
            .path = "/contacts/export",
            .parameters = {required_account_filter(), tag_filter()},
            .formats = {"csv", "ndjson"}};
}

RequestCommand remove_contact() {
    return {
        .text = {.name = "remove",
                 .summary = "Remove a contact, or all that is known of a person",
                 .details = "--everywhere also cancels the person's waiting rows of campaigns, and "
                            "erases\nvalues and texts from campaigns and messages. Number and "
                            "counts stay.",
                 .example = "merpati contact remove 6281234567890 --account acc_1 --everywhere"},
        .method = http::Method::del,
        .path = "/contacts/{}",
        .parameters = {contact_number,
                       contact_account,
                       {.name = "--everywhere",
                        .help = "From campaigns and messages too",
                        .field = "everywhere",
                        .is_flag = true}},
        .columns = removed_contact_sheet,
        .timeout = erasure_timeout};
}

}  // namespace

void add_contact_commands(Program& program) {
    auto& group =
        program.add_group(program.root(), {.name = "contact",
                                           .summary = "Contacts: people who are kept for campaigns",
                                           .example = "merpati contact list --account acc_1",
                                           .section = section::campaigns});
    add_request_commands(program, group, {list(), show()});
    add_contact_put(program, group);
    add_import_command(program, group, import_contacts());
    add_request_commands(program, group, {export_contacts(), remove_contact()});
}

}  // namespace merpati::cli
