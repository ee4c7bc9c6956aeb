#include "config/table.hpp"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "config/address.hpp"
#include "config/file.hpp"
#include "config/text_forms.hpp"
#include "model/device.hpp"

namespace merpati::config {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::string_view worker_prefix = "workers.";
constexpr std::string_view worker_command = ".command";
constexpr std::string_view worker_socket = ".socket";

struct Hints {
    std::string_view example{};
    Secrecy secrecy = Secrecy::open;
};

/// Expands to a setting's key, which is the path of its member in Settings, and a function that
/// returns the member, to read or to write.
#define AT(path) #path, [](auto& settings) -> auto& { return settings.path; }

struct Table {
    std::vector<Row> rows;

    template <class T, class Member>
    void add(std::string_view key, const Member& member, Kind<T> kind, std::string_view sentence,
             Hints hints = {}) {
        static_assert(std::is_same_v<decltype(member(std::declval<Settings&>())), T&>);
        rows.push_back(
            {.key = std::string{key},
             .sentence = sentence,
             .example = hints.example,
             .secrecy = hints.secrecy,
             .type = std::move(kind.type),
             .bounds = std::move(kind.bounds),
             .form = kind.form,
             .text_only = kind.text_only,
             .assign =
                 [read = std::move(kind.read), member](Settings& settings, std::string_view given) {
                     auto value = read(given);
                     if (value) {
                         member(settings) = std::move(*value);
                     }
                     return value.has_value();
                 },
             .print = [print = std::move(kind.print),
                       member](const Settings& settings) { return print(member(settings)); }});
    }
};

void add_http(Table& table) {
    table.add(AT(http.listen),
              list_where("a list of address:port such as 127.0.0.1:8080", 1, 16, is_listen_address),
              "The addresses the API is served on. Port 0 lets the system choose a free one.",
              {.example = "127.0.0.1:8080,[::1]:8080"});
    table.add(AT(http.tls.certificate), optional(path()),
              "PEM file with the certificate and its chain. With http.tls.key it makes every "
              "address serve HTTPS.",
              {.example = "/etc/merpati/tls/fullchain.pem"});
    table.add(AT(http.tls.key), optional(path()), "PEM file with the certificate's private key.",
              {.example = "/etc/merpati/tls/privkey.pem"});
    table.add(AT(http.threads), number(0, 256),
              "Threads that serve connections. 0: as many as the machine has cores.");
    table.add(AT(http.body_max), size_in_bytes(1024, 16 << 20),
              "The largest request body; a larger one is answered 413.");
    table.add(AT(http.connections_max), number(1, 1'000'000),
              "Connections open at once; one more is answered 503, unless another address, account "
              "or person has more.");
    table.add(AT(http.header_timeout), duration(1s, 300s),
              "How long a client may take to send a request's header.");
    table.add(
        AT(http.body_timeout), duration(1s, 300s),
        "How long a client may take to send a request's body. Of an upload: how far it may fall "
        "behind 4 KiB a second.");
    table.add(AT(http.idle_timeout), duration(1s, 3600s),
              "How long a connection may be idle between two requests.");
    table.add(AT(http.write_timeout), duration(1s, 300s),
              "How long a client may take to read its answer.");
    table.add(AT(http.drain_timeout), duration(0s, 600s),
              "How long a stopping server waits for work under way.");
}

void add_store(Table& table) {
    table.add(AT(store.url),
              text_where("sqlite:PATH or postgresql://USER@HOST/DATABASE", is_store_url),
              "Where messages are kept: an SQLite file, or a database of PostgreSQL 15 or newer "
              "(docs/scaling.md), on one of several hosts perhaps. Its password is shown nowhere.",
              {.secrecy = Secrecy::password_in_url});
    table.add(AT(store.key_file), optional(path()),
              "The key that encrypts secrets in the store, made at the first start. Unset: the "
              "SQLite file's path with .key appended. With PostgreSQL it has no default.",
              {.example = "/var/lib/merpati/merpati.db.key"});
    table.add(AT(store.folder), optional(path()),
              "With PostgreSQL, the folder of this server's own files: command socket, lock, media "
              "and calls in flight. Unset: the folder where relative paths start.",
              {.example = "/var/lib/merpati"});
    table.add(AT(store.reserve_bytes), size_in_bytes(1'048'576, std::uint64_t{1} << 40),
              "With SQLite, room on the store's disk that is kept, in a file beside it, for the "
              "outcomes of sends. Where less than as much again is free, no message is accepted.");
}

void add_cluster(Table& table) {
    table.add(AT(cluster.node),
              optional(text_where("a name of up to 253 letters, digits, dots, hyphens and "
                                  "underscores",
                                  is_node_name)),
              "With PostgreSQL, the name of this server among those that share the database "
              "(docs/scaling.md). No two that run may have the same. Unset: the host's name.",
              {.example = "gateway-1"});
    table.add(AT(cluster.listen),
              optional(text_where("address:port such as \"10.0.0.5:8081\"", is_listen_address)),
              "With PostgreSQL, where the other servers pass requests on to this one. Servers that "
              "all have it share the accounts, and each answers all requests. Only the other "
              "servers should reach it: what they pass on is not encrypted. Unset: one server "
              "works at a time, and this one answers no request while another one does.",
              {.example = "10.0.0.5:8081"});
    table.add(
        AT(cluster.address),
        optional(text_where("address:port such as \"10.0.0.5:8081\"", is_listen_address)),
        "The address of cluster.listen as the other servers reach it. No two that run may have the "
        "same. Unset: cluster.listen.",
        {.example = "10.0.0.5:8081"});
    table.add(AT(cluster.key_file), optional(path()),
              "The secret that the servers of cluster.listen share, a file of 16 bytes or more. "
              "Unset: store.key_file.",
              {.example = "/etc/merpati/cluster.key"});
    table.add(AT(cluster.lease), duration<milliseconds>(3s, 5min),
              "With PostgreSQL, how long a server that is gone keeps its accounts before another "
              "one takes them.");
}

void add_outbound(Table& table) {
    table.add(AT(outbound.allow),
              list_where("a list of address ranges such as 10.20.0.0/16", 0, 256, is_cidr),
              "Private address ranges that callbacks, webhooks and media may reach. All others "
              "that are not public are refused.",
              {.example = "10.20.0.0/16,::1"});
    table.add(AT(outbound.ca_file), optional(path()),
              "PEM file with certificate authorities to trust for them, besides the system's.",
              {.example = "/etc/merpati/ca.pem"});
    table.add(AT(outbound.allow_http_callbacks), boolean(),
              "Lets callbacks and webhooks go to http addresses. For development only: they then "
              "cross the network in the clear.");
}

void add_api(Table& table) {
    table.add(AT(api.default_revision),
              choice<model::Revision>({{"A", model::Revision::a}, {"B", model::Revision::b}}),
              "The revision a send request speaks when neither its header, its key nor its body "
              "tells.");
    table.add(AT(api.random_delay_max), duration(1s, 18'000s),
              "The longest delay that \"random\" draws; a revision's own bound caps it.");
    table.add(AT(api.revision_b.wait), duration<milliseconds>(0ms, 120s),
              "How long after a message is due an answer of revision B waits for its outcome "
              "before it says pending. 0: not at all.");
    table.add(AT(api.revision_b.respond),
              choice<RespondWith>(
                  {{"outcome", RespondWith::outcome}, {"accepted", RespondWith::accepted}}),
              "What revision B answers with: the outcome of the send, or, as soon as the message "
              "is stored, that it was accepted.");
    table.add(AT(api.rate), optional(rate(), "none"),
              "Requests an account may make, unless it has a rate of its own; more are answered "
              "429. Calls of the catalogue by its keys are counted apart, at the larger of both.");
}

void add_app(Table& table) {
    table.add(AT(app.url),
              optional(text_where("an address such as \"https://merpati.example.com\", without a "
                                  "path",
                                  is_origin)),
              "The address at which people open the web app: sign-in links begin with it, and "
              "where it is https, cookies are for https alone. Unset: the first address of "
              "http.listen.",
              {.example = "https://merpati.example.com"});
    table.add(AT(app.session_idle), duration<seconds>(10s, 24h * 90),
              "How long a session lasts without a request; then its person signs in again.");
    table.add(AT(app.session_max), duration<seconds>(10s, 24h * 365),
              "How long a session lasts at most.");
}

void add_scheduler(Table& table) {
    table.add(AT(scheduler.give_up), duration<seconds>(1s, 720h),
              "How long a message is tried again after its first attempt that failed for a passing "
              "reason, and how long messages wait for a device after it went down; then they fail "
              "with 500.");
    table.add(AT(scheduler.window), number(0, 4096),
              "Sends under way for one device. 0: what its connector can take.");
    table.add(AT(scheduler.memory_messages_max), number(64, 10'000'000),
              "Messages soon due that are held in memory; the rest wait on disk.");
    table.add(AT(scheduler.retry_first), duration<milliseconds>(1ms, 1h),
              "The pause before the second attempt; it doubles, jittered, with each one.");
    table.add(AT(scheduler.retry_max), duration<milliseconds>(1ms, 24h),
              "The longest pause between two attempts.");
}

void add_callback(Table& table) {
    table.add(AT(callback.timeout), duration<milliseconds>(100ms, 120s),
              "How long one attempt may take, from look-up to answer.");
    table.add(AT(callback.per_origin_max), number(1, 1024),
              "Attempts of an account under way to one origin (scheme, host and port) that answers "
              "promptly.");
    table.add(AT(callback.total_max), number(1, 16'384), "Attempts under way in all.");
}

void add_media(Table& table) {
    table.add(AT(media.max_bytes), size_in_bytes(1024, std::uint64_t{4} << 30),
              "The largest media file; a larger one is refused.");
    table.add(AT(media.folder), optional(path()),
              "Where fetched files are kept; each server has its own. It is made when it is "
              "missing, and need not be backed up. Unset: the SQLite file's path with -media "
              "appended; with PostgreSQL, merpati-media in store.folder.",
              {.example = "/var/lib/merpati/merpati.db-media"});
    table.add(AT(media.kept_bytes_max), size_in_bytes(1024, std::uint64_t{1} << 44),
              "The disk space of all media files: those that are being fetched, wait to be sent, "
              "are being sent, or are kept for later messages. Beyond it fetches wait.");
    table.add(AT(media.kept_for), duration<seconds>(0s, 24h * 30),
              "How long a file is kept after its last message. Its host's headers decide whether "
              "it is still fresh.");
}

void add_metrics(Table& table) {
    table.add(AT(metrics.listen),
              optional(text_where("address:port such as \"127.0.0.1:9090\"", is_listen_address)),
              "A separate address for /metrics. Unset: the addresses of http.listen serve it.",
              {.example = "127.0.0.1:9090"});
    table.add(
        AT(metrics.token), optional(text(16, 256)),
        "The token that opens /metrics (Authorization: Bearer TOKEN). Unset: only peers on the "
        "machine itself may read it.",
        {.example = "a-long-random-text", .secrecy = Secrecy::secret});
}

void add_log(Table& table) {
    table.add(AT(log.level),
              choice<telemetry::Level>({{"debug", telemetry::Level::debug},
                                        {"info", telemetry::Level::info},
                                        {"warn", telemetry::Level::warn},
                                        {"error", telemetry::Level::error}}),
              "The least serious level that is logged.");
    table.add(AT(log.format),
              optional(choice<telemetry::Format>(
                           {{"text", telemetry::Format::text}, {"json", telemetry::Format::json}}),
                       "auto"),
              "The form of log lines on standard error. auto: text on a terminal, else json.");
}

void add_linked_and_workers(Table& table) {
    table.add(AT(linked.url),
              optional(text_where("a wss address (ws for 127.0.0.1 and [::1] alone)",
                                  is_platform_address)),
              "Where linked devices connect. Unset: the platform's own.",
              {.example = "ws://127.0.0.1:5222/ws/chat"});
    table.add(AT(linked.root_key), optional(text_where("64 hexadecimal digits", is_key)),
              "The public key that signs the platform's certificates. Unset: the platform's own.");
    table.add(AT(linked.command), list_where("a program and its arguments", 0, 64, is_argument),
              "The worker of linked devices. Unset: node, and the worker that was installed with "
              "the program.",
              {.example = "/opt/node/bin/node,/opt/linked/dist/main.js"});
    table.add(AT(linked.socket), optional(path()),
              "The socket of merpati-worker.socket, behind which systemd runs the worker of linked "
              "devices as a user of its own (docs/operations.md). linked.command is not used then. "
              "Unset: the server runs it itself, as its own user.",
              {.example = "/run/merpati-worker.sock"});
    table.add(
        AT(linked.workers), number(1, 64),
        "Workers among which linked devices are shared. Each may take workers.memory_max, and "
        "serves some hundred devices (docs/operations.md).");
    table.add(
        AT(linked.start_rate), number(1, 1'000),
        "Linked devices that each worker begins to connect in a second, after a start or when "
        "the network returns.");
    table.add(AT(workers.memory_max),
              size_in_bytes(std::uint64_t{64} << 20, std::uint64_t{64} << 30),
              "The memory that each worker may take. A worker that takes more is restarted.");
}

void add_cloud(Table& table) {
    table.add(AT(cloud.url),
              text_where("an https address without a path (http for 127.0.0.1 and [::1] alone)",
                         is_cloud_url),
              "The official platform's address. Another is for tests with a stand-in.",
              {.example = "http://127.0.0.1:9090"});
    table.add(AT(cloud.version), text_where("a version such as v26.0", is_cloud_version),
              "The version of the official platform's interface.");
    table.add(AT(cloud.app_secret_file), optional(path()),
              "File with the secret of the platform's app, by which its webhooks are verified; a "
              "device may have its own (docs/cloud.md). Read at the start. With neither, webhooks "
              "are refused, and messages count as sent without a status.",
              {.example = "/etc/merpati/app-secret"});
    table.add(AT(cloud.verify_token), optional(text(1, 256)),
              "The token that the platform gives when the webhook's address is entered there. "
              "Unset: the address cannot be entered.",
              {.secrecy = Secrecy::secret});
    table.add(AT(cloud.status_wait), duration<milliseconds>(1s, 24h),
              "How long a message that the platform has taken waits for its status before it "
              "counts as sent.");
}

void add_simulator_and_devices(Table& table) {
    table.add(AT(simulator.latency_ms), duration<milliseconds>(0ms, 60s, 1ms),
              "How long a send of the simulated platform takes.");
    table.add(AT(simulator.log), optional(path()),
              "File to which the simulated platform appends a JSON line for every attempt. It "
              "holds full numbers and message texts. Unset: none.",
              {.example = "simulator.jsonl"});
    table.add(AT(simulator.dedupe), boolean(),
              "Whether the simulated platform recognises a repeated message id; across restarts it "
              "needs simulator.log.");
    table.add(AT(devices.default_connector), text(1, 32),
              "The connector of devices that are added without naming one. The server refuses to "
              "start with one that it does not have.");
    table.add(AT(devices.offered_connectors),
              list_where("a list of names of connectors", 0, 64, model::is_connector_name),
              "The connectors on which accounts may add devices. Administrators may use every "
              "connector. Empty: all.",
              {.example = "linked"});
}

void add_retention(Table& table) {
    table.add(AT(retention.finished), duration<seconds>(1s, 24h * 3650),
              "How long finished messages and their callbacks are kept.");
    table.add(AT(retention.idempotency), duration<seconds>(1s, 24h),
              "How long the answer to a request with an Idempotency-Key is kept.");
    table.add(AT(retention.log), duration<seconds>(1s, 24h * 3650),
              "How long entries of the log of changes are kept.");
    table.add(AT(retention.received_media), duration<seconds>(1s, 24h * 3650),
              "How long the media of a received message can be downloaded, if the platform still "
              "has them.");
    table.add(AT(retention.platform_reports), duration<seconds>(1s, 24h * 3650),
              "How long reports that platforms have sent are remembered, so that a repeated one "
              "counts once. Platforms repeat them for up to a week.");
    table.add(AT(retention.keys), duration<seconds>(1s, 24h * 3650),
              "How long keys that were revoked, or have expired, stay in lists.");
    table.add(AT(retention.usage), duration<seconds>(1h, 24h * 36500),
              "How long counts of messages by the hour are kept.");
    table.add(AT(retention.ledger), duration<seconds>(1h, 24h * 36500),
              "How long the rows of accounts' ledgers are kept one by one. Older ones are added up "
              "in the opening row.");
}

#undef AT

/// A member of a named worker. Reading a worker that does not exist returns an empty value.
template <class T>
struct WorkerMember {
    std::string name;
    T WorkerSettings::* member;

    WorkerMember(std::string_view worker, T WorkerSettings::* of) : name(worker), member(of) {}

    const T& operator()(const Settings& settings) const {
        static const T none{};
        const auto found = settings.workers.by_name.find(name);
        return found == settings.workers.by_name.end() ? none : found->second.*member;
    }
    T& operator()(Settings& settings) const { return settings.workers.by_name[name].*member; }
};

std::vector<Row> build_table() {
    Table table;
    for (const auto add :
         {add_http, add_store, add_cluster, add_outbound, add_api, add_app, add_scheduler,
          add_callback, add_media, add_metrics, add_log, add_linked_and_workers, add_cloud,
          add_simulator_and_devices, add_retention}) {
        add(table);
    }
    return std::move(table.rows);
}

}  // namespace

std::string Row::variable() const {
    std::string name = "MERPATI_";
    for (const char c : key) {
        if (c == '.') {
            name += "__";
        } else {
            name += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
        }
    }
    return name;
}

std::string Row::show(std::string_view value) const {
    switch (secrecy) {
        case Secrecy::open:
            return std::string{value};
        case Secrecy::password_in_url:
            return mask_password(value);
        case Secrecy::secret:
            return value.empty() ? "" : "***";
    }
    return {};
}

std::string Row::in_toml(std::string_view value) const {
    switch (form) {
        case Form::bare:
            return std::string{value};
        case Form::quoted:
            return toml_string(value);
        case Form::list:
            break;
    }
    std::string list = "[";
    while (!value.empty()) {
        const auto comma = std::min(value.find(','), value.size());
        list += (list.size() > 1 ? ", " : "") + toml_string(value.substr(0, comma));
        value.remove_prefix(std::min(comma + 1, value.size()));
    }
    return list + ']';
}

std::span<const Row> rows() {
    static const std::vector<Row> table = build_table();
    return table;
}

std::optional<Row> worker_row(std::string_view key) {
    const bool is_command = key.ends_with(worker_command);
    const auto suffix = is_command ? worker_command : worker_socket;
    if (!key.starts_with(worker_prefix) || !key.ends_with(suffix) ||
        key.size() <= worker_prefix.size() + suffix.size()) {
        return std::nullopt;
    }
    auto name = key.substr(worker_prefix.size());
    name.remove_suffix(suffix.size());
    if (!model::is_connector_name(name)) {
        return std::nullopt;
    }
    Table table;
    if (is_command) {
        table.add(key, WorkerMember{name, &WorkerSettings::command},
                  list_where("a program and its arguments", 1, 64, is_argument),
                  "The program of a connector NAME of your own, and its arguments: a worker that "
                  "speaks the connector protocol (docs/connector-protocol.md). NAME is then good "
                  "for devices.",
                  {.example = "python3,/opt/merpati/worker.py"});
    } else {
        table.add(key, WorkerMember{name, &WorkerSettings::socket}, optional(path()),
                  "Instead of a command: the socket behind which systemd runs that worker as a "
                  "user of its own (docs/operations.md).",
                  {.example = "/run/merpati-echo.sock"});
    }
    return std::move(table.rows[0]);
}

std::optional<std::string> worker_key(std::string_view variable) {
    constexpr std::string_view prefix = "MERPATI_WORKERS__";
    const auto separator = variable.rfind("__");
    if (!variable.starts_with(prefix) || separator <= prefix.size() ||
        (variable.substr(separator) != "__COMMAND" && variable.substr(separator) != "__SOCKET")) {
        return std::nullopt;
    }
    std::string key{worker_prefix};
    for (const char c : variable.substr(prefix.size(), separator - prefix.size())) {
        key += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return key += variable.ends_with("COMMAND") ? worker_command : worker_socket;
}

const Row* find_row(std::string_view key) {
    const auto found = std::ranges::find(rows(), key, &Row::key);
    return found == rows().end() ? nullptr : &*found;
}

}  // namespace merpati::config
