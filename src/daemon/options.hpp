// Makes the options of each room from the settings.
#pragma once

#include <functional>

#include "admission/admission.hpp"
#include "api/authenticator.hpp"
#include "api/device_addnew.hpp"
#include "api/send/bulk.hpp"
#include "api/send/send.hpp"
#include "api/session_cookie.hpp"
#include "base/error.hpp"
#include "callback/sender.hpp"
#include "config/settings.hpp"
#include "daemon/health.hpp"
#include "http/server.hpp"
#include "media/media_fetcher.hpp"
#include "outbound/address_policy.hpp"
#include "outbound/client.hpp"
#include "outbound/url.hpp"
#include "people/people_directory.hpp"
#include "scheduler/scheduler.hpp"
#include "store/store.hpp"
#include "telemetry/log.hpp"

namespace merpati::daemon {

[[nodiscard]] telemetry::Log make_log(const Clock& clock, const config::LogSettings& settings);

/// Errors: invalid_argument (a range of outbound.allow).
[[nodiscard]] Result<std::vector<outbound::Cidr>> allowed_ranges(const config::Settings& settings);

[[nodiscard]] store::StoreOptions store_options(const config::Settings& settings);
/// Of a server, which logs damage.
[[nodiscard]] store::StoreOptions served_store_options(const config::Settings& settings,
                                                       telemetry::Log log);
[[nodiscard]] http::Options http_options(const config::Settings& settings);
/// The options of the separate server for /metrics. metrics.listen must be set.
[[nodiscard]] http::Options metrics_http_options(const config::Settings& settings);
/// The options of the server for other nodes. cluster.listen must be set.
[[nodiscard]] http::Options cluster_http_options(const config::Settings& settings);
[[nodiscard]] api::AuthenticatorOptions authenticator_options(const config::Settings& settings);
[[nodiscard]] api::AppAddress app_address(const config::Settings& settings);
[[nodiscard]] people::SessionLimits session_limits(const config::Settings& settings);
/// The URL at which people open the web app: app.url, or one made from the first address of
/// `listening`, or, if that is empty, from the first of http.listen.
[[nodiscard]] std::string app_url(const config::Settings& settings,
                                  const std::vector<std::string>& listening);
/// The URL schemes that callbacks and webhooks may have.
[[nodiscard]] outbound::Schemes callback_schemes(const config::Settings& settings);
[[nodiscard]] admission::AdmissionOptions admission_options(const config::Settings& settings);
[[nodiscard]] api::SendOptions send_options(const config::Settings& settings);
[[nodiscard]] api::BulkOptions bulk_options(const config::Settings& settings);
[[nodiscard]] api::DeviceAddnewOptions device_options(const config::Settings& settings);
[[nodiscard]] scheduler::Options scheduler_options(const config::Settings& settings,
                                                   media::FileSource& files,
                                                   const telemetry::Log& log);
/// The path of a file that names work in flight (base/under_way_file.hpp), among the server's own
/// (config/local_files.hpp).
[[nodiscard]] std::string under_way_file(const config::Settings& settings,
                                         std::string_view of_what);
/// Logs that a connector does not start.
[[nodiscard]] std::function<void(std::string_view, const Error&)> start_failure_listener(
    telemetry::Log log);
/// Logs that a proxy's X-Forwarded-For cannot be read.
[[nodiscard]] std::function<void(std::string_view)> unread_proxy_listener(telemetry::Log log);
[[nodiscard]] callback::Options callback_options(
    const config::Settings& settings, std::function<bool()> may_begin,
    std::function<void(const store::QueuedCallback&)> on_attempt, const telemetry::Log& log);
/// `watchdog`: how long the server may go without a keep-alive message; empty: there is none.
[[nodiscard]] HealthOptions health_options(std::optional<std::chrono::microseconds> watchdog);
[[nodiscard]] outbound::ClientOptions client_options(const config::Settings& settings);
[[nodiscard]] media::FetcherOptions media_options(const config::Settings& settings,
                                                  const telemetry::Log& log);

}  // namespace merpati::daemon
