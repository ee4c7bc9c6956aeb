#include "devices/changes.hpp"

#include <fmt/format.h>

#include "model/texts.hpp"

namespace merpati::devices {
namespace {

using model::DeviceState;
using model::QueueChoice;

Result<void> add_notice(store::MessageTables& tables,
                        const std::optional<model::Callback>& notice) {
    return notice ? tables.add_callback(*notice) : Result<void>{};
}

/// What follows from a device's next state.
struct Consequence {
    std::optional<store::DevicePatch> patch;
    bool is_news = false;  // A webhook notice is due.
    bool is_held = false;  // The device is paused, so that its queue waits.
};

store::DevicePatch& patch_of(Consequence& consequence) {
    return consequence.patch ? *consequence.patch : consequence.patch.emplace();
}

/// Pauses a device that was paired again and has a queue, unless another choice was made.
Result<void> end_pairing(store::DeviceTables& tables, const model::Device& device, Timestamp now,
                         Consequence& consequence) {
    if (!device.after_pairing) {
        return {};
    }
    patch_of(consequence).after_pairing = std::optional<QueueChoice>{};
    if (device.after_pairing != QueueChoice::hold || device.pause) {
        return {};
    }
    const auto waits = tables.has_queue(device.number);
    if (!waits) {
        return pass(waits);
    }
    if (*waits) {
        consequence.is_held = true;
        patch_of(consequence).pause =
            model::Pause{.reason = model::PauseReason::paired_again, .since = now};
    }
    return {};
}

Result<Consequence> consequence_of(store::DeviceTables& tables, const model::Device& device,
                                   DeviceState state, std::optional<Timestamp> until,
                                   Timestamp now) {
    Consequence consequence;
    switch (state) {
        case DeviceState::connected:
        case DeviceState::restricted:
            if (auto ended = end_pairing(tables, device, now, consequence); !ended) {
                return pass(ended);
            }
            break;
        case DeviceState::pairing:
            patch_of(consequence).notified =
                std::optional<DeviceState>{};  // The next state is news.
            if (!device.after_pairing) {
                patch_of(consequence).after_pairing = QueueChoice::hold;
            }
            return consequence;
        case DeviceState::reconnecting:
            return consequence;  // Notified only if it lasts: record_loss.
        case DeviceState::disconnected:
        case DeviceState::logged_out:
        case DeviceState::replaced:
        case DeviceState::banned:
            if (device.after_pairing) {
                patch_of(consequence).after_pairing = std::optional<QueueChoice>{};
            }
            break;
    }
    if (device.notified != state || device.restricted_until < until) {
        consequence.is_news = true;
        patch_of(consequence).notified = state;
    }
    return consequence;
}

}  // namespace

Result<void> announce(store::MessageTables& tables, Notices& notices, const model::Device& device) {
    return device.state == DeviceState::connected ? add_notice(tables, notices.of_state(device, {}))
                                                  : Result<void>{};
}

Result<std::optional<model::Device>> record_state(store::Tables& tables, Notices& notices,
                                                  const store::DeviceIdentity& device,
                                                  DeviceState state, std::string_view reason,
                                                  Timestamp now, std::optional<Timestamp> until) {
    const auto known = tables.find_device(device.number);
    if (!known) {
        return pass(known);
    }
    if (!*known || store::DeviceIdentity::of(**known) != device) {
        return fail(ErrorCode::not_found, "there is no such device");
    }
    if (state == DeviceState::reconnecting) {
        until = (*known)->restricted_until;
    }
    if ((*known)->state == state && (*known)->restricted_until == until) {
        return std::nullopt;
    }
    const auto consequence = consequence_of(tables, **known, state, until, now);
    if (!consequence) {
        return pass(consequence);
    }
    // Before the state, so that followers of the rows never see it connected and not yet paused.
    if (consequence->patch) {
        if (auto updated = tables.update_device(device.number, *consequence->patch); !updated) {
            return pass(updated);
        }
    }
    auto changed = tables.set_device_state(device, state, reason, now, until);
    if (changed && *changed && consequence->is_news) {
        const auto why = consequence->is_held              ? model::reasons::queue_held
                         : state == DeviceState::connected ? std::string_view{}
                                                           : reason;
        if (auto stored = add_notice(tables, notices.of_state(**changed, why)); !stored) {
            return pass(stored);
        }
    }
    return changed;
}

Result<std::optional<model::Device>> end_restriction(store::Tables& tables, Notices& notices,
                                                     const store::DeviceIdentity& device,
                                                     Timestamp now) {
    const auto known = tables.find_device(device.number);
    if (!known) {
        return pass(known);
    }
    if (!*known || (*known)->state != DeviceState::restricted ||
        (*known)->restricted_until.value_or(now) > now) {
        return std::nullopt;
    }
    return record_state(tables, notices, device, DeviceState::connected, {}, now);
}

Result<void> record_loss(store::Tables& tables, Notices& notices,
                         const store::DeviceIdentity& device, Timestamp since,
                         std::uint32_t losses) {
    const auto known = tables.find_device(device.number);
    if (!known) {
        return pass(known);
    }
    if (!*known || store::DeviceIdentity::of(**known) != device || !is_lost(**known) ||
        (*known)->state_since != since) {
        return {};
    }
    const auto updated =
        tables.update_device(device.number, {.notified = std::optional{DeviceState::reconnecting}});
    if (!updated) {
        return pass(updated);
    }
    const auto& reason = updated->state_reason;
    return add_notice(
        tables, notices.of_state(
                    *updated,
                    losses > 0 ? fmt::format(model::reasons::lost_often, reason, losses) : reason));
}

bool is_lost(const model::Device& device) noexcept {
    return device.state == DeviceState::reconnecting &&
           model::is_online(device.notified.value_or(DeviceState::connected));
}

Result<void> plan_pairing(store::DeviceTables& tables, model::PhoneNumber number,
                          std::optional<QueueChoice> choice) {
    const auto device = tables.find_device(number);
    if (!device) {
        return pass(device);
    }
    if (!*device) {
        return fail(ErrorCode::not_found, "there is no such device");
    }
    const auto& [state, planned] = std::pair{(*device)->state, (*device)->after_pairing};
    if (model::is_linked(state)) {
        return {};
    }
    const bool goes_on = state == DeviceState::pairing && planned;
    const auto wanted = choice.value_or(goes_on ? *planned : QueueChoice::hold);
    if (planned == wanted) {
        return {};
    }
    auto updated = tables.update_device(number, {.after_pairing = std::optional{wanted}});
    return updated ? Result<void>{} : pass(updated);
}

Result<void> forget_export(store::DeviceTables& tables, model::PhoneNumber number) {
    const auto device = tables.find_device(number);
    if (!device) {
        return pass(device);
    }
    if (!*device) {
        return fail(ErrorCode::not_found, "there is no such device");
    }
    if (!(*device)->exported_at) {
        return {};
    }
    const auto updated = tables.update_device(number, {.exported_at = std::optional<Timestamp>{}});
    return updated ? Result<void>{} : pass(updated);
}

std::unexpected<Error> refuse_exported(const model::Device& device) {
    return fail(ErrorCode::conflict,
                fmt::format("{} was exported at {}: a program that uses the export and this server "
                            "would destroy the link for each other. If no program uses it, connect "
                            "the device with --force (field `force`); otherwise pair it again",
                            device.number.text(), to_rfc3339(*device.exported_at)));
}

std::vector<api::manage::ConnectorFacts> facts_of(const connector::Connectors& connectors,
                                                  std::string_view trouble) {
    std::vector<api::manage::ConnectorFacts> facts;
    connectors.for_each([&](const std::string& name, const connector::Connector& connector) {
        const auto capabilities = connector.capabilities();
        facts.push_back({.name = name,
                         .pairing = {capabilities->pairing.begin(), capabilities->pairing.end()},
                         .trouble = trouble.empty() ? connector.trouble() : std::string{trouble},
                         .text_characters_max = capabilities->text_characters_max});
    });
    return facts;
}

Result<void> check_still(const model::Device& device, const connector::Connector& connector) {
    if (const auto trouble = connector.trouble(); !connector.keeps_secrets() && !trouble.empty()) {
        return fail(ErrorCode::conflict,
                    fmt::format("{} cannot be moved while its connector {} has trouble: {}",
                                device.number.text(), device.connector, trouble));
    }
    if (!connector.keeps_secrets()) {
        return fail(
            ErrorCode::refused,
            fmt::format("{} is on the connector {}, which keeps nothing that could be moved",
                        device.number.text(), device.connector));
    }
    if (model::is_active(device.state)) {
        return fail(ErrorCode::conflict,
                    fmt::format("{} is {}: disconnect it first", device.number.text(),
                                model::to_string(device.state)));
    }
    return {};
}

}  // namespace merpati::devices
