#include "daemon/device_keeper.hpp"

#include <algorithm>
#include <iterator>

#include "daemon/device_changes.hpp"

namespace merpati::daemon {
namespace {

using model::DeviceState;

bool was_up(DeviceState state) {
    return state == DeviceState::connected || state == DeviceState::reconnecting;
}

}  // namespace

/// On the committer's thread, so that what is committed meanwhile is told after it.
Result<void> DeviceKeeper::start() {
    return rooms_.committer.change_and_wait(
        [](store::Tables&) -> Result<void> { return {}; },
        [this] {
            for (const auto& device : rooms_.directory.devices(std::nullopt)) {
                rooms_.scheduler.device_changed(device);
                if (auto* connector = rooms_.connectors.find(device.connector);
                    connector != nullptr && was_up(device.state)) {
                    connector->start_device(device, {});
                }
            }
        });
}

void DeviceKeeper::follow(const store::RowChange& change) {
    if (const auto* written = std::get_if<store::DeviceWritten>(&change)) {
        const auto& device = written->device;
        rooms_.scheduler.device_changed(device);
        if (auto* connector = rooms_.connectors.find(device.connector);
            written->is_new && connector != nullptr && device.state == DeviceState::connected) {
            connector->start_device(device, {});
        }
    } else if (const auto* removed = std::get_if<store::DeviceRemoved>(&change)) {
        rooms_.scheduler.device_removed(removed->device.number);
        if (auto* connector = rooms_.connectors.find(removed->device.connector)) {
            connector->forget_device(removed->device.number);
        }
    }
}

void DeviceKeeper::outcome(const model::MessageId& message, model::PhoneNumber,
                           model::Outcome outcome) {
    rooms_.scheduler.outcome(message, std::move(outcome));
}

void DeviceKeeper::device_state(model::PhoneNumber number, DeviceState state, std::string reason,
                                Stored stored) {
    const auto known = rooms_.directory.find_device(number);
    if (known == nullptr) {
        stored(fail(ErrorCode::not_found, "the device was removed"));
        return;
    }
    if (!reports_.put({.device = store::DeviceIdentity::of(*known),
                       .state = state,
                       .reason = std::move(reason),
                       .stored = std::move(stored)})) {
        return;
    }
    // The change may be run again, by then with further reports.
    const auto reports = std::make_shared<std::vector<StateReport>>();
    const bool taken = rooms_.committer.change_always(
        [this, number, reports](store::Tables& tables) {
            std::ranges::move(reports_.take(number), std::back_inserter(*reports));
            return store_reports(tables, *reports);
        },
        [this, number, reports](const Result<void>& done) {
            if (!done) {
                rooms_.log.error("cannot store a device's state", {{"why", done.error().detail}});
            }
            for (auto& report : *reports) {
                report.stored(done);
            }
            // Also where its state is the same: the scheduler may have begun to doubt it.
            if (const auto device = rooms_.directory.find_device(number)) {
                rooms_.scheduler.device_changed(*device);
            }
        });
    if (!taken) {
        rooms_.log.warn("a device's state is not stored: the server stops",
                        {{"device", telemetry::mask_number(number.text())}});
    }
}

Result<void> DeviceKeeper::store_reports(store::Tables& tables,
                                         const std::vector<StateReport>& reports) {
    for (const auto& report : reports) {
        const auto changed = record_state(tables, rooms_.notices, report.device, report.state,
                                          report.reason, rooms_.clock.now());
        if (!changed && changed.error().code != ErrorCode::not_found) {
            return pass(changed);
        }
        if (changed && *changed) {
            rooms_.log.info("device changed its state",
                            {{"device", telemetry::mask_number(report.device.number.text())},
                             {"state", model::to_string(report.state)},
                             {"reason", report.reason}});
        }
    }
    return {};
}

void DeviceKeeper::pairing(model::PhoneNumber device, connector::PairingStep step) {
    notify(device, "device.pairing",
           EventData{}
               .add("method", step.method)
               .add("payload", step.payload)
               .add("expires_at", to_rfc3339(step.expires_at)),
           [](const Result<void>&) {});
}

void DeviceKeeper::late_status(connector::LateStatus late, Stored stored) {
    EventData data;
    if (late.message) {
        data.add("requestId", late.message->text());
    }
    data.add("messageid", late.platform_id)
        .add("status", model::to_string(late.status.progress))
        .add("at", to_rfc3339(late.status.at));
    notify(late.device, "message.status", std::move(data), std::move(stored));
}

void DeviceKeeper::inbound(connector::InboundMessage message, Stored stored) {
    EventData data;
    data.add("messageid", message.platform_id)
        .add("from", message.sender)
        .add("type", message.type)
        .add("text", message.text)
        .add("at", to_rfc3339(message.at));
    notify(message.device, "message.received", std::move(data), std::move(stored));
}

void DeviceKeeper::capabilities_changed() {
    (void)rooms_.committer.change_always(
        [](store::Tables&) -> Result<void> { return {}; },
        [this](const Result<void>&) {
            for (const auto& device : rooms_.directory.devices(std::nullopt)) {
                rooms_.scheduler.device_changed(device);
            }
        });
}

Result<DeviceState> DeviceKeeper::first_state(const model::Device& device) {
    return rooms_.connectors.first_state(device.connector, device.number);
}

Result<void> DeviceKeeper::announce(store::Tables& tables, const model::Device& device) {
    return daemon::announce(tables, rooms_.notices, device);
}

Result<model::Device> DeviceKeeper::connect(model::PhoneNumber number) {
    return steer(number, [](connector::Connector& connector, const model::Device& device) {
        connector.start_device(device, {});
    });
}

Result<model::Device> DeviceKeeper::disconnect(model::PhoneNumber number) {
    return steer(number, [](connector::Connector& connector, const model::Device& device) {
        connector.stop_device(device.number);
    });
}

/// What the connector reports at once is asked for after `steering` and before the second change,
/// so it is committed when that one is.
Result<model::Device> DeviceKeeper::steer(model::PhoneNumber number, const Steering& steering) {
    const auto nothing = [](store::Tables&) -> Result<void> { return {}; };
    Result<void> steered;
    auto asked = rooms_.committer.change_and_wait(nothing, [&] {
        const auto device = rooms_.directory.find_device(number);
        auto* connector = device == nullptr ? nullptr : rooms_.connectors.find(device->connector);
        if (connector != nullptr) {
            steering(*connector, *device);
        } else if (device != nullptr) {
            steered = rooms_.connectors.missing(device->connector);
        }
    });
    if (!asked || !steered) {
        return asked ? pass(steered) : pass(asked);
    }
    if (auto settled = rooms_.committer.change_and_wait(nothing); !settled) {
        return pass(settled);
    }
    const auto device = rooms_.directory.find_device(number);
    if (device == nullptr) {
        return fail(ErrorCode::not_found, "the device was removed meanwhile");
    }
    return *device;
}

/// Webhook and owner are those of the moment in which the event is stored.
void DeviceKeeper::notify(model::PhoneNumber number, std::string_view event, EventData data,
                          Stored stored) {
    if (events_waiting_.fetch_add(1) >= events_waiting_max) {
        events_waiting_.fetch_sub(1);
        stored(fail(ErrorCode::busy, "too many events wait to be stored"));
        return;
    }
    const auto told = std::make_shared<Stored>(std::move(stored));
    const bool taken = rooms_.committer.change_always(
        [this, number, event, data = std::move(data)](store::Tables& tables) -> Result<void> {
            const auto device = tables.find_device(number);
            if (!device) {
                return pass(device);
            }
            const auto notice =
                *device ? rooms_.notices.of_event(**device, event, data) : std::nullopt;
            return notice ? tables.add_callback(*notice) : Result<void>{};
        },
        [this, told](const Result<void>& done) {
            events_waiting_.fetch_sub(1);
            if (!done) {
                rooms_.log.error("an event of a device is not stored",
                                 {{"why", done.error().detail}});
            }
            (*told)(done);
        });
    if (!taken) {
        events_waiting_.fetch_sub(1);
    }
}

}  // namespace merpati::daemon
