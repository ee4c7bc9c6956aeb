#include "daemon/readings.hpp"

namespace merpati::daemon {

namespace {

/// Appends one figure after the other.
class Adder {
public:
    explicit Adder(std::vector<telemetry::Reading>& readings) : readings_(readings) {}

    void operator()(std::string_view name, std::string_view help, bool counter,
                    std::uint64_t value) {
        readings_.push_back({.name = name, .help = help, .counter = counter, .read = [value] {
                                 return static_cast<double>(value);
                             }});
    }

private:
    std::vector<telemetry::Reading>& readings_;
};

void add_media(Adder& add, const Watched& rooms) {
    const auto probes = rooms.prober.counts();
    const auto files = rooms.library.counts();
    add("merpati_media_probes_total", "Media addresses looked at", true, probes.probes_total);
    add("merpati_media_probes_shared_total", "Requests answered by another's look", true,
        probes.shared_total);
    add("merpati_media_probes_undecided_total", "Looks that left the file for later", true,
        probes.undecided_total);
    add("merpati_media_probes_in_flight", "Looks under way", false, probes.in_flight);
    add("merpati_media_probes_waiting", "Looks that wait for their turn", false, probes.waiting);
    add("merpati_media_fetched_total", "Media files fetched", true, files.fetched_total);
    add("merpati_media_fetched_bytes_total", "Bytes of media fetched", true,
        files.fetched_bytes_total);
    add("merpati_media_fetch_failures_total", "Fetches that ended without a file", true,
        files.failed_total);
    add("merpati_media_refused_total", "Messages whose file was of a type not allowed", true,
        files.refused_total);
    add("merpati_media_shared_total", "Messages served by another's fetch", true,
        files.shared_total);
    add("merpati_media_revalidated_total", "Kept files that their host confirmed", true,
        files.revalidated_total);
    add("merpati_media_removed_total", "Kept files removed by age or for room", true,
        files.removed_total);
    add("merpati_media_fetches_in_flight", "Fetches under way", false, files.in_flight);
    add("merpati_media_fetches_waiting", "Fetches that wait for a turn or a next try", false,
        files.waiting);
    add("merpati_media_kept_files", "Media files kept", false, files.kept_files);
    add("merpati_media_kept_bytes", "Bytes of media kept", false, files.kept_bytes);
}

}  // namespace

std::vector<telemetry::Reading> readings_of(const Watched& rooms) {
    const auto store = rooms.committer.counts();
    const auto lanes = rooms.scheduler.counts();
    const auto callbacks = rooms.sender.counts();
    const auto http = rooms.server.counts();
    std::vector<telemetry::Reading> readings;
    Adder add{readings};
    add("merpati_commits_total", "Group commits", true, store.commits);
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
    add_media(add, rooms);
    return readings;
}

}  // namespace merpati::daemon
