#include "connector/connectors.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "connector/unavailable.hpp"

namespace merpati::connector {

bool is_platform_id(std::string_view id) noexcept {
    return !id.empty() && id.size() <= model::platform_id_bytes_max &&
           std::ranges::all_of(id, [](char c) { return c > ' ' && c <= '~'; });
}

Connector* Connectors::find(std::string_view name) const noexcept {
    const auto found = connectors_.find(name);
    return found == connectors_.end() ? nullptr : found->second.get();
}

Result<void> Connectors::prepare(model::Device& device) const {
    const auto* connector = find(device.connector);
    if (connector == nullptr) {
        return missing(device.connector);
    }
    device.state = connector->first_state(device.number);
    device.pace = paces_.find(device.connector)->second;
    return {};
}

std::unexpected<Error> Connectors::missing(std::string_view name) const {
    std::string names;
    for (const auto& [other, connector] : connectors_) {
        names += (names.empty() ? "" : ", ") + other;
    }
    return fail(ErrorCode::refused,
                fmt::format("this server has no connector '{}'; it has {}", name, names));
}

void Connectors::start(const Doors& doors, const Refused& refused) {
    for (auto& [name, connector] : connectors_) {
        const auto door = doors(name);
        if (const auto started = connector->start(door.events, door.secrets); !started) {
            refused(name, started.error());
            connector = std::make_unique<Unavailable>(connector->capabilities(), door.events);
        }
    }
}

void Connectors::stop() {
    for (const auto& [name, connector] : connectors_) {
        connector->stop();
    }
}

}  // namespace merpati::connector
