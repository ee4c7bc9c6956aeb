#include "daemon/connectors.hpp"

#include <array>
#include <fstream>
#include <string>

#include <fmt/format.h>

#include "connector/cloud/cloud.hpp"
#include "connector/process/worker/sharded_connector.hpp"
#include "connector/process/worker/worker_connector.hpp"
#include "connector/simulator/simulator.hpp"
#include "daemon/options.hpp"
#include "daemon/worker_programs.hpp"
#include "model/connector.hpp"

namespace merpati::daemon {
namespace {

using connector::process::make_worker_connector;

using MakeConnector = std::unique_ptr<connector::Connector> (*)(const ConnectorParts&,
                                                                telemetry::Log);

struct ConnectorRow {
    std::string_view name;
    MakeConnector make;
    model::Pace pace{};  // The pace of a new device.
};

/// What a person might send by hand: the platform watches how linked devices behave.
constexpr model::Pace careful{
    .gap_min = Millis{1'000}, .jitter_max = Millis{2'000}, .per_day_max = 1'000, .warm_up_days = 7};

std::unique_ptr<connector::Connector> make_simulator(const ConnectorParts& parts,
                                                     telemetry::Log log) {
    const auto& settings = parts.settings;
    connector::simulator::Options options;
    options.latency = settings.simulator.latency_ms;
    options.log = settings.simulator.log.value_or("");
    options.dedupe = settings.simulator.dedupe;
    options.on_trouble = [log = std::move(log)](const std::string& why) {
        log.error("cannot write the simulator's log", {{"why", why}});
    };
    return connector::simulator::make_simulator(parts.clock, std::move(options));
}

connector::process::Options worker_options(std::string_view name,
                                           const config::Settings& settings) {
    connector::process::Options options;
    options.name = name;
    options.path = search_path();
    options.gateway_version = MERPATI_VERSION;
    options.memory_max = settings.workers.memory_max;
    options.file_bytes_max = settings.media.max_bytes;
    return options;
}

/// The worker takes much memory, so it is started only when the first device needs it.
std::unique_ptr<connector::Connector> make_linked(const ConnectorParts& parts, telemetry::Log log) {
    const auto& settings = parts.settings;
    auto options = worker_options("linked", settings);
    options.command = [linked = settings.linked] { return linked_command(linked); };
    options.sandbox = [settings](const auto& command) { return linked_sandbox(command, settings); };
    const auto put = [&](const char* name, const std::optional<std::string>& value) {
        if (value) {
            options.config.emplace(name, *value);
        }
    };
    put("url", settings.linked.url);
    put("root_key", settings.linked.root_key);
    if (settings.outbound.ca_file) {
        options.config.emplace("ca_file", settings.outbound.ca_file->string());
    }
    options.environment = linked_environment();
    options.launcher.path = settings.linked.socket.value_or("").string();
    options.on_demand = true;
    options.starts_per_second = settings.linked.start_rate;
    options.expected.pairing = {"qr", "code"};
    options.expected.typing = true;
    options.expected.recognises_repeats = true;
    options.expected.number_check = true;
    options.expected.media_fetch = true;
    options.expected.late_statuses = true;
    std::vector<std::unique_ptr<connector::process::WorkerConnector>> workers;
    for (std::uint32_t number = 1; number <= settings.linked.workers; ++number) {
        auto own_log =
            settings.linked.workers == 1 ? log : log.in(fmt::format("linked-{}", number));
        workers.push_back(
            make_worker_connector(parts.clock, parts.random, options, std::move(own_log)));
    }
    return std::make_unique<connector::process::ShardedConnector>(std::move(workers));
}

/// The text of a file without the line break at its end; empty if it cannot be read.
std::string secret_in(const std::filesystem::path& file, const telemetry::Log& log) {
    constexpr std::size_t bytes_max = 4'096;
    std::ifstream in{file, std::ios::binary};
    std::string text(bytes_max, '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(in.gcount()));
    while (text.ends_with('\n') || text.ends_with('\r')) {
        text.pop_back();
    }
    if (text.empty()) {
        log.error("cannot read the app's secret: no event of the platform can be verified",
                  {{"file", file.string()}});
    }
    return text;
}

/// Reads the secret's file at the start. Without it the server runs, and the webhook takes nothing.
std::unique_ptr<connector::Connector> make_cloud(const ConnectorParts& parts, telemetry::Log log) {
    const auto& settings = parts.settings;
    connector::cloud::Options options;
    options.graph.url = settings.cloud.url;
    options.graph.version = settings.cloud.version;
    options.graph.client = client_options(settings);
    options.graph.client.pool_total = options.graph.requests_max * 2;
    options.graph.allow = allowed_ranges(settings).value_or(std::vector<outbound::Cidr>{});
    if (settings.cloud.app_secret_file) {
        options.app_secret = secret_in(*settings.cloud.app_secret_file, log);
    }
    options.verify_token = settings.cloud.verify_token.value_or("");
    options.status_wait = settings.cloud.status_wait;
    options.may_begin = parts.may_begin;
    return std::make_unique<connector::cloud::Cloud>(parts.clock, std::move(options), log);
}

constexpr std::array table{
    ConnectorRow{.name = "simulator", .make = make_simulator},
    ConnectorRow{.name = "linked", .make = make_linked, .pace = careful},
    ConnectorRow{.name = model::cloud_connector, .make = make_cloud},
};

}  // namespace

std::vector<std::string_view> connector_names() {
    std::vector<std::string_view> names;
    names.reserve(table.size());
    for (const auto& row : table) {
        names.push_back(row.name);
    }
    return names;
}

connector::Connectors make_connectors(const ConnectorParts& parts, const telemetry::Log& log) {
    connector::Connectors connectors;
    for (const auto& row : table) {
        connectors.add(std::string{row.name}, row.make(parts, log.in(row.name)), row.pace);
    }
    for (const auto& [name, worker] : parts.settings.workers.by_name) {
        auto options = worker_options(name, parts.settings);
        options.command = [worker]() -> Result<std::vector<std::string>> {
            return worker_command(worker);
        };
        options.folder = worker.folder.string();
        options.launcher.path = worker.socket.value_or("").string();
        connectors.add(name, make_worker_connector(parts.clock, parts.random, std::move(options),
                                                   log.in(name)));
    }
    return connectors;
}

}  // namespace merpati::daemon
