#include "daemon/publisher.hpp"

#include <string>
#include <variant>

#include <fmt/format.h>

#include "campaign/campaign_notices.hpp"
#include "devices/notices.hpp"

namespace merpati::daemon {

void Publisher::message(const model::Message& message, model::MessageState state) {
    if (!hub_.is_watched()) {
        return;
    }
    hub_.note(message.account, "message.updated", message.id, [id = message.id, state] {
        return devices::EventData{}
            .add("id", id.text())
            .add("state", model::to_string(state))
            .text();
    });
    if (message.charged) {
        hub_.credit_changed(message.account);
    }
}

std::function<void(const devices::LateStatuses::Progressed&)> Publisher::progress_listener() {
    return [this](const devices::LateStatuses::Progressed& one) {
        if (!hub_.is_watched()) {
            return;
        }
        hub_.note(one.account, "message.updated", one.message, [this, one] {
            return devices::EventData{}
                .add("id", one.message.text())
                .add("state", model::to_string(state_of(one.message)))
                .add("status", model::to_string(one.progress))
                .text();
        });
    };
}

std::function<void(const store::QueuedCallback&)> Publisher::attempt_listener() {
    return [this](const store::QueuedCallback& attempted) { callback_attempt(attempted); };
}

std::function<void(const model::Device&, const connector::PairingStep&)>
Publisher::pairing_listener() {
    return [this](const model::Device& device, const connector::PairingStep& step) {
        pairing_step(device, step);
    };
}

void Publisher::callback_attempt(const store::QueuedCallback& attempted) {
    if (!hub_.is_watched()) {
        return;
    }
    const auto& [callback, progress] = attempted;
    hub_.note(callback.account, "callback.attempt", callback.id,
              [id = callback.id, message = callback.message, state = progress.state,
               attempts = progress.attempts, status = progress.last_status] {
                  return fmt::format(
                      R"({{"id":"{}","message":{},"state":"{}","attempts":{},"status":{}}})",
                      id.text(), message ? fmt::format(R"("{}")", message->text()) : "null",
                      model::to_string(state), attempts,
                      status == 0 ? "null" : std::to_string(status));
              });
}

void Publisher::pairing_step(const model::Device& device, const connector::PairingStep& step) {
    hub_.tell(device.account, "device.qr",
              devices::EventData{}
                  .add("number", device.number.text())
                  .add("method", step.method)
                  .add("expires_at", to_rfc3339(step.expires_at))
                  .text());
}

void Publisher::row_changed(const store::RowChange& change) {
    if (!hub_.is_watched()) {
        return;
    }
    if (const auto* account = std::get_if<model::Account>(&change)) {
        hub_.credit_changed(account->id);
    } else if (const auto* written = std::get_if<store::DeviceWritten>(&change)) {
        const auto before = directory_.find_device(written->device.number);
        if (before == nullptr || before->state != written->device.state) {
            device_state(written->device, model::to_string(written->device.state));
        }
    } else if (const auto* removed = std::get_if<store::DeviceRemoved>(&change)) {
        device_state(removed->device, "removed");
    } else if (const auto* campaign = std::get_if<store::CampaignWritten>(&change)) {
        campaign_written(*campaign->campaign);
    }
}

/// One that is not open has ended, and changes now by late reports; or it is a draft.
void Publisher::campaign_written(const model::Campaign& campaign) {
    const auto before = campaigns_.find(campaign.id);
    const bool is_news =
        before == nullptr
            ? campaign.state != model::CampaignState::draft && !model::has_ended(campaign.state)
            : before->state != campaign.state || before->reason != campaign.reason;
    if (is_news) {
        hub_.tell(campaign.account, "campaign.state", campaign::state_json(campaign));
    }
}

void Publisher::campaign_progress(const model::Campaign& campaign) {
    if (hub_.is_watched()) {
        hub_.tell(campaign.account, "campaign.progress", campaign::progress_json(campaign));
    }
}

void Publisher::device_state(const model::Device& device, std::string_view state) {
    hub_.tell(device.account, "device.state",
              devices::EventData{}.add("number", device.number.text()).add("state", state).text());
}

/// Reads the store, because a message that was decided before its status came stays failed.
model::MessageState Publisher::state_of(const model::MessageId& message) {
    const auto found =
        readers_.read([&](store::Reader& reader) { return reader.message(message); });
    return found && *found ? (*found)->state : model::MessageState::sent;
}

std::optional<std::int64_t> Publisher::credit_of(model::AccountId account) {
    const auto found =
        readers_.read([&](store::Reader& reader) { return reader.account(account); });
    return found && *found ? (*found)->credit : std::nullopt;
}

}  // namespace merpati::daemon
