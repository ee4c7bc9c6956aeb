// merpati device …
#include <chrono>

#include <CLI/App.hpp>

#include "api/manage/accounts/limits.hpp"
#include "cli/commands.hpp"
#include "cli/device_number.hpp"
#include "cli/request_command.hpp"
#include "model/device.hpp"

namespace merpati::cli {
namespace {

/// Longer than the server waits for a platform.
constexpr std::chrono::seconds asked_within{60};

constexpr Column sheet[]{
    "number",
    "connector",
    "simulated",
    "state",
    {"state_since", "since"},
    {"state_reason", "why"},
    "restricted_until",
    {"paused_since", "paused"},
    {"paused_reason", "pause"},
    "account",
    "webhook",
    "gap_ms",
    "jitter_ms",
    {"per_day_max", "per day"},
    {"warm_up_days", "warm-up days"},
    "created_at",
    "exported_at",
    "phone_number_id",
    {"waba_id", "business account"},
    "fallback_template",
    "removed",
};

constexpr Column check_sheet[]{"number", "registered", "checked_at"};

constexpr Column template_columns[]{
    "name", "language", "category", "status", "variables", {"header_needs", "header"}, "body"};

constexpr Column list_columns[]{"number",    "state",   {"paused_since", "paused"},
                                "connector", "account", {"state_since", "since"},
                                "webhook"};

/// What the official platform calls a device stands among its other fields.
boost::json::object as_shown(const boost::json::object& device) {
    auto shown = device;
    const auto* cloud = device.if_contains("cloud");
    if (cloud == nullptr || !cloud->is_object()) {
        shown.erase("fallback_template");
        return shown;
    }
    for (const auto& [name, value] : cloud->get_object()) {
        shown[name] = value;
    }
    return shown;
}

/// Of a device on the official platform.
std::vector<Parameter> access_options() {
    constexpr auto secret_max = model::CloudNumber::secret_bytes_max;
    return {{.name = "--phone-number-id",
             .help = "Connector cloud: the platform's id of the number",
             .shape = "ID",
             .field = "cloud.phone_number_id"},
            {.name = "--token-file",
             .help = "Connector cloud: file with the number's token",
             .shape = "FILE",
             .field = "cloud.token",
             .file_bytes_max = secret_max},
            {.name = "--waba-id",
             .help = "Connector cloud: the id of its business account, for templates",
             .shape = "ID",
             .takes_none = true,
             .field = "cloud.waba_id"},
            {.name = "--app-secret-file",
             .help = "Connector cloud: file with its app's secret, for its webhooks",
             .shape = "FILE",
             .field = "cloud.app_secret",
             .file_bytes_max = secret_max}};
}

/// The options that `add` and `set` share.
std::vector<Parameter> choices() {
    return joined(
        {
            {.name = "--webhook",
             .help = "URL for its events (https)",
             .shape = "URL",
             .takes_none = true,
             .field = "webhook"},
            {.name = "--gap",
             .help = "Shortest time between two sends",
             .shape = "DURATION",
             .check = duration(std::chrono::ceil<std::chrono::seconds>(api::manage::gap_max)),
             .field = "gap_ms",
             .value_of = as_milliseconds},
            {.name = "--jitter",
             .help = "Random addition to each gap, at most this",
             .shape = "DURATION",
             .check = duration(std::chrono::ceil<std::chrono::seconds>(api::manage::gap_max)),
             .field = "jitter_ms",
             .value_of = as_milliseconds},
            {.name = "--per-day",
             .help = "Most sends in a day (UTC); none: no cap",
             .shape = "N",
             .check = whole_number(1, api::manage::per_day_most),
             .takes_none = true,
             .field = "per_day_max",
             .value_of = as_number},
            {.name = "--warm-up",
             .help = "Days in which the cap of a new device grows to --per-day; 0: none",
             .shape = "DAYS",
             .check = whole_number(0, api::manage::warm_up_days_max),
             .field = "warm_up_days",
             .value_of = as_number},
        },
        access_options());
}

std::vector<RequestCommand> commands() {
    return {
        {.text =
             {.name = "add",
              .summary = "Add a sender number to an account",
              .details =
                  "A simulated device is connected at once. Adding an account's own number "
                  "again\nis no error; it changes the webhook and the pace if you give them.\n\n"
                  "With --connector cloud, --phone-number-id and --token-file belong together:\n"
                  "the platform is asked whether the token opens that number before anything\n"
                  "is stored. Without them the device waits for a token.",
              .example = "merpati device add acc_1 6281234567890\n"
                         "merpati device add acc_1 6281234567890 --connector cloud "
                         "--phone-number-id ID --token-file FILE"},
         .method = http::Method::post,
         .path = "/devices",
         .parameters = joined({account_argument("Whose device it is: acc_1, or 1"),
                               {.name = "NUMBER",
                                .help = "In international format, digits only",
                                .check = phone_number(),
                                .field = "number"},
                               {.name = "--connector",
                                .help = "How it reaches its platform: see merpati connector list",
                                .shape = "NAME",
                                .field = "connector"}},
                              choices()),
         .columns = sheet,
         .view = as_shown,
         .timeout = asked_within},
        {.text = {.name = "list",
                  .summary = "List devices, of one account or of all",
                  .example = "merpati device list\nmerpati device list acc_1"},
         .path = "/devices",
         .parameters = {{.name = "ACCOUNT",
                         .help = "The account: acc_1, or 1; default: all",
                         .field = "account",
                         .optional = true}},
         .columns = list_columns,
         .when_empty = "There are no devices: merpati device add ACCOUNT NUMBER"},
        {.text =
             {.name = "set",
              .summary = "Change a device's webhook, and how fast it sends",
              .details =
                  "Changes only what you give. A running server applies it at once, also "
                  "to\nmessages that wait. A new device has the pace of its connector.\n\n"
                  "The platform is asked about a new token, which connects the device. A bad "
                  "one\nis refused, and the old one stays. A fallback template must be approved "
                  "and have\none variable in its body: `merpati device templates` lists them.",
              .example = "merpati device set 6281234567890 --gap 1s --jitter 2s --per-day 500\n"
                         "merpati device set 6281234567890 --token-file token.txt"},
         .method = http::Method::patch,
         .path = "/devices/{}",
         .parameters = joined({device_number,
                               {.name = "--fallback-template",
                                .help = "Connector cloud: for texts that go as templates alone",
                                .shape = "NAME:LANGUAGE",
                                .takes_none = true,
                                .field = "fallback_template"}},
                              choices()),
         .columns = sheet,
         .view = as_shown,
         .timeout = asked_within},
        {.text = {.name = "templates",
                  .summary = "List the templates of a device's business account",
                  .details = "Of a device on the connector cloud with a --waba-id.",
                  .example = "merpati device templates 6281234567890"},
         .path = "/devices/{}/templates",
         .parameters = {device_number},
         .columns = template_columns,
         .when_empty = "The business account has no templates.",
         .timeout = asked_within},
        {.text = {.name = "connect",
                  .summary = "Connect a device; it begins to send what waits",
                  .details = "On a stopped server it is connected when the server starts.",
                  .example = "merpati device connect 6281234567890"},
         .method = http::Method::post,
         .path = "/devices/{}/connect",
         .parameters = {device_number,
                        {.name = "--force",
                         .help = "Even if it was exported; nothing else may use it any more",
                         .field = "force",
                         .value_of = as_true,
                         .is_flag = true}},
         .columns = sheet,
         .view = as_shown},
        {.text = {.name = "disconnect",
                  .summary = "Disconnect a device; its messages wait",
                  .details = "Requests that send from it are refused until it is connected again.",
                  .example = "merpati device disconnect 6281234567890"},
         .method = http::Method::post,
         .path = "/devices/{}/disconnect",
         .parameters = {device_number},
         .columns = sheet,
         .view = as_shown},
        {.text = {.name = "pause",
                  .summary = "Hold a device's messages until it is resumed",
                  .details = "It stays connected, and requests that send from it are accepted. "
                             "Its\nmessages wait without a time limit.",
                  .example = "merpati device pause 6281234567890"},
         .method = http::Method::post,
         .path = "/devices/{}/pause",
         .parameters = {device_number},
         .columns = sheet,
         .view = as_shown},
        {.text = {.name = "resume",
                  .summary = "Let a paused device send again",
                  .details = "It sends the messages that wait, at its pace.",
                  .example = "merpati device resume 6281234567890"},
         .method = http::Method::post,
         .path = "/devices/{}/resume",
         .parameters = {device_number},
         .columns = sheet,
         .view = as_shown},
        {.text =
             {.name = "check",
              .summary = "Ask a device's platform whether a number is registered",
              .details =
                  "Platforms ban numbers that ask about many others: a device may ask 10 times\n"
                  "at once, then once a minute. A send checks this by itself.",
              .example = "merpati device check 6281234567890 6289876543210"},
         .path = "/devices/{}/recipient",
         .parameters = {device_number,
                        {.name = "RECIPIENT",
                         .help = "The number to look up",
                         .check = phone_number(),
                         .field = "number"}},
         .columns = check_sheet},
        {.text = {.name = "remove",
                  .summary = "Remove a device for which nothing waits",
                  .example = "merpati device remove 6281234567890"},
         .method = http::Method::del,
         .path = "/devices/{}",
         .parameters = {device_number},
         .columns = sheet,
         .view = as_shown},
    };
}

}  // namespace

void add_device_commands(Program& program) {
    auto& group = program.add_group(
        program.root(), {.name = "device",
                         .summary = "Devices: the numbers that messages are sent from",
                         .example = "merpati device add acc_1 6281234567890\nmerpati device list",
                         .section = section::accounts});
    add_request_commands(program, group, commands());
    add_device_pair(program, group);
    add_device_queue(program, group);
    add_device_moves(program, group);
}

}  // namespace merpati::cli
