// Devices: the sender numbers of accounts.
#include <algorithm>

#include <fmt/format.h>

#include "admission/checks.hpp"
#include "api/manage/accounts/limits.hpp"
#include "api/manage/devices/cloud_access.hpp"
#include "api/manage/devices/device_control.hpp"
#include "api/manage/devices/new_device.hpp"
#include "api/manage/engine/callback_url.hpp"
#include "api/manage/engine/entity_tag.hpp"
#include "api/manage/engine/handlers.hpp"
#include "api/manage/engine/listing.hpp"
#include "api/manage/engine/lookup.hpp"
#include "api/manage/engine/typed_number.hpp"
#include "api/manage/engine/views.hpp"
#include "model/connector.hpp"

namespace merpati::api::manage::devices {
namespace {

using boost::json::value;

/// The fields of `add`.
struct Wanted {
    std::optional<std::string> account;
    model::PhoneNumber number;
    std::optional<std::string> connector;
    store::DevicePatch choices;
    std::optional<CloudAccess> cloud;
};

boost::json::object view_for(const Call& call, const model::Device& device) {
    auto shown = view(device, call.head.language);
    hide_from_viewer(shown, call.principal, device.account, {"webhook"});
    return shown;
}

/// Takes the fields that `add` and `change` share.
store::DevicePatch take_choices(Fields& fields, const Context& context) {
    store::DevicePatch patch;
    if (fields.none("webhook")) {
        patch.webhook_url = "";
    } else if (auto url = fields.text("webhook", url_bytes_max)) {
        if (!url->empty()) {
            check_callback_url(fields, "webhook", *url, context);
        }
        patch.webhook_url = std::move(*url);
    }
    if (const auto gap = fields.integer("gap_ms", 0, gap_max.count())) {
        patch.pace.gap_min = Millis{*gap};
    }
    if (const auto jitter = fields.integer("jitter_ms", 0, gap_max.count())) {
        patch.pace.jitter_max = Millis{*jitter};
    }
    if (fields.none("per_day_max")) {
        patch.pace.per_day_max = 0;
    } else if (const auto most = fields.integer("per_day_max", 1, per_day_most)) {
        patch.pace.per_day_max = static_cast<std::uint32_t>(*most);
    }
    if (const auto days = fields.integer("warm_up_days", 0, warm_up_days_max)) {
        patch.pace.warm_up_days = static_cast<std::uint32_t>(*days);
    }
    return patch;
}

/// The named device, for a change that If-Match allows.
Result<model::Device> find_edited(store::DeviceTables& tables, const Call& call) {
    return matching(call, find_device(tables, call, call.id),
                    [](const model::Device& device) { return view(device); });
}

void check_cloud_fields(Fields& fields, const CloudAccess& given, std::string_view connector) {
    if (connector != model::cloud_connector) {
        fields.mistake("cloud", "is for devices on the connector cloud alone");
    } else if (!given.phone_number_id || !given.token) {
        fields.mistake("cloud", "must hold phone_number_id and token");
    }
}

Wanted take_wanted(Fields& fields, const Context& context) {
    Wanted wanted;
    wanted.account = fields.account();
    const auto number = parse_typed(fields.required_text("number", typed_number_bytes_max));
    wanted.number = number.value_or(model::PhoneNumber{});
    wanted.connector = fields.text("connector", 32);
    if (wanted.connector && !model::is_connector_name(*wanted.connector)) {
        fields.mistake("connector", "must be the name of a connector");
    }
    wanted.choices = take_choices(fields, context);
    wanted.cloud = take_cloud(fields);
    if (wanted.cloud) {
        check_cloud_fields(fields, *wanted.cloud,
                           wanted.connector.value_or(std::string{context.default_connector}));
    }
    if (!number || !admission::recipient_possible(number->text())) {
        fields.mistake("number", std::string{number_needed});
    }
    return wanted;
}

/// The error of a call for a device that the account does not get.
std::unexpected<Error> refused(const Call& call, const model::Account& owner, const Wanted& wanted,
                               const DeviceRefusal& refusal) {
    if (refusal.reason == admission::Refusal::plan_forbids_devices) {
        return fail(ErrorCode::refused,
                    fmt::format("accounts of the plan {} cannot add devices themselves",
                                model::to_string(owner.plan)));
    }
    if (refusal.reason == admission::Refusal::devices_exhausted) {
        return fail(ErrorCode::refused,
                    fmt::format("{} has its {} devices already: an administrator of the "
                                "server can raise the account's `devices_max`",
                                owner.id.text(), owner.devices_max));
    }
    return fail(ErrorCode::conflict,
                call.principal.knows(refusal.taken_by)
                    ? fmt::format("{} is a device of {} already: remove it there first",
                                  wanted.number.text(), refusal.taken_by.text())
                    : fmt::format("{} is registered already", wanted.number.text()));
}

Result<model::Device> add_in(const Context& context, store::Tables& tables, Call& call,
                             const Wanted& wanted) {
    const auto owner = find_own_account(tables, call, wanted.account);
    if (!owner) {
        return pass(owner);
    }
    const auto connector = wanted.connector.value_or(std::string{context.default_connector});
    auto added = add_device(tables, context.devices, *owner,
                            {.number = wanted.number,
                             .connector = connector,
                             .connector_named = wanted.connector.has_value(),
                             .connector_offered = connectors::may_choose(context, call, connector),
                             .webhook = wanted.choices.webhook_url,
                             .pace = wanted.choices.pace,
                             .cloud = wanted.cloud,
                             .plan_matters = !call.principal.is_administrator()},
                            context.clock.now());
    if (!added) {
        return pass(added);
    }
    if (!*added) {
        return refused(call, *owner, wanted, added->error());
    }
    call.changed_nothing = !(*added)->written;
    return std::move((*added)->device);
}

/// Asks the platform about a new device's number, unless the device would be refused anyway: the
/// change is tried, and undone.
Result<void> check_wanted(const Context& context, Call& call, const Wanted& wanted) {
    std::optional<model::Device> device;
    const auto tried = context.change([&](store::Tables& tables) -> Result<void> {
        device.reset();
        auto added = add_in(context, tables, call, wanted);
        if (!added) {
            return pass(added);
        }
        device = *std::move(added);
        return fail(ErrorCode::conflict, {});
    });
    if (!device) {
        return tried;
    }
    return check_with_platform(context, call.fields, *device,
                               {.phone_number_id = *wanted.cloud->phone_number_id,
                                .waba_id = wanted.cloud->waba_id.value_or(""),
                                .token = *wanted.cloud->token});
}

/// Adds to each device of a page how many messages wait for it. The page counts at most of_page_max
/// messages, plus of_device_min for each further device, so that long queues do not keep readers
/// busy.
Result<void> add_waiting(store::ListReader& reader, boost::json::object& page) {
    constexpr std::uint64_t of_page_max = 200'000;
    constexpr std::uint64_t of_device_min = 100;
    std::uint64_t left = of_page_max;
    for (auto& item : page.at("items").as_array()) {
        auto& device = item.as_object();
        const std::string_view number = device.at("number").as_string();
        const auto queue = reader.queue_of(*model::PhoneNumber::parse(number),
                                           std::clamp(left, of_device_min, queue_counted_max));
        if (!queue) {
            return pass(queue);
        }
        left -= std::min(left, queue->count);
        device["waiting"] = queue->count;
        device["waiting_more"] = queue->has_more;
    }
    return {};
}

}  // namespace

Result<value> list(const Context& context, Call& call) {
    const bool count = call.fields.boolean("count").value_or(false);
    auto shown = list_numbered(
        context, call, "devices",
        [&](const auto& owner, const NumberedPage& page) {
            return context.directory.devices(owner, page.part(model::PhoneNumber::from_stored));
        },
        [&](const model::Device& device) { return view_for(call, device); },
        [](const model::Device& device) { return device.number.value(); });
    if (!shown || !count) {
        return shown ? Result<value>{*std::move(shown)} : pass(shown);
    }
    auto added = context.read([&](store::Reader& reader) { return add_waiting(reader, *shown); });
    return added ? Result<value>{*std::move(shown)} : pass(added);
}

Result<value> show(const Context& context, Call& call) {
    const auto device = find_named_device(context, call);
    if (!device) {
        return pass(device);
    }
    return view_for(call, **device);
}

/// Idempotent: adding a device that the account has already changes the given fields of webhook,
/// pace and access.
Result<value> add(const Context& context, Call& call) {
    const auto wanted = take_wanted(call.fields, context);
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    if (wanted.cloud) {
        if (auto checked = check_wanted(context, call, wanted); !checked) {
            return pass(checked);
        }
    }
    return context.commit_and_show(
        [&](store::Tables& tables) { return add_in(context, tables, call, wanted); },
        [&](const model::Device& device) { return view(device, call.head.language); });
}

Result<value> change(const Context& context, Call& call) {
    auto patch = take_choices(call.fields, context);
    const auto access = take_cloud(call.fields);
    patch.fallback_template = take_fallback(call.fields);
    const auto known = find_named_device(context, call);
    if (!known) {
        return pass(known);
    }
    const bool is_of_cloud = access || patch.fallback_template;
    if (is_of_cloud) {
        const auto checked = check_change(context, call.fields, **known,
                                          access.value_or(CloudAccess{}), patch.fallback_template);
        if (!checked) {
            return pass(checked);
        }
    }
    return context.commit_and_show(
        [&](store::Tables& tables) -> Result<model::Device> {
            const auto device = find_edited(tables, call);
            if (!device) {
                return pass(device);
            }
            const auto same = is_of_cloud ? check_unchanged(**known, *device) : Result<void>{};
            if (!same) {
                return pass(same);
            }
            return access ? give_access(tables, context.devices, *device, *access, patch)
                          : tables.update_device(device->number, patch);
        },
        [&](const model::Device& device) { return view(device, call.head.language); });
}

Result<value> connect(const Context& context, Call& call) {
    const bool force = call.fields.boolean("force").value_or(false);
    const auto device = find_named_device(context, call);
    if (!device) {
        return pass(device);
    }
    using Exported = DeviceControl::Exported;
    auto connected =
        context.devices.connect((*device)->number, force ? Exported::connect : Exported::refuse);
    if (!connected) {
        if (connected.error().code == ErrorCode::too_many_requests) {
            call.answer.retry_after = context.devices.pairing_wait((*device)->number);
        }
        return pass(connected);
    }
    call.did = {{"state", model::to_string(connected->state)}};
    return view(*connected, call.head.language);
}

Result<value> disconnect(const Context& context, Call& call) {
    const auto device = find_named_device(context, call);
    if (!device) {
        return pass(device);
    }
    auto disconnected = context.devices.disconnect((*device)->number);
    if (!disconnected) {
        return pass(disconnected);
    }
    call.did = {{"state", model::to_string(disconnected->state)}};
    return view(*disconnected, call.head.language);
}

Result<value> remove(const Context& context, Call& call) {
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    return context.commit_and_show(
        [&](store::Tables& tables) -> Result<model::PhoneNumber> {
            const auto device = find_edited(tables, call);
            if (!device) {
                return pass(device);
            }
            if (auto removed = tables.remove_device(device->number); !removed) {
                return pass(removed);
            }
            return device->number;
        },
        [](model::PhoneNumber number) {
            return boost::json::object{{"number", number.text()}, {"removed", true}};
        });
}

}  // namespace merpati::api::manage::devices
