// Checks of the official platform: whether its webhooks can be verified.
#include <algorithm>

#include <fmt/format.h>

#include "cli/doctor/finding.hpp"
#include "cli/text_file.hpp"
#include "model/connector.hpp"
#include "model/device.hpp"

namespace merpati::cli::doctor {
namespace {

constexpr std::string_view subject = "cloud";
constexpr std::string_view no_secret_remedy =
    "set cloud.app_secret_file, or give each device its own: `merpati device set NUMBER "
    "--app-secret-file FILE`";

/// How the webhook's refusal begins (api/cloud_webhook.cpp).
constexpr std::string_view no_secret_known = "no secret of the platform's app is known";

/// Devices on the official platform.
struct Devices {
    std::size_t all = 0;
    std::size_t without_secret = 0;  // Of their own.
};

/// The running server does not tell which device has a secret, but whether any secret is known.
Devices devices_of_server(const AskServer& ask) {
    const auto listed = ask(http::Method::get, "/devices?limit=1000");
    Devices found;
    if (!listed) {
        return found;
    }
    for (const auto& device : listed->at("items").as_array()) {
        found.all +=
            std::string_view{device.at("connector").as_string()} == model::cloud_connector ? 1 : 0;
    }
    const auto posted = found.all > 0 ? ask(http::Method::post, "/platform/cloud") : listed;
    found.without_secret =
        !posted && posted.error().detail.starts_with(no_secret_known) ? found.all : 0;
    return found;
}

Devices devices_of_store(const config::Settings& settings) {
    Devices found;
    const auto opened = store::open_store({.url = settings.store.url,
                                           .key_file = settings.store.key_file.value_or(""),
                                           .create = false,
                                           .migrate = false});
    const auto reader = opened ? (*opened)->open_reader() : pass(opened);
    const auto devices = reader ? (*reader)->devices() : pass(reader);
    if (!devices) {
        return found;  // `check_store` has said why.
    }
    // No other name is between this one and that of the secret.
    auto before = std::string{model::CloudNumber::app_secret_name};
    before.pop_back();
    for (const auto& device : *devices) {
        if (device.connector != model::cloud_connector) {
            continue;
        }
        const auto secrets = (*reader)->device_secrets(device.number, before, 1);
        const bool has_secret = secrets && !secrets->empty() &&
                                secrets->front().name == model::CloudNumber::app_secret_name;
        ++found.all;
        found.without_secret += has_secret ? 0 : 1;
    }
    return found;
}

/// Whether the file of the app's secret can be read.
bool check_secret(const std::string& file, Findings& findings) {
    const auto secret = read_text_file(file, model::CloudNumber::secret_bytes_max);
    const bool readable = secret && !secret->empty();
    findings.push_back(
        {.subject = subject,
         .verdict = readable ? Verdict::good : Verdict::wrong,
         .found = readable ? fmt::format("{} has the app's secret", file)
                           : fmt::format("no secret of the app can be read from {}{}", file,
                                         secret ? "" : ": " + secret.error().detail),
         .remedy = readable ? ""
                            : "cloud.app_secret_file must hold the secret alone; the server "
                              "reads it at its start"});
    return readable;
}

}  // namespace

void check_cloud(const config::Settings& settings, const AskServer& ask, Findings& findings) {
    const auto& file = settings.cloud.app_secret_file;
    const bool has_secret = file && check_secret(file->string(), findings);
    if (has_secret) {
        return;
    }
    const auto devices = ask ? devices_of_server(ask) : devices_of_store(settings);
    if (devices.without_secret > 0) {
        findings.push_back(
            {.subject = subject,
             .verdict = Verdict::wrong,
             .found = fmt::format("{} of {} devices on the official platform have no app secret, "
                                  "so its webhooks for them are refused: their messages count as "
                                  "sent without a status, and what they receive is lost",
                                  devices.without_secret, devices.all),
             .remedy = std::string{no_secret_remedy}});
    } else if (devices.all == 0 && settings.cloud.verify_token) {
        findings.push_back({.subject = subject,
                            .verdict = Verdict::note,
                            .found =
                                "cloud.verify_token is set, but no app secret: webhooks of the "
                                "official platform are refused",
                            .remedy = std::string{no_secret_remedy}});
    }
}

}  // namespace merpati::cli::doctor
