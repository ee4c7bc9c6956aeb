// The settings, in the types that the rooms use. table.cpp describes each setting and its bounds;
// docs/configuration.md is made from it.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/account.hpp"
#include "telemetry/log.hpp"

namespace merpati::config {

/// What revision B answers with: the outcome of the send, or that it was accepted.
enum class RespondWith : std::uint8_t { outcome, accepted };

/// PEM files of the certificate chain and of its key. `load` requires both or neither.
struct TlsSettings {
    std::optional<std::filesystem::path> certificate;
    std::optional<std::filesystem::path> key;
};

struct HttpSettings {
    std::vector<std::string> listen{"127.0.0.1:8080"};
    TlsSettings tls;
    std::uint32_t threads = 0;  // 0: as many as the machine has cores.
    std::uint64_t body_max = std::uint64_t{64} << 10;
    std::uint32_t connections_max = 10'000;
    std::chrono::seconds header_timeout{10};
    std::chrono::seconds body_timeout{20};
    std::chrono::seconds idle_timeout{60};
    std::chrono::seconds write_timeout{20};
    std::chrono::seconds drain_timeout{20};
};

struct StoreSettings {
    std::string url = "sqlite:merpati.db";
    /// Never empty after `load`, which fills in the default, and refuses PostgreSQL without one.
    std::optional<std::filesystem::path> key_file;
    /// With PostgreSQL never empty after `load`; with SQLite always (local_files.hpp).
    std::optional<std::filesystem::path> folder;
    std::uint64_t reserve_bytes = 67'108'864;
};

/// The servers that share a database.
struct ClusterSettings {
    /// With PostgreSQL never empty after `load`, which fills in the host's name.
    std::optional<std::string> node;
    std::optional<std::string> listen;              // Unset: no requests are passed on.
    std::optional<std::string> address;             // Unset: `listen`.
    std::optional<std::filesystem::path> key_file;  // Unset: the store's.
    std::chrono::milliseconds lease{std::chrono::seconds{10}};
};

struct OutboundSettings {
    std::vector<std::string> allow;
    std::optional<std::filesystem::path> ca_file;
    bool allow_http_callbacks = false;
};

struct RevisionBSettings {
    std::chrono::milliseconds wait{15'000};
    RespondWith respond = RespondWith::outcome;
};

struct ApiSettings {
    model::Revision default_revision = model::Revision::a;
    std::chrono::seconds random_delay_max{30};
    RevisionBSettings revision_b;
    std::optional<model::Rate> rate = model::Rate{.count = 50};
};

/// The web app and its sessions.
struct AppSettings {
    std::optional<std::string> url;  // Without a final slash. Empty: made from http.listen.
    std::chrono::seconds session_idle{std::chrono::hours{12}};
    std::chrono::seconds session_max{std::chrono::days{30}};
};

struct SchedulerSettings {
    std::chrono::seconds give_up{std::chrono::hours{24}};
    std::uint32_t window = 0;  // 0: as many as the device's connector says.
    std::uint32_t memory_messages_max = 65'536;
    std::chrono::milliseconds retry_first{5'000};
    std::chrono::milliseconds retry_max{std::chrono::minutes{10}};
};

struct CallbackSettings {
    std::chrono::milliseconds timeout{10'000};
    std::uint32_t per_origin_max = 32;
    std::uint32_t total_max = 256;
};

struct MediaSettings {
    std::uint64_t max_bytes = std::uint64_t{64} << 20;
    /// Never empty after `load`, which fills in the default.
    std::optional<std::filesystem::path> folder;
    std::uint64_t kept_bytes_max = std::uint64_t{1} << 30;
    std::chrono::seconds kept_for{std::chrono::hours{1}};
};

struct MetricsSettings {
    std::optional<std::string> listen;  // Empty: the addresses of http.listen.
    std::optional<std::string> token;   // Empty: only peers on this machine may read /metrics.
};

struct LogSettings {
    telemetry::Level level = telemetry::Level::info;
    std::optional<telemetry::Format> format;  // Empty: text on a terminal, else JSON.
};

struct SimulatorSettings {
    std::chrono::milliseconds latency_ms{5};
    std::optional<std::filesystem::path> log;
    bool dedupe = false;
};

struct LinkedSettings {
    std::optional<std::string> url;       // Empty: the platform's own.
    std::optional<std::string> root_key;  // Hexadecimal. Empty: the platform's own.
    /// Empty: Node.js and the worker that is installed with the program.
    std::vector<std::string> command;
    /// The socket of a launcher that runs the worker as another user. Empty: the server runs it.
    std::optional<std::filesystem::path> socket;
    std::uint32_t workers = 1;      // Among which the devices are shared.
    std::uint32_t start_rate = 20;  // Devices that each worker may begin to connect in a second.
};

/// The official platform.
struct CloudSettings {
    std::string url = "https://graph.facebook.com";  // Without a final slash.
    std::string version = "v26.0";
    std::optional<std::filesystem::path> app_secret_file;
    std::optional<std::string> verify_token;
    std::chrono::milliseconds status_wait{std::chrono::seconds{60}};
};

/// A worker that an operator names. `load` requires a command or a socket, not both.
struct WorkerSettings {
    std::vector<std::string> command;
    std::optional<std::filesystem::path> socket;  // As in LinkedSettings.
    std::filesystem::path folder;  // Its working directory, where a relative command starts.
};

struct WorkersSettings {
    std::uint64_t memory_max = std::uint64_t{512} << 20;
    std::map<std::string, WorkerSettings, std::less<>> by_name;
};

struct DevicesSettings {
    std::string default_connector = "simulator";
    std::vector<std::string> offered_connectors;  // Empty: all.
};

struct RetentionSettings {
    std::chrono::seconds finished{std::chrono::days{30}};
    std::chrono::seconds idempotency{std::chrono::hours{24}};
    std::chrono::seconds log{std::chrono::days{365}};
    std::chrono::seconds received_media{std::chrono::days{14}};
    std::chrono::seconds platform_reports{std::chrono::days{8}};  // Repeated for a week at most.
    std::chrono::seconds keys{std::chrono::days{90}};
    std::chrono::seconds usage{std::chrono::days{1'095}};
    std::chrono::seconds ledger{std::chrono::days{3'650}};
};

/// One struct for each section of the file. Default-constructed, it holds the defaults.
struct Settings {
    HttpSettings http;
    StoreSettings store;
    ClusterSettings cluster;
    OutboundSettings outbound;
    ApiSettings api;
    AppSettings app;
    SchedulerSettings scheduler;
    CallbackSettings callback;
    MediaSettings media;
    MetricsSettings metrics;
    LogSettings log;
    SimulatorSettings simulator;
    LinkedSettings linked;
    CloudSettings cloud;
    WorkersSettings workers;
    DevicesSettings devices;
    RetentionSettings retention;
};

}  // namespace merpati::config
