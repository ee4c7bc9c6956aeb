#include "daemon/options.hpp"

#include <algorithm>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>

#include "admission/checks.hpp"
#include "config/local_files.hpp"
#include "forwarding/receiving_desk.hpp"
#include "model/store_url.hpp"

namespace merpati::daemon {
namespace {

std::string path_text(const std::optional<std::filesystem::path>& path) {
    return path ? path->string() : std::string{};
}

}  // namespace

telemetry::Log make_log(const Clock& clock, const config::LogSettings& settings) {
    const auto by_terminal =
        ::isatty(STDERR_FILENO) != 0 ? telemetry::Format::text : telemetry::Format::json;
    return {clock, settings.level, settings.format.value_or(by_terminal)};
}

Result<std::vector<outbound::Cidr>> allowed_ranges(const config::Settings& settings) {
    std::vector<outbound::Cidr> ranges;
    for (const auto& text : settings.outbound.allow) {
        auto range = outbound::Cidr::parse(text);
        if (!range) {
            return pass(range);
        }
        ranges.push_back(*range);
    }
    return ranges;
}

store::StoreOptions store_options(const config::Settings& settings) {
    store::StoreOptions options{.url = settings.store.url,
                                .key_file = settings.store.key_file.value_or("")};
    if (model::is_postgresql(options.url)) {
        options.lock_file = config::local_files(settings.store) + ".lock";
    }
    return options;
}

store::StoreOptions served_store_options(const config::Settings& settings, telemetry::Log log) {
    auto options = store_options(settings);
    options.reserve_bytes = settings.store.reserve_bytes;
    options.on_damage = [log = std::move(log)](std::string_view place) {
        log.error("the store is damaged; the rest works (docs/operations.md, Damage)",
                  {{"place", place}});
    };
    return options;
}

http::Options http_options(const config::Settings& settings) {
    const auto& http = settings.http;
    http::Options options;
    options.listen = http.listen;
    options.local_socket = config::local_socket_path(settings.store);
    options.threads =
        http.threads != 0 ? http.threads : std::max(1U, std::thread::hardware_concurrency());
    options.tls_certificate = path_text(http.tls.certificate);
    options.tls_key = path_text(http.tls.key);
    options.limits.body_max = http.body_max;
    options.limits.connections_max = http.connections_max;
    options.limits.header_timeout = http.header_timeout;
    options.limits.body_timeout = http.body_timeout;
    options.limits.idle_timeout = http.idle_timeout;
    options.limits.write_timeout = http.write_timeout;
    return options;
}

http::Options metrics_http_options(const config::Settings& settings) {
    auto options = http_options(settings);
    options.listen = {*settings.metrics.listen};
    options.local_socket.clear();
    options.threads = 1;
    return options;
}

/// Its connections are kept for longer than other nodes use them.
http::Options cluster_http_options(const config::Settings& settings) {
    using Desk = forwarding::ReceivingDesk;
    auto options = http_options(settings);
    options.listen = {*settings.cluster.listen};
    options.local_socket.clear();
    options.tls_certificate.clear();
    options.tls_key.clear();
    options.limits.header_bytes_max += Desk::added_header_bytes;
    options.limits.header_count_max += Desk::added_headers;
    options.limits.idle_timeout =
        std::max<std::chrono::seconds>(options.limits.idle_timeout, std::chrono::minutes{5});
    return options;
}

api::AuthenticatorOptions authenticator_options(const config::Settings& settings) {
    const auto& api = settings.api;
    api::AuthenticatorOptions options;
    options.default_revision = api.default_revision;
    options.default_rate = api.rate;
    return options;
}

api::AppAddress app_address(const config::Settings& settings) {
    const auto url = settings.app.url.value_or("");
    return {.is_https = url.starts_with("https://"), .is_http = url.starts_with("http://")};
}

people::SessionLimits session_limits(const config::Settings& settings) {
    return {.idle = settings.app.session_idle, .longest = settings.app.session_max};
}

std::string app_url(const config::Settings& settings, const std::vector<std::string>& listening) {
    if (settings.app.url) {
        return *settings.app.url;
    }
    // A browser cannot open the wildcard address.
    std::string host = listening.empty() ? settings.http.listen.front() : listening.front();
    for (const auto& [all, local] :
         {std::pair{std::string_view{"0.0.0.0:"}, std::string_view{"127.0.0.1:"}},
          std::pair{std::string_view{"[::]:"}, std::string_view{"[::1]:"}}}) {
        if (host.starts_with(all)) {
            host.replace(0, all.size(), local);
        }
    }
    return fmt::format("{}://{}", settings.http.tls.certificate ? "https" : "http", host);
}

outbound::Schemes callback_schemes(const config::Settings& settings) {
    return settings.outbound.allow_http_callbacks ? outbound::Schemes::http_and_https
                                                  : outbound::Schemes::https_only;
}

admission::AdmissionOptions admission_options(const config::Settings& settings) {
    return {.random_delay_max = static_cast<std::uint32_t>(settings.api.random_delay_max.count()),
            .callback_schemes = callback_schemes(settings)};
}

api::SendOptions send_options(const config::Settings& settings) {
    const auto& revision_b = settings.api.revision_b;
    return {.revision_b_wait = revision_b.wait,
            .revision_b_outcome = revision_b.respond == config::RespondWith::outcome};
}

api::BulkOptions bulk_options(const config::Settings& settings) {
    return {.app = app_address(settings),
            .default_rate = settings.api.rate,
            .message_bytes_max = settings.http.body_max};
}

api::DeviceAddnewOptions device_options(const config::Settings& settings) {
    return {.default_connector = settings.devices.default_connector,
            .webhook_schemes = callback_schemes(settings)};
}

scheduler::Options scheduler_options(const config::Settings& settings, media::FileSource& files,
                                     const telemetry::Log& log) {
    const auto& from = settings.scheduler;
    scheduler::Options options;
    options.give_up = from.give_up;
    options.retry_first = from.retry_first;
    options.retry_max = from.retry_max;
    options.memory_max = from.memory_messages_max;
    options.window = from.window;
    options.files = &files;
    options.recipient_possible = admission::recipient_possible;
    options.on_store_error = [log](const Error& error) {
        log.error("cannot read waiting messages; trying again", {{"why", error.detail}});
    };
    return options;
}

std::string under_way_file(const config::Settings& settings, std::string_view of_what) {
    return fmt::format("{}.{}-under-way", config::local_files(settings.store), of_what);
}

std::function<void(std::string_view, const Error&)> start_failure_listener(telemetry::Log log) {
    return [log = std::move(log)](std::string_view name, const Error& error) {
        log.error("a connector does not start; its devices stay disconnected",
                  {{"connector", name}, {"why", error.detail}});
    };
}

std::function<void(std::string_view)> unread_proxy_listener(telemetry::Log log) {
    return [log = std::move(log)](std::string_view forwarded) {
        log.warn("a proxy's X-Forwarded-For cannot be read: all its clients count as one",
                 {{"address", forwarded}});
    };
}

callback::Options callback_options(const config::Settings& settings,
                                   std::function<bool()> may_begin,
                                   std::function<void(const store::QueuedCallback&)> on_attempt,
                                   const telemetry::Log& log) {
    callback::Options options;
    options.may_begin = std::move(may_begin);
    options.on_attempt = std::move(on_attempt);
    options.timeout = settings.callback.timeout;
    options.per_origin_max = settings.callback.per_origin_max;
    options.total_max = settings.callback.total_max;
    options.allow_http = settings.outbound.allow_http_callbacks;
    options.under_way_file = under_way_file(settings, "callbacks");
    options.on_file_error = [log](const Error& error) {
        log.warn(
            "callbacks in flight are not listed: after a crash none is tried later than others",
            {{"why", error.detail}});
    };
    options.on_store_error = [log](const Error& error) {
        log.error("cannot read waiting callbacks; trying again", {{"why", error.detail}});
    };
    return options;
}

/// systemd recommends two notifications in each watchdog period; this sends at least three.
HealthOptions health_options(std::optional<std::chrono::microseconds> watchdog) {
    constexpr Millis shortest{10};
    HealthOptions options;
    if (watchdog) {
        options.every =
            std::clamp(std::chrono::duration_cast<Millis>(*watchdog) / 3, shortest, options.every);
    }
    return options;
}

outbound::ClientOptions client_options(const config::Settings& settings) {
    outbound::ClientOptions options;
    options.ca_file = path_text(settings.outbound.ca_file);
    return options;
}

media::FetcherOptions media_options(const config::Settings& settings, const telemetry::Log& log) {
    media::FetcherOptions options;
    options.probes.bytes_max = settings.media.max_bytes;
    auto& cache = options.cache;
    cache.folder = settings.media.folder.value_or("merpati-media");
    cache.group_reads = settings.linked.socket.has_value() ||
                        std::ranges::any_of(settings.workers.by_name, [](const auto& worker) {
                            return worker.second.socket.has_value();
                        });
    cache.bytes_max = settings.media.max_bytes;
    cache.kept_bytes_max = settings.media.kept_bytes_max;
    cache.kept_for = settings.media.kept_for;
    cache.on_disk_trouble = [log, folder = cache.folder.string()] {
        log.error("cannot write media files; trying again", {{"folder", folder}});
    };
    options.under_way_file = under_way_file(settings, "media");
    options.on_file_error = [log](const Error& error) {
        log.warn("media hosts in use are not listed: after a crash none is put off",
                 {{"why", error.detail}});
    };
    return options;
}

}  // namespace merpati::daemon
