#include "api/manage/engine/views.hpp"

#include "admission/checks.hpp"
#include "api/texts/state_reasons.hpp"
#include "model/connector.hpp"

namespace merpati::api::manage {
namespace {

using boost::json::object;
using boost::json::value;

std::string_view key_state(const model::ApiKey& key, Timestamp now) {
    if (key.revoked_at) {
        return "revoked";
    }
    return admission::is_live(key, now) ? "active" : "expired";
}

}  // namespace

std::string masked(std::string recipient) {
    constexpr std::size_t before = 4;
    constexpr std::size_t after = 2;
    for (auto place = before; place + after < recipient.size(); ++place) {
        recipient[place] = '*';
    }
    return recipient;
}

value view(const std::optional<model::CallbackBatch>& batch) {
    return batch ? value{{"max", batch->max}, {"wait_ms", batch->wait.count()}} : nullptr;
}

value view(const std::optional<model::PostedBatch>& batch) {
    return batch ? value{{"id", batch->id.text()}, {"events", batch->events}} : nullptr;
}

object view(const model::Account& account) {
    return {
        {"id", account.id.text()},
        {"name", account.name},
        {"plan", model::to_string(account.plan)},
        {"credit", value_or_null(account.credit)},
        {"expires_at", view(account.expires_at)},
        {"rate", account.rate.text()},
        {"callback", text_or_null(account.callback_url)},
        {"callback_batch", view(account.callback_batch)},
        {"delivery", model::to_string(account.delivery)},
        {"devices_max", account.devices_max},
        {"country", account.country},
        {"created_at", to_rfc3339(account.created_at)},
    };
}

object view(const model::ApiKey& key, Timestamp now) {
    return {
        {"id", key.id.text()},
        {"account", key.account.text()},
        {"name", key.name},
        {"hint", key.hint},
        {"revision", key.revision ? model::to_string(*key.revision) : "auto"},
        {"scopes", view(key.scopes)},
        {"state", key_state(key, now)},
        {"created_at", to_rfc3339(key.created_at)},
        {"expires_at", view(key.expires_at)},
        {"revoked_at", view(key.revoked_at)},
    };
}

namespace {

value view(const std::optional<model::CloudNumber>& cloud) {
    return cloud ? value{{"phone_number_id", cloud->phone_number_id},
                         {"waba_id", text_or_null(cloud->waba_id)}}
                 : nullptr;
}

}  // namespace

object view(const model::Device& device, Language language) {
    const auto* reason = reason_of(device.state_reason);
    return {
        {"number", device.number.text()},
        {"connector", device.connector},
        {"simulated", model::is_simulated(device.connector)},
        {"state", model::to_string(device.state)},
        {"state_reason", text_or_null(reason_text(device.state_reason, language))},
        {"state_reason_code", reason == nullptr ? nullptr : value(reason->code)},
        {"restricted_until", view(device.restricted_until)},
        {"paused_since", device.pause ? value(to_rfc3339(device.pause->since)) : nullptr},
        {"paused_reason", device.pause ? value(model::to_string(device.pause->reason)) : nullptr},
        {"account", device.account.text()},
        {"webhook", text_or_null(device.webhook_url)},
        {"gap_ms", device.pace.gap_min.count()},
        {"jitter_ms", device.pace.jitter_max.count()},
        {"per_day_max", number_or_null(device.pace.per_day_max)},
        {"warm_up_days", device.pace.warm_up_days},
        {"state_since", to_rfc3339(device.state_since)},
        {"created_at", to_rfc3339(device.created_at)},
        {"exported_at", view(device.exported_at)},
        {"cloud", view(device.cloud)},
        {"fallback_template",
         text_or_null(device.cloud ? device.cloud->fallback_template : std::string{})},
    };
}

/// What its variables stand for is a part of the message's text.
value shown_template(const model::FilledTemplate* filled) {
    return filled == nullptr ? nullptr
                             : value{{"name", filled->name}, {"language", filled->language}};
}

object view(const store::MessageRecord& record, const admission::Principal& viewer) {
    const auto& message = record.message;
    object shown{
        {"id", message.id.text()},
        {"account", message.account.text()},
        {"from", message.device.text()},
        {"to", viewer.sees_masked(message.account) ? masked(message.recipient) : message.recipient},
        {"type", model::to_string(message.type)},
        {"revision", model::to_string(message.revision)},
        {"state", model::to_string(record.state)},
        {"attempts", record.attempts},
        {"accepted_at", to_rfc3339(message.accepted_at)},
        {"due_at", to_rfc3339(message.due_at)},
        {"next_attempt_at", nullptr},
        {"finished_at", nullptr},
        {"code", nullptr},
        {"details", text_or_null(record.last_details)},
        {"platform_id", nullptr},
        {"typing", message.typing},
        {"media", text_or_null(message.media_url)},
        {"template", shown_template(message.filled_template.get())},
        {"callback", text_or_null(message.callback_url)},
        {"campaign", text_or_null(message.campaign)},
        {"test", message.test},
        {"charged", message.charged},
    };
    if (record.completion) {
        const auto& completion = *record.completion;
        shown["attempts"] = completion.attempts;
        shown["finished_at"] = to_rfc3339(completion.finished_at);
        shown["code"] = static_cast<std::uint16_t>(completion.code);
        shown["details"] = text_or_null(completion.details);
        shown["platform_id"] = text_or_null(completion.platform_id);
    } else if (record.state == model::MessageState::handed_over) {
        shown["platform_id"] = text_or_null(record.platform_id);
    } else {
        shown["next_attempt_at"] = to_rfc3339(record.queued_at);
    }
    hide_from_viewer(shown, viewer, message.account, {"media", "callback"});
    return shown;
}

void hide_from_viewer(object& shown, const admission::Principal& viewer, model::AccountId account,
                      std::initializer_list<std::string_view> fields) {
    if (viewer.sees_masked(account)) {
        for (const auto field : fields) {
            shown[field] = nullptr;
        }
    }
}

std::string_view kind_of(const model::Callback& callback) {
    switch (callback.kind) {
        case model::CallbackKind::message_status:
            return "message_status";
        case model::CallbackKind::device_event:
            return "device_event";
        case model::CallbackKind::campaign_event:
            return "campaign_event";
    }
    return "unknown";
}

object view(const store::QueuedCallback& queued, const admission::Principal& viewer) {
    const auto& [callback, progress] = queued;
    const bool waits = progress.state == model::CallbackState::waiting;
    object shown{
        {"id", callback.id.text()},
        {"account", callback.account.text()},
        {"kind", kind_of(callback)},
        {"message", text_or_null(callback.message)},
        {"url", callback.url},
        {"state", model::to_string(progress.state)},
        {"attempts", progress.attempts},
        {"next_attempt_at", waits ? value(to_rfc3339(progress.due_at)) : nullptr},
        {"last_status", number_or_null(progress.last_status)},
        {"last_error", text_or_null(progress.last_error)},
        {"batch", view(progress.batch)},
        {"created_at", to_rfc3339(callback.created_at)},
        {"updated_at", to_rfc3339(progress.updated_at)},
    };
    hide_from_viewer(shown, viewer, callback.account, {"url"});
    return shown;
}

object view(const model::Invitation& invitation) {
    const bool by_person = invitation.inviter.starts_with(model::PersonTag::prefix);
    return {{"id", invitation.id.text()},
            {"account", invitation.account.text()},
            {"email", invitation.email},
            {"role", model::to_string(invitation.role)},
            {"invited_by", by_person ? value(invitation.inviter_name) : nullptr},
            {"created_at", to_rfc3339(invitation.created_at)},
            {"expires_at", to_rfc3339(invitation.expires_at)}};
}

std::string webhook_secret_text(const Bytes& secret) {
    return "whsec_" + to_base64(secret);
}

boost::json::array view(model::Scopes scopes) {
    boost::json::array words;
    for (std::size_t place = 0; place < model::scopes_count; ++place) {
        if (const auto scope = static_cast<model::Scope>(place); scopes.has(scope)) {
            words.emplace_back(model::to_string(scope));
        }
    }
    return words;
}

value view(std::optional<Timestamp> time) {
    return time ? value(to_rfc3339(*time)) : nullptr;
}

}  // namespace merpati::api::manage
