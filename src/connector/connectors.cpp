#include "connector/connectors.hpp"

#include <algorithm>
#include <system_error>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "base/thread.hpp"
#include "connector/unavailable.hpp"

namespace merpati::connector {

bool is_platform_id(std::string_view id) noexcept {
    return !id.empty() && id.size() <= model::platform_id_bytes_max &&
           std::ranges::all_of(id, [](char c) { return c > ' ' && c <= '~'; });
}

void Connector::fetch_media(MediaRequest /*request*/, MediaFetched done) {
    done(fail(ErrorCode::refused, "the device's connector fetches no media"));
}

void Connector::check_number(model::PhoneNumber /*device*/, std::string /*number*/,
                             NumberChecked done) {
    done(fail(ErrorCode::refused, "the device's connector checks no numbers"));
}

void Connector::check_access(PlatformAccess /*access*/, AccessChecked done) {
    done(fail(ErrorCode::refused, "the device's connector has no tokens"));
}

void Connector::list_templates(PlatformAccess /*access*/, std::string /*cursor*/,
                               TemplatesListed done) {
    done(fail(ErrorCode::refused, "the device's connector has no templates"));
}

void Connector::find_template(model::PhoneNumber /*device*/, std::string /*name*/,
                              std::string /*language*/, TemplateFound done) {
    done(fail(ErrorCode::refused, "the device's connector has no templates"));
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
    if (device.state == model::DeviceState::connected) {
        device.notified = device.state;  // Whoever adds the device stores the notice.
    }
    device.pace = paces_.find(device.connector)->second;
    return {};
}

std::vector<std::string> Connectors::names() const {
    std::vector<std::string> names;
    names.reserve(connectors_.size());
    for (const auto& [name, connector] : connectors_) {
        names.push_back(name);
    }
    return names;
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
    std::vector<std::thread> stopping;
    for (const auto& [name, connector] : connectors_) {
        try {
            stopping.push_back(start_thread("stop " + name, [&connector] { connector->stop(); }));
        } catch (const std::system_error&) {
            connector->stop();  // The system gives no thread.
        }
    }
    for (auto& thread : stopping) {
        thread.join();
    }
}

std::map<std::string, std::string, std::less<>> Connectors::troubles() const {
    std::map<std::string, std::string, std::less<>> all;
    for (const auto& [name, connector] : connectors_) {
        if (auto trouble = connector->trouble(); !trouble.empty()) {
            all.emplace(name, std::move(trouble));
        }
    }
    return all;
}

}  // namespace merpati::connector
