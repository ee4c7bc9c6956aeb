#include "daemon/figures.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

namespace merpati::daemon {

namespace {

/// Appends figures that have one sample and no labels.
class Adder {
public:
    explicit Adder(std::vector<telemetry::Figure>& figures) : figures_(figures) {}

    void operator()(std::string_view name, std::string_view help, bool counter,
                    std::uint64_t value) {
        figures_.push_back({.name = name,
                            .help = help,
                            .counter = counter,
                            .samples = {{.value = static_cast<double>(value)}}});
    }

private:
    std::vector<telemetry::Figure>& figures_;
};

std::size_t accounts_here(const Counted& rooms) {
    const auto here = rooms.core.ownership.here();
    if (here.is_all()) {
        return rooms.core.directory.count_accounts();
    }
    const auto accounts = rooms.core.directory.accounts();
    return static_cast<std::size_t>(std::ranges::count_if(
        accounts, [&](const model::Account& account) { return here.has(account.id); }));
}

void add_media(Adder& add, const Counted& rooms) {
    const auto probes = rooms.sending.media_fetcher.probe_counts();
    const auto files = rooms.sending.media_fetcher.cache_counts();
    add("merpati_media_probes_total", "Media URLs probed", true, probes.probes_total);
    add("merpati_media_probes_shared_total", "Requests answered by another request's probe", true,
        probes.shared_total);
    add("merpati_media_probes_undecided_total",
        "Probes without a verdict; the file is judged when it is fetched", true,
        probes.undecided_total);
    add("merpati_media_probes_in_flight", "Probes in flight", false, probes.in_flight);
    add("merpati_media_probes_waiting", "Probes that wait for a slot", false, probes.waiting);
    add("merpati_media_fetched_total", "Media files fetched", true, files.fetched_total);
    add("merpati_media_fetched_bytes_total", "Bytes of media fetched", true,
        files.fetched_bytes_total);
    add("merpati_media_fetch_failures_total", "Fetches that ended without a file", true,
        files.failed_total);
    add("merpati_media_refused_total", "Messages whose file was of a type not allowed", true,
        files.refused_total);
    add("merpati_media_shared_total", "Messages served by another message's fetch", true,
        files.shared_total);
    add("merpati_media_removed_total", "Files removed from the cache, by age or to free space",
        true, files.removed_total);
    add("merpati_media_fetches_in_flight", "Fetches in flight", false, files.in_flight);
    add("merpati_media_fetches_waiting", "Fetches that wait for a slot or a retry", false,
        files.waiting);
    add("merpati_media_kept_files", "Media files kept", false, files.kept_files);
    add("merpati_media_kept_bytes", "Bytes of media kept", false, files.kept_bytes);
}

std::array<std::size_t, model::device_states_count> devices_here(const Counted& rooms) {
    const auto here = rooms.core.ownership.here();
    if (here.is_all()) {
        return rooms.core.directory.devices_by_state();
    }
    std::array<std::size_t, model::device_states_count> counts{};
    for (const auto& device : rooms.core.directory.devices(std::nullopt)) {
        counts.at(static_cast<std::size_t>(device.state)) += here.has(device.account) ? 1 : 0;
    }
    return counts;
}

telemetry::Figure devices(const Counted& rooms) {
    telemetry::Figure figure{.name = "merpati_devices", .help = "Devices, by state"};
    const auto counts = devices_here(rooms);
    for (std::size_t state = 0; state < counts.size(); ++state) {
        const auto word = model::to_string(static_cast<model::DeviceState>(state));
        figure.samples.push_back({.labels = {{"state", std::string{word}}},
                                  .value = static_cast<double>(counts[state])});
    }
    return figure;
}

void add_campaigns(Adder& add, std::vector<telemetry::Figure>& figures, const Counted& rooms) {
    telemetry::Figure states{.name = "merpati_campaigns",
                             .help = "Campaigns that have not ended, by state"};
    const auto counts = rooms.core.open_campaigns.count_by_state();
    for (const auto state : {model::CampaignState::scheduled, model::CampaignState::running,
                             model::CampaignState::paused}) {
        states.samples.push_back(
            {.labels = {{"state", std::string{model::to_string(state)}}},
             .value = static_cast<double>(counts[static_cast<std::size_t>(state)])});
    }
    figures.push_back(std::move(states));
    const auto rows = rooms.campaigns.counts();
    add("merpati_campaign_rows_total", "Recipients whose messages were handed to their lanes", true,
        rows.queued_total);
    add("merpati_campaign_rows_skipped_total", "Recipients that were skipped when they were due",
        true, rows.skipped_total);
    add("merpati_campaign_rows_withdrawn_total",
        "Messages that returned to their campaigns before they were sent", true,
        rooms.sending.scheduler.counts().withdrawn_total);
    add("merpati_campaign_handovers_total", "Commits that handed recipients over", true,
        rows.batches_total);
}

telemetry::Figure connectors(const connector::Connectors& all) {
    telemetry::Figure figure{.name = "merpati_connector_up",
                             .help = "Whether devices of a connector can work"};
    const auto troubles = all.troubles();
    for (const auto& name : all.names()) {
        figure.samples.push_back(
            {.labels = {{"connector", name}}, .value = troubles.contains(name) ? 0.0 : 1.0});
    }
    return figure;
}

void add_callbacks(Adder& add, std::vector<telemetry::Figure>& figures,
                   const callback::Counts& counts) {
    telemetry::Figure attempts{.name = "merpati_callback_attempts_total",
                               .help = "Attempts to deliver a callback, by result",
                               .counter = true};
    for (std::size_t result = 0; result < counts.attempts.size(); ++result) {
        const auto word = callback::to_string(static_cast<callback::AttemptResult>(result));
        attempts.samples.push_back({.labels = {{"result", std::string{word}}},
                                    .value = static_cast<double>(counts.attempts[result])});
    }
    figures.push_back(std::move(attempts));
    add("merpati_callbacks_exhausted_total", "Callbacks given up", true, counts.exhausted_total);
    add("merpati_callback_reads_failed_total", "Reads of waiting callbacks that failed", true,
        counts.reads_failed_total);
    add("merpati_callbacks_in_memory", "Due callbacks held in memory", false, counts.in_memory);
    add("merpati_callbacks_in_flight", "Callback attempts in flight", false, counts.in_flight);
    add("merpati_callbacks_slow_in_flight",
        "Callback attempts in flight to endpoints that do not answer promptly", false,
        counts.slow_in_flight);
    add("merpati_callbacks_held_back", "Callbacks in flight when the process died, not yet retried",
        false, counts.suspects);
    add("merpati_callback_origins", "Endpoints with a queue in memory", false, counts.origins);
    add("merpati_callback_breakers_open", "Endpoints that keep failing", false,
        counts.breakers_open);
}

void add_http(Adder& add, std::vector<telemetry::Figure>& figures, const http::Server& server,
              std::size_t streams) {
    const auto counts = server.counts();
    add("merpati_http_connections", "Open connections", false, counts.connections_open);
    add("merpati_http_connections_total", "Connections accepted", true, counts.connections_total);
    add("merpati_http_requests_total", "Requests read", true, counts.requests_total);
    add("merpati_http_refused_total", "Requests refused for framing, limits or overload", true,
        counts.refused_total);
    add("merpati_http_shed_total", "Connections closed to make room for others", true,
        counts.shed_total);
    add("merpati_http_hung_up_total", "Clients that hung up while they waited for an answer", true,
        counts.hung_up_total);
    add("merpati_http_anonymous_bytes", "Memory held for anonymous connections", false,
        counts.anonymous_bytes);
    add("merpati_http_caller_bytes", "Unread answers and partial requests of known callers", false,
        counts.caller_bytes);
    add("merpati_event_streams", "Open streams of events", false, streams);
    static constexpr std::array classes{"1xx", "2xx", "3xx", "4xx", "5xx"};
    telemetry::Figure answers{.name = "merpati_http_answers_total",
                              .help = "Answers, by route and class of status",
                              .counter = true};
    for (const auto& row : server.answers()) {
        for (std::size_t place = 0; place < classes.size(); ++place) {
            if (row.by_class[place] > 0) {
                answers.samples.push_back(
                    {.labels = {{"route", row.path.empty() ? "none" : row.path},
                                {"status", classes[place]}},
                     .value = static_cast<double>(row.by_class[place])});
            }
        }
    }
    figures.push_back(std::move(answers));
}

}  // namespace

std::vector<telemetry::Figure> figures_of(const Counted& rooms) {
    const auto store = rooms.core.committer.counts();
    const auto lanes = rooms.sending.scheduler.counts();
    std::vector<telemetry::Figure> figures;
    rooms.core.tally.add_to(figures);
    Adder add{figures};
    add("merpati_store_waiting", "Operations that wait for the next commit", false, store.waiting);
    add("merpati_lanes", "Devices the scheduler knows", false, lanes.lanes);
    add("merpati_messages_in_memory", "Waiting messages held in memory", false,
        lanes.messages_in_memory);
    add("merpati_sends_in_flight", "Messages with the platform or being committed", false,
        lanes.sends_in_flight);
    add("merpati_messages_awaiting_files", "Media messages that are due, but for their file", false,
        lanes.awaiting_files);
    add("merpati_send_attempts_total", "Attempts to send", true, lanes.attempts_total);
    add("merpati_send_retries_total", "Attempts put back after a passing failure", true,
        lanes.retries_total);
    add("merpati_store_bytes", "What the store takes of its disk", false,
        rooms.core.store.bytes_on_disk());
    add("merpati_store_log_bytes", "The log of commits that is not yet part of the store", false,
        rooms.core.store.condition().log_bytes());
    add("merpati_store_reconnects_total", "How often the store came back after it was away", true,
        rooms.core.store.condition().reconnects());
    add("merpati_node_accounts", "Accounts that this server works for", false,
        accounts_here(rooms));
    add("merpati_forwarded_requests_total", "Requests passed on to another server", true,
        rooms.passed_total ? rooms.passed_total() : 0);
    add("merpati_lease_lost_total", "How often the lease could not be renewed in time", true,
        rooms.core.node == nullptr ? 0 : rooms.core.node->leases_lost());
    add("merpati_clock_steps_total", "How often the machine's clock was set", true,
        rooms.core.queue_clock.steps());
    figures.push_back(
        {.name = "merpati_clock_offset_seconds",
         .help = "By how far queue time is ahead of the machine's clock",
         .samples = {
             {.value = std::chrono::duration<double>(rooms.core.queue_clock.offset()).count()}}});
    figures.push_back(devices(rooms));
    figures.push_back(connectors(rooms.sending.connectors));
    add_callbacks(add, figures, rooms.sending.callbacks.counts());
    add_http(add, figures, rooms.server, rooms.core.events.streams());
    add_media(add, rooms);
    add_campaigns(add, figures, rooms);
    return figures;
}

api::Monitoring monitoring_of(const Counted& rooms, const Health& health) {
    api::Monitoring monitoring;
    monitoring.version = MERPATI_VERSION;
    monitoring.unready = [&health] { return health.unready(); };
    monitoring.degraded = [&connectors = rooms.sending.connectors] {
        std::vector<api::Unready> parts;
        for (auto& [name, trouble] : connectors.troubles()) {
            parts.push_back({.part = "connector " + name, .reason = trouble});
        }
        return parts;
    };
    monitoring.metrics = [rooms] { return telemetry::render_metrics(figures_of(rooms)); };
    monitoring.metrics_token = rooms.core.settings.metrics.token.value_or("");
    return monitoring;
}

}  // namespace merpati::daemon
