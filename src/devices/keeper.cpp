#include "devices/keeper.hpp"

#include <algorithm>
#include <chrono>
#include <future>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "devices/changes.hpp"
#include "devices/replies.hpp"
#include "model/texts.hpp"

namespace merpati::devices {
namespace {

using model::DeviceState;

/// How long a call waits for what a connector reports at once. Its thread never blocks.
constexpr std::chrono::seconds reported_within{5};

/// Whether the number still belongs to this device: it may have been removed and added again, on
/// another connector or by another account.
Result<bool> is_still(store::DeviceTables& tables, const store::DeviceIdentity& device) {
    const auto known = tables.find_device(device.number);
    if (!known) {
        return std::unexpected(known.error());
    }
    return *known && store::DeviceIdentity::of(**known) == device;
}

/// The pairing method to ask the connector for. A worker does not pair a logged-out device without
/// a method, so an empty `asked` becomes "qr", or the connector's first method.
std::string way_to_pair(const model::Device& device, const connector::Capabilities& capabilities,
                        const std::string& asked) {
    const auto& ways = capabilities.pairing;
    if (!asked.empty() || device.state != DeviceState::logged_out || ways.empty()) {
        return asked;
    }
    return ways.contains("qr") ? "qr" : *ways.begin();
}

/// Whether the connector pairs by the method; an empty one is its default. Errors: refused.
Result<void> check_method(const connector::Capabilities& capabilities, std::string_view method) {
    const auto& methods = capabilities.pairing;
    if (method.empty() || methods.contains(method)) {
        return {};
    }
    return fail(ErrorCode::refused,
                fmt::format("the connector cannot pair a device by '{}'; it has {}", method,
                            methods.empty() ? "none" : fmt::to_string(fmt::join(methods, ", "))));
}

}  // namespace

void DeviceKeeper::follow(const store::RowChange& change) {
    if (const auto* written = std::get_if<store::DeviceWritten>(&change)) {
        const auto& device = written->device;
        if (!rooms_.ownership.works_for(device.account)) {
            return;
        }
        rooms_.scheduler.device_changed(device);
        rooms_.lost_devices.follow(device);
        rooms_.restrictions.follow(device);
        auto* connector = rooms_.connectors.find(device.connector);
        if (connector == nullptr) {
            return;
        }
        connector->know_device(device);
        if ((written->is_new && device.state == DeviceState::connected) ||
            (written->has_new_access && model::is_linked(device.state))) {
            connector->start_device(device, {});
        }
    } else if (const auto* removed = std::get_if<store::DeviceRemoved>(&change)) {
        if (rooms_.ownership.of(removed->device.account) == admission::Stay::elsewhere) {
            return;
        }
        rooms_.scheduler.device_removed(removed->device.number, removed->device.account);
        rooms_.lost_devices.forget(removed->device.number);
        rooms_.restrictions.forget(removed->device.number);
        pairings_.forget(removed->device.number);
        if (auto* connector = rooms_.connectors.find(removed->device.connector)) {
            connector->forget_device(removed->device.number);
        }
    }
}

void DeviceKeeper::outcome(const model::MessageId& message, model::Outcome outcome) {
    rooms_.scheduler.outcome(message, std::move(outcome));
}

void DeviceKeeper::device_state(const model::Device& known, DeviceState state, std::string reason,
                                Stored stored, std::optional<Timestamp> until) {
    const auto number = known.number;
    if (!reports_.put({.device = store::DeviceIdentity::of(known),
                       .state = state,
                       .reason = std::move(reason),
                       .until = until,
                       .stored = std::move(stored)})) {
        return;
    }
    // The change may be run again; the second run may take further reports.
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
                if (done) {
                    pairings_.follow(number, report.state, report.reason);
                }
                report.stored(done);
            }
            // Even if the state is unchanged: after `device_down` outcomes the scheduler may treat
            // the device as down.
            const auto device = rooms_.directory.find_device(number);
            if (device != nullptr && rooms_.ownership.works_for(device->account)) {
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
                                          report.reason, rooms_.clock.wall_now(), report.until);
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

void DeviceKeeper::late_status(const model::Device& device, connector::LateStatus late,
                               Stored stored) {
    statuses_.take(device, std::move(late), std::move(stored));
}

void DeviceKeeper::inbound(const model::Device& device, connector::InboundMessage message,
                           Stored stored) {
    const auto bytes = message.text.size() + message.sender.size() + message.type.size() +
                       (message.media ? message.media->mime.size() + message.media->name.size() +
                                            message.media->reference.size()
                                      : 0);
    if (!connector::is_platform_id(message.platform_id) ||
        bytes > connector::InboundMessage::text_bytes_max) {
        stored(fail(ErrorCode::invalid_argument, "the message's id or its texts are too long"));
        return;
    }
    EventData data;
    data.add("messageid", message.platform_id)
        .add("from", message.sender)
        .add("type", message.type)
        .add("text", message.text);
    auto media = media_of(device, message);
    if (message.media) {
        EventData about;
        if (media) {
            about.add("id", media->id.text())
                .add("path", fmt::format("/v1/received/{}/media", media->id.text()));
        }
        data.add("media", about.add("mime", message.media->mime)
                              .add("bytes", message.media->bytes)
                              .add("name", message.media->name));
    }
    data.add("at", to_rfc3339(message.at));
    keep(
        device, bytes,
        [this, device = device.number, account = device.account, message = std::move(message),
         data = std::move(data), media = std::move(media)](store::Tables& tables) -> Result<void> {
            const auto is_first =
                tables.note_inbound(device, message.platform_id, rooms_.clock.now());
            if (!is_first || !*is_first) {
                return is_first ? Result<void>{} : pass(is_first);
            }
            if (auto taken = take_reply(tables, account, message, rooms_.clock.wall_now());
                !taken) {
                return taken;
            }
            const auto told = notify(tables, device, "message.received", data);
            if (!told) {
                return pass(told);
            }
            return *told && media ? tables.keep_received_media(*media) : Result<void>{};
        },
        std::move(stored));
}

void DeviceKeeper::capabilities_changed() {
    if (capabilities_waiting_.exchange(true)) {
        return;  // The queued pass will see these capabilities too.
    }
    (void)rooms_.committer.change_always(
        [](store::Tables&) -> Result<void> { return {}; },
        [this](const Result<void>&) {
            capabilities_waiting_ = false;
            for (const auto& device : rooms_.directory.devices(std::nullopt)) {
                if (rooms_.ownership.works_for(device.account)) {
                    rooms_.scheduler.device_changed(device);
                }
            }
        });
}

std::vector<api::manage::ConnectorFacts> DeviceKeeper::connectors() const {
    return facts_of(rooms_.connectors);
}

Result<void> DeviceKeeper::prepare(model::Device& device) {
    return rooms_.connectors.prepare(device);
}

Result<void> DeviceKeeper::announce(store::Tables& tables, const model::Device& device) {
    return devices::announce(tables, rooms_.notices, device);
}

Result<void> DeviceKeeper::mark_connected(store::Tables& tables, const model::Device& device) {
    const auto marked = record_state(tables, rooms_.notices, store::DeviceIdentity::of(device),
                                     DeviceState::connected, {}, rooms_.clock.wall_now());
    return marked ? Result<void>{} : pass(marked);
}

Result<model::Device> DeviceKeeper::connect(model::PhoneNumber number, Exported exported) {
    if (exported == Exported::connect) {
        auto known = rooms_.committer.change_and_wait(
            [number](store::Tables& tables) { return forget_export(tables, number); });
        if (!known) {
            return pass(known);
        }
    }
    return steer(number, [this](connector::Connector& connector, const model::Device& device) {
        auto may_start = check_may_start(device);
        // Without credentials this begins a pairing.
        if (may_start && !model::is_linked(device.state) &&
            !connector.capabilities()->pairing.empty()) {
            may_start = limits_.take(device);
        }
        if (may_start) {
            connector.start_device(device, {});
        }
        return may_start;
    });
}

Result<model::Device> DeviceKeeper::disconnect(model::PhoneNumber number) {
    return steer(number,
                 [](connector::Connector& connector, const model::Device& device) -> Result<void> {
                     connector.stop_device(device.number);
                     return {};
                 });
}

Result<void> DeviceKeeper::check_pairing(model::PhoneNumber number, std::string_view method) const {
    const auto device = rooms_.directory.find_device(number);
    if (device == nullptr) {
        return fail(ErrorCode::not_found, "there is no such device");
    }
    const auto* connector = rooms_.connectors.find(device->connector);
    if (connector == nullptr) {
        return rooms_.connectors.missing(device->connector);
    }
    if (auto has_method = check_method(*connector->capabilities(), method); !has_method) {
        return has_method;
    }
    if (auto has_token = limits_.check(*device); !has_token) {
        return has_token;
    }
    if (device->exported_at) {
        if (auto still = check_still(*device, *connector); !still) {
            return still;
        }
    }
    return check_not_moved(*device);
}

Result<void> DeviceKeeper::pair(model::PhoneNumber number, std::string method,
                                std::optional<model::QueueChoice> queue) {
    const auto plan = [number, queue](store::Tables& tables) {
        return plan_pairing(tables, number, queue);
    };
    // A person who left the page and comes back sees the step that is still valid.
    const auto device = rooms_.directory.find_device(number);
    if (method.empty() && device != nullptr && device->state == DeviceState::pairing &&
        pairings_.shows_step(number, rooms_.clock.wall_now())) {
        return rooms_.committer.change_and_wait(plan);
    }
    if (auto checked = check_pairing(number, method); !checked) {
        return checked;
    }
    if (device != nullptr && device->exported_at) {
        if (auto dropped = drop_exported_secrets(number); !dropped) {
            return dropped;
        }
    }
    auto begun = steer(
        number,
        [&](connector::Connector& connector, const model::Device& paired) -> Result<void> {
            const auto capabilities = connector.capabilities();
            auto has_method = check_method(*capabilities, method);
            auto may_start = has_method ? check_may_start(paired) : has_method;
            may_start = may_start ? limits_.take(paired) : may_start;
            if (may_start) {
                pairings_.begin(number);
                connector.start_device(paired, way_to_pair(paired, *capabilities, method));
            }
            return may_start;
        },
        plan);
    return begun ? Result<void>{} : pass(begun);
}

/// Runs `first` and `steering`, then an empty change. Reports that the connector makes because of
/// `steering`, without waiting for its platform, are queued before the empty change, so they are
/// committed when this returns.
Result<model::Device> DeviceKeeper::steer(model::PhoneNumber number, const Steering& steering,
                                          Change first) {
    const auto nothing = [](store::Tables&) -> Result<void> { return {}; };
    Result<void> steered;
    std::future<void> reported;
    auto asked = rooms_.committer.change_and_wait(std::move(first), [&] {
        const auto device = rooms_.directory.find_device(number);
        auto* connector = device == nullptr ? nullptr : rooms_.connectors.find(device->connector);
        if (device != nullptr && !rooms_.ownership.works_for(device->account)) {
            steered = fail(ErrorCode::busy, "its account is moving to another process: try again");
        } else if (connector != nullptr) {
            steered = steering(*connector, *device);
            const auto promise = std::make_shared<std::promise<void>>();
            reported = promise->get_future();
            connector->after_reports([promise] { promise->set_value(); });
        } else if (device != nullptr) {
            steered = rooms_.connectors.missing(device->connector);
        }
    });
    if (!asked || !steered) {
        return asked ? pass(steered) : pass(asked);
    }
    if (reported.valid()) {
        reported.wait_for(reported_within);
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

/// Uses the webhook and the owner that the device has when the event is stored.
Result<bool> DeviceKeeper::notify(store::Tables& tables, model::PhoneNumber number,
                                  std::string_view event, const EventData& data) {
    const auto device = tables.find_device(number);
    if (!device) {
        return std::unexpected(device.error());
    }
    const auto notice = *device ? rooms_.notices.of_event(**device, event, data) : std::nullopt;
    if (!notice) {
        return false;
    }
    auto added = tables.add_callback(*notice);
    return added ? Result<bool>{true} : pass(added);
}

std::optional<store::ReceivedMedia> DeviceKeeper::media_of(
    const model::Device& device, const connector::InboundMessage& message) const {
    const auto* connector = rooms_.connectors.find(device.connector);
    if (!message.media || connector == nullptr || !connector->capabilities()->media_fetch) {
        return std::nullopt;
    }
    return store::ReceivedMedia{.id = rooms_.ids.next(),
                                .device = device.number,
                                .platform_id = message.platform_id,
                                .mime = message.media->mime,
                                .bytes = message.media->bytes,
                                .name = message.media->name,
                                .reference = message.media->reference};
}

void DeviceKeeper::keep(const model::Device& known, std::size_t bytes,
                        std::move_only_function<Result<void>(store::Tables&)> change,
                        Stored stored) {
    const auto number = known.number;
    if (!limits_of_reports_.admit(number, bytes)) {
        stored(fail(ErrorCode::busy, "too many reports of this device wait to be stored"));
        return;
    }
    const bool taken = rooms_.committer.change_always(
        [this, account = known.account, device = store::DeviceIdentity::of(known),
         change = std::move(change)](store::Tables& tables) mutable -> Result<void> {
            // The account may have left since the door was asked.
            if (!rooms_.ownership.answers_for(account)) {
                return fail(ErrorCode::elsewhere, "another node works for the account now");
            }
            const auto still = is_still(tables, device);
            if (!still || !*still) {
                return still ? fail(ErrorCode::not_found, "the device was removed")
                             : std::unexpected(still.error());
            }
            return change(tables);
        },
        [this, number, bytes, stored = std::move(stored)](Result<void> done) mutable {
            limits_of_reports_.release(number, bytes);
            if (!done && done.error().code != ErrorCode::not_found &&
                done.error().code != ErrorCode::elsewhere) {
                rooms_.log.error("a device's report is not stored", {{"why", done.error().detail}});
            }
            stored(std::move(done));
        });
    if (!taken) {
        rooms_.log.warn("a device's report is not stored: the server stops");
    }
}

}  // namespace merpati::devices
