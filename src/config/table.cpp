#include "config/table.hpp"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "config/address.hpp"
#include "config/file.hpp"

namespace merpati::config {
namespace {

using namespace std::chrono_literals;

struct Words {
    std::string_view key;
    std::string_view sentence;
    std::string_view example{};
    Secrecy secrecy = Secrecy::open;
};

/// Binds a row to a member. `member` is a generic lambda, so that one serves reading and writing.
template <class T, class Member>
Row row(Words words, Kind<T> kind, Member member) {
    static_assert(std::is_same_v<decltype(member(std::declval<Settings&>())), T&>);
    return Row{
        .key = words.key,
        .sentence = words.sentence,
        .example = words.example,
        .secrecy = words.secrecy,
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
                  member](const Settings& settings) { return print(member(settings)); }};
}

void add_http(std::vector<Row>& table) {
    table.push_back(
        row({.key = "http.listen",
             .sentence = "The addresses the API is served on. Port 0 lets the system "
                         "choose a free one.",
             .example = "127.0.0.1:8080,[::1]:8080"},
            list_where("a list of address:port such as 127.0.0.1:8080", 1, 16, is_listen_address),
            [](auto& s) -> auto& { return s.http.listen; }));
    table.push_back(
        row({.key = "http.tls.certificate",
             .sentence = "PEM file with the certificate and its chain. With http.tls.key "
                         "it makes every address serve HTTPS.",
             .example = "/etc/merpati/tls/fullchain.pem"},
            optional(path()), [](auto& s) -> auto& { return s.http.tls.certificate; }));
    table.push_back(row({.key = "http.tls.key",
                         .sentence = "PEM file with the certificate's private key.",
                         .example = "/etc/merpati/tls/privkey.pem"},
                        optional(path()), [](auto& s) -> auto& { return s.http.tls.key; }));
    table.push_back(row({.key = "http.threads",
                         .sentence = "Threads that serve connections. 0: as many as the machine "
                                     "has cores."},
                        number(0, 256), [](auto& s) -> auto& { return s.http.threads; }));
    table.push_back(row({.key = "http.body_max",
                         .sentence = "The largest request body; a larger one is answered 413."},
                        size_in_bytes(1024, 16 << 20),
                        [](auto& s) -> auto& { return s.http.body_max; }));
    table.push_back(
        row({.key = "http.connections_max",
             .sentence = "Connections open at once; one more is answered 503, unless another "
                         "address holds more."},
            number(1, 1'000'000), [](auto& s) -> auto& { return s.http.connections_max; }));
    table.push_back(row({.key = "http.header_timeout",
                         .sentence = "How long a client may take to send a request's header."},
                        duration(1s, 300s),
                        [](auto& s) -> auto& { return s.http.header_timeout; }));
    table.push_back(row({.key = "http.body_timeout",
                         .sentence = "How long a client may take to send a request's body."},
                        duration(1s, 300s), [](auto& s) -> auto& { return s.http.body_timeout; }));
    table.push_back(row({.key = "http.idle_timeout",
                         .sentence = "How long a connection may rest between two requests."},
                        duration(1s, 3600s), [](auto& s) -> auto& { return s.http.idle_timeout; }));
    table.push_back(row(
        {.key = "http.write_timeout", .sentence = "How long a client may take to read its answer."},
        duration(1s, 300s), [](auto& s) -> auto& { return s.http.write_timeout; }));
    table.push_back(row({.key = "http.drain_timeout",
                         .sentence = "How long a stopping server waits for work under way."},
                        duration(0s, 600s), [](auto& s) -> auto& { return s.http.drain_timeout; }));
}

void add_store(std::vector<Row>& table) {
    table.push_back(row({.key = "store.url",
                         .sentence = "Where messages are kept: sqlite:PATH. PostgreSQL "
                                     "is not supported in this version.",
                         .secrecy = Secrecy::password_in_url},
                        text_where("sqlite:PATH", is_store_url),
                        [](auto& s) -> auto& { return s.store.url; }));
    table.push_back(
        row({.key = "store.key_file",
             .sentence = "The key that encrypts secrets in the store, made at the first "
                         "start. Unset: the SQLite file's path with .key appended.",
             .example = "/var/lib/merpati/merpati.db.key"},
            optional(path()), [](auto& s) -> auto& { return s.store.key_file; }));
    table.push_back(
        row({.key = "store.reserve_bytes",
             .sentence = "Room on the store's disk that is kept, in a file beside it, for the "
                         "outcomes of sends. Where less than as much again is free, no message is "
                         "accepted."},
            size_in_bytes(1'048'576, std::uint64_t{1} << 40),
            [](auto& s) -> auto& { return s.store.reserve_bytes; }));
}

void add_outbound(std::vector<Row>& table) {
    table.push_back(
        row({.key = "outbound.allow",
             .sentence = "Private address ranges that callbacks, webhooks and media may "
                         "reach. All others that are not public are refused.",
             .example = "10.20.0.0/16,::1"},
            list_where("a list of address ranges such as 10.20.0.0/16", 0, 256, is_cidr),
            [](auto& s) -> auto& { return s.outbound.allow; }));
    table.push_back(row({.key = "outbound.ca_file",
                         .sentence = "PEM file with certificate authorities to trust for them, "
                                     "besides the system's.",
                         .example = "/etc/merpati/ca.pem"},
                        optional(path()), [](auto& s) -> auto& { return s.outbound.ca_file; }));
    table.push_back(row({.key = "outbound.allow_http_callbacks",
                         .sentence = "Lets callbacks and webhooks go to http addresses. For "
                                     "development only: they then cross the network in the clear."},
                        boolean(),
                        [](auto& s) -> auto& { return s.outbound.allow_http_callbacks; }));
}

void add_api(std::vector<Row>& table) {
    table.push_back(row({.key = "api.default_revision",
                         .sentence = "The revision a send request speaks when neither its header, "
                                     "its key nor its body tells."},
                        choice<Revision>({{"A", Revision::a}, {"B", Revision::b}}),
                        [](auto& s) -> auto& { return s.api.default_revision; }));
    table.push_back(row({.key = "api.random_delay_max",
                         .sentence = "The longest delay that \"random\" draws; a revision's own "
                                     "bound caps it."},
                        duration(1s, 18'000s),
                        [](auto& s) -> auto& { return s.api.random_delay_max; }));
    table.push_back(
        row({.key = "api.revision_b.wait",
             .sentence = "How long after a message is due an answer of revision B waits "
                         "for its outcome before it says pending. 0: not at all."},
            duration<std::chrono::milliseconds>(0ms, 120s),
            [](auto& s) -> auto& { return s.api.revision_b.wait; }));
    table.push_back(
        row({.key = "api.revision_b.respond",
             .sentence = "What revision B answers with: the outcome of the send, or, as "
                         "soon as the message is stored, that it was accepted."},
            choice<RespondWith>(
                {{"outcome", RespondWith::outcome}, {"accepted", RespondWith::accepted}}),
            [](auto& s) -> auto& { return s.api.revision_b.respond; }));
    table.push_back(row({.key = "api.rate",
                         .sentence = "Requests an account may make, unless it has a rate of its "
                                     "own; more are answered 429."},
                        optional(rate(), "none"), [](auto& s) -> auto& { return s.api.rate; }));
}

void add_scheduler(std::vector<Row>& table) {
    table.push_back(row({.key = "scheduler.give_up",
                         .sentence = "How long a message is tried again after its first attempt "
                                     "that failed for a passing reason, and how long messages wait "
                                     "for a device after it went down; then they fail with 500."},
                        duration<std::chrono::seconds>(1s, 720h),
                        [](auto& s) -> auto& { return s.scheduler.give_up; }));
    table.push_back(row({.key = "scheduler.window",
                         .sentence = "Sends under way for one device. 0: what its connector can "
                                     "take."},
                        number(0, 4096), [](auto& s) -> auto& { return s.scheduler.window; }));
    table.push_back(row({.key = "scheduler.memory_messages_max",
                         .sentence = "Messages soon due that are held in memory; the rest wait on "
                                     "disk."},
                        number(64, 10'000'000),
                        [](auto& s) -> auto& { return s.scheduler.memory_messages_max; }));
    table.push_back(row({.key = "scheduler.retry_first",
                         .sentence = "The pause before the second attempt; it doubles, jittered, "
                                     "with each one."},
                        duration<std::chrono::milliseconds>(1ms, 1h),
                        [](auto& s) -> auto& { return s.scheduler.retry_first; }));
    table.push_back(
        row({.key = "scheduler.retry_max", .sentence = "The longest pause between two attempts."},
            duration<std::chrono::milliseconds>(1ms, 24h),
            [](auto& s) -> auto& { return s.scheduler.retry_max; }));
}

void add_callback(std::vector<Row>& table) {
    table.push_back(row({.key = "callback.timeout",
                         .sentence = "How long one attempt may take, from look-up to answer."},
                        duration<std::chrono::milliseconds>(100ms, 120s),
                        [](auto& s) -> auto& { return s.callback.timeout; }));
    table.push_back(row({.key = "callback.per_origin_max",
                         .sentence = "Attempts of an account under way to one origin (scheme, host "
                                     "and port) that answers promptly."},
                        number(1, 1024),
                        [](auto& s) -> auto& { return s.callback.per_origin_max; }));
    table.push_back(row({.key = "callback.total_max", .sentence = "Attempts under way in all."},
                        number(1, 16'384), [](auto& s) -> auto& { return s.callback.total_max; }));
}

void add_media(std::vector<Row>& table) {
    table.push_back(row(
        {.key = "media.max_bytes", .sentence = "The largest media file; a larger one is refused."},
        size_in_bytes(1024, std::uint64_t{4} << 30),
        [](auto& s) -> auto& { return s.media.max_bytes; }));
    table.push_back(row({.key = "media.folder",
                         .sentence = "Where fetched files are kept; each server has its own. It "
                                     "is made when it is missing, and need not be backed up. "
                                     "Unset: the SQLite file's path with -media appended.",
                         .example = "/var/lib/merpati/merpati.db-media"},
                        optional(path()), [](auto& s) -> auto& { return s.media.folder; }));
    table.push_back(row({.key = "media.kept_bytes_max",
                         .sentence = "How much all media files may take on the disk: those that "
                                     "are being fetched, that wait to be sent, that are being "
                                     "sent, and that are kept for a next message. Beyond it "
                                     "fetches wait."},
                        size_in_bytes(1024, std::uint64_t{1} << 44),
                        [](auto& s) -> auto& { return s.media.kept_bytes_max; }));
    table.push_back(row({.key = "media.kept_for",
                         .sentence = "How long a file is kept after its last message. Whether it "
                                     "is still fresh, its host's headers say."},
                        duration<std::chrono::seconds>(0s, 24h * 30),
                        [](auto& s) -> auto& { return s.media.kept_for; }));
}

void add_metrics(std::vector<Row>& table) {
    table.push_back(
        row({.key = "metrics.listen",
             .sentence = "An address of its own for /metrics. Unset: it is served on "
                         "those of http.listen.",
             .example = "127.0.0.1:9090"},
            optional(text_where("address:port such as \"127.0.0.1:9090\"", is_listen_address)),
            [](auto& s) -> auto& { return s.metrics.listen; }));
    table.push_back(row({.key = "metrics.token",
                         .sentence = "The token that opens /metrics (Authorization: Bearer TOKEN). "
                                     "Unset: only peers on the machine itself may read it.",
                         .example = "a-long-random-text",
                         .secrecy = Secrecy::secret},
                        optional(text(16, 256)), [](auto& s) -> auto& { return s.metrics.token; }));
}

void add_log(std::vector<Row>& table) {
    table.push_back(row({.key = "log.level", .sentence = "The least serious level that is logged."},
                        choice<LogLevel>({{"debug", LogLevel::debug},
                                          {"info", LogLevel::info},
                                          {"warn", LogLevel::warn},
                                          {"error", LogLevel::error}}),
                        [](auto& s) -> auto& { return s.log.level; }));
    table.push_back(row(
        {.key = "log.format",
         .sentence = "The form of log lines on standard error. auto: text on a terminal, else "
                     "json."},
        optional(choice<LogFormat>({{"text", LogFormat::text}, {"json", LogFormat::json}}), "auto"),
        [](auto& s) -> auto& { return s.log.format; }));
}

void add_simulator_and_devices(std::vector<Row>& table) {
    table.push_back(row({.key = "simulator.latency_ms",
                         .sentence = "How long a send of the simulated platform takes."},
                        duration<std::chrono::milliseconds>(0ms, 60s, 1ms),
                        [](auto& s) -> auto& { return s.simulator.latency_ms; }));
    table.push_back(row({.key = "simulator.log",
                         .sentence = "File to which the simulated platform appends a JSON line for "
                                     "every attempt. It holds full numbers and message texts. "
                                     "Unset: none.",
                         .example = "simulator.jsonl"},
                        optional(path()), [](auto& s) -> auto& { return s.simulator.log; }));
    table.push_back(row({.key = "simulator.dedupe",
                         .sentence = "Whether the simulated platform recognises a repeated message "
                                     "id; across restarts it needs simulator.log."},
                        boolean(), [](auto& s) -> auto& { return s.simulator.dedupe; }));
    table.push_back(row({.key = "devices.default_connector",
                         .sentence = "The connector of devices that are added over the API. "
                                     "This version has the simulator alone, and refuses to start "
                                     "with another."},
                        choice<DefaultConnector>({{"simulator", DefaultConnector::simulator},
                                                  {"cloud", DefaultConnector::cloud},
                                                  {"linked", DefaultConnector::linked}}),
                        [](auto& s) -> auto& { return s.devices.default_connector; }));
}

void add_retention(std::vector<Row>& table) {
    table.push_back(row({.key = "retention.finished",
                         .sentence = "How long finished messages and their callbacks are kept."},
                        duration<std::chrono::seconds>(1s, 24h * 3650),
                        [](auto& s) -> auto& { return s.retention.finished; }));
    table.push_back(row({.key = "retention.idempotency",
                         .sentence = "How long the answer to a request with an Idempotency-Key is "
                                     "kept."},
                        duration<std::chrono::seconds>(1s, 24h),
                        [](auto& s) -> auto& { return s.retention.idempotency; }));
}

std::vector<Row> build_table() {
    std::vector<Row> table;
    add_http(table);
    add_store(table);
    add_outbound(table);
    add_api(table);
    add_scheduler(table);
    add_callback(table);
    add_media(table);
    add_metrics(table);
    add_log(table);
    add_simulator_and_devices(table);
    add_retention(table);
    return table;
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

const Row* find_row(std::string_view key) {
    const auto found = std::ranges::find(rows(), key, &Row::key);
    return found == rows().end() ? nullptr : &*found;
}

}  // namespace merpati::config
