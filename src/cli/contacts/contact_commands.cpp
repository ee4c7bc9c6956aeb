// merpati contact …
#include <vector>

#include <CLI/App.hpp>

#include "cli/campaign/campaign_view.hpp"
#include "cli/commands.hpp"
#include "cli/contacts/people_file.hpp"
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
const Parameter contact_account = required_account("Whose contact: acc_1, or 1");

Parameter tag_filter() {
    return {
        .name = "--tag", .help = "Only with one of these tags", .shape = "TAG,TAG", .field = "tag"};
}

RequestCommand list() {
    return {.text = {.name = "list",
                     .summary = "List contacts of an account, in the order of numbers",
                     .example = "merpati contact list --account acc_1 --tag vip"},
            .path = "/contacts",
            .parameters = {required_account(),
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

RequestCommand put() {
    return {
        .text = {.name = "put",
                 .summary = "Add a contact, or replace it",
                 .details = "What you leave out is gone afterwards.",
                 .example = "merpati contact put 6281234567890 --account acc_1 --name Ani --tag "
                            "vip \\\n"
                            "  --value kota=Solo --consent-source 'Formulir toko'"},
        .method = http::Method::put,
        .path = "/contacts/{}",
        .parameters =
            {contact_number,
             contact_account,
             {.name = "--name", .help = "The person's name", .shape = "NAME", .field = "name"},
             {.name = "--value",
              .help = "A value for texts; repeatable",
              .shape = "NAME=TEXT",
              .check = named_text(),
              .field = "values",
              .value_of_all = as_named_texts,
              .repeats = true},
             {.name = "--tag",
              .help = "A tag; repeatable",
              .shape = "TAG",
              .field = "tags",
              .repeats = true},
             {.name = "--consent-source",
              .help = "Where the person agreed",
              .shape = "TEXT",
              .field = "consent.source"},
             {.name = "--consent-at",
              .help = "When (now)",
              .shape = "RFC3339",
              .check = rfc3339_time(),
              .field = "consent.at",
              .needs = "--consent-source"},
             {.name = "--consent-text",
              .help = "To what",
              .shape = "TEXT",
              .field = "consent.text",
              .needs = "--consent-source"}},
        .columns = contact_sheet,
        .view = person_view};
}

RequestCommand import_contacts() {
    return {
        .text = {.name = "import",
                 .summary = "Add contacts from a file, and merge those that exist",
                 .details =
                     "Of the file's columns, name, tags, consent_source, consent_at and\n"
                     "consent_text are fields; all others are values. Empty cells change nothing.",
                 .example = "merpati contact import pelanggan.csv --account acc_1 --tag lebaran"},
        .method = http::Method::post,
        .path = "/contacts/import",
        .parameters = joined(people_file(), {required_account("Whose contacts: acc_1, or 1"),
                                             {.name = "--tag",
                                              .help = "A tag that all of them get; repeatable",
                                              .shape = "TAG",
                                              .field = "tag",
                                              .repeats = true}}),
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
            .parameters = {required_account(), tag_filter()},
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
    add_request_commands(
        program, group,
        {list(), show(), put(), import_contacts(), export_contacts(), remove_contact()});
}

}  // namespace merpati::cli
