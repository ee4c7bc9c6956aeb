#include "daemon/connectors.hpp"

#include <array>
#include <string>

#include "connector/simulator/simulator.hpp"

namespace merpati::daemon {
namespace {

using MakeConnector = std::unique_ptr<connector::Connector> (*)(const Clock&,
                                                                const config::Settings&,
                                                                telemetry::Log);

struct ConnectorRow {
    std::string_view name;
    MakeConnector make;
};

std::unique_ptr<connector::Connector> make_simulator(const Clock& clock,
                                                     const config::Settings& settings,
                                                     telemetry::Log log) {
    connector::simulator::Options options;
    options.latency = settings.simulator.latency_ms;
    options.log = settings.simulator.log.value_or("");
    options.dedupe = settings.simulator.dedupe;
    options.on_trouble = [log = std::move(log)](const std::string& why) {
        log.error("cannot write the simulator's log", {{"why", why}});
    };
    return std::make_unique<connector::simulator::Simulator>(clock, std::move(options));
}

constexpr std::array table{
    ConnectorRow{.name = "simulator", .make = make_simulator},
};

}  // namespace

std::vector<std::string_view> connector_names() {
    std::vector<std::string_view> names;
    for (const auto& row : table) {
        names.push_back(row.name);
    }
    return names;
}

connector::Connectors make_connectors(const Clock& clock, const config::Settings& settings,
                                      const telemetry::Log& log) {
    connector::Connectors connectors;
    for (const auto& row : table) {
        connectors.add(std::string{row.name}, row.make(clock, settings, log.in(row.name)));
    }
    return connectors;
}

}  // namespace merpati::daemon
