#include "daemon/readings.hpp"

namespace merpati::daemon {

std::vector<telemetry::Reading> readings_of(const store::Committer& committer,
                                            const scheduler::Scheduler& scheduler,
                                            const callback::Sender& sender,
                                            const http::Server& server) {
    const auto store = committer.counts();
    const auto lanes = scheduler.counts();
    const auto callbacks = sender.counts();
    const auto http = server.counts();
    std::vector<telemetry::Reading> readings;
    const auto add = [&readings](std::string_view name, std::string_view help, bool counter,
                                 std::uint64_t value) {
        readings.push_back({.name = name, .help = help, .counter = counter, .read = [value] {
                                return static_cast<double>(value);
                            }});
    };
    add("merpati_commits_total", "Group commits", true, store.commits);
    add("merpati_store_waiting", "Operations that wait for the next commit", false, store.waiting);
    add("merpati_lanes", "Devices the scheduler knows", false, lanes.lanes);
    add("merpati_messages_in_memory", "Waiting messages held in memory", false,
        lanes.messages_in_memory);
    add("merpati_sends_in_flight", "Messages with the platform or being committed", false,
        lanes.sends_in_flight);
    add("merpati_send_attempts_total", "Attempts to send", true, lanes.attempts_total);
    add("merpati_send_retries_total", "Attempts put back after a passing failure", true,
        lanes.retries_total);
    add("merpati_callbacks_delivered_total", "Callbacks answered 2xx", true,
        callbacks.delivered_total);
    add("merpati_callback_failures_total", "Callback attempts that failed", true,
        callbacks.failed_attempts_total);
    add("merpati_callbacks_exhausted_total", "Callbacks given up", true, callbacks.exhausted_total);
    add("merpati_callbacks_in_memory", "Due callbacks held in memory", false, callbacks.in_memory);
    add("merpati_callbacks_in_flight", "Callback attempts under way", false, callbacks.in_flight);
    add("merpati_callback_origins", "Endpoints with waiting callbacks", false, callbacks.origins);
    add("merpati_callback_breakers_open", "Endpoints that keep failing", false,
        callbacks.breakers_open);
    add("merpati_http_connections", "Open connections", false, http.connections_open);
    add("merpati_http_connections_total", "Connections accepted", true, http.connections_total);
    add("merpati_http_requests_total", "Requests read", true, http.requests_total);
    add("merpati_http_refused_total", "Requests refused for framing, limits or overload", true,
        http.refused_total);
    return readings;
}

}  // namespace merpati::daemon
