#include "store/sql/rows.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "store/plan_text.hpp"

namespace merpati::store::sql {
namespace {

enum Flag : std::int64_t {
    media = 1,
    typing = 2,
    recipient_quoted = 4,
    revision_b = 8,
    campaign = campaign_flag,
    at_most_once = 32,
    charged = charged_flag,
    test = 128,
};

std::shared_ptr<const model::FilledTemplate> read_template(const Cursor& row, int column) {
    return std::make_shared<const model::FilledTemplate>(
        row.parsed(column, template_of(row.text(column))));
}

}  // namespace

Sha256 digest_of(std::span<const std::byte> blob) {
    Sha256 digest{};
    std::memcpy(digest.data(), blob.data(), std::min(blob.size(), digest.size()));
    return digest;
}

std::int64_t flags_of(const model::Message& message) {
    std::int64_t flags = 0;
    flags |= message.type == model::MessageType::media ? media : 0;
    flags |= message.typing ? typing : 0;
    flags |= message.recipient_quoted ? recipient_quoted : 0;
    flags |= message.revision == model::Revision::b ? revision_b : 0;
    flags |= message.source == model::Source::campaign ? campaign : 0;
    flags |= message.delivery == model::Delivery::at_most_once ? at_most_once : 0;
    flags |= message.charged ? charged : 0;
    flags |= message.test ? test : 0;
    return flags;
}

void read_message(const Cursor& row, int first, model::Message& message) {
    message.id = uuid_of(row.integer(first), row.integer(first + 1));
    message.account = {row.integer(first + 2)};
    message.device = model::PhoneNumber::from_stored(row.integer(first + 3));
    message.recipient = row.text(first + 4);
    message.body = row.text(first + 5);
    message.media_url = row.text(first + 6);
    message.callback_url = row.text(first + 7);
    const auto flags = row.integer(first + 8);
    message.type = (flags & media) != 0 ? model::MessageType::media : model::MessageType::text;
    message.typing = (flags & typing) != 0;
    message.recipient_quoted = (flags & recipient_quoted) != 0;
    message.revision = (flags & revision_b) != 0 ? model::Revision::b : model::Revision::a;
    message.source = (flags & campaign) != 0 ? model::Source::campaign : model::Source::api;
    message.delivery = (flags & at_most_once) != 0 ? model::Delivery::at_most_once
                                                   : model::Delivery::at_least_once;
    message.charged = (flags & charged) != 0;
    message.test = (flags & test) != 0;
    message.accepted_at = row.time(first + 9);
    message.due_at = row.time(first + 10);
    message.campaign = row.null(first + 11)
                           ? std::nullopt
                           : std::optional{model::CampaignId{row.integer(first + 11)}};
    message.campaign_row = message.campaign ? row.number<std::uint32_t>(first + 12) : 0;
    message.filled_template = row.null(first + 13) ? nullptr : read_template(row, first + 13);
}

std::optional<std::string> template_text(const model::Message& message) {
    return message.filled_template == nullptr
               ? std::nullopt
               : std::optional{store::template_text(*message.filled_template)};
}

std::optional<std::string> sent_template_text(const model::SentTemplate* sent) {
    if (sent == nullptr) {
        return std::nullopt;
    }
    std::vector<std::string> texts{sent->name, sent->language, sent->header, sent->body,
                                   sent->footer};
    texts.insert(texts.end(), sent->buttons.begin(), sent->buttons.end());
    return list_text(texts);
}

std::optional<model::SentTemplate> read_sent_template(const Cursor& row, int column) {
    if (row.null(column)) {
        return std::nullopt;
    }
    auto texts = list_of(row.text(column));
    constexpr std::ptrdiff_t before_buttons = 5;
    if (texts && std::ssize(*texts) < before_buttons) {
        texts.reset();
    }
    auto read = row.parsed(column, std::move(texts));
    return model::SentTemplate{.name = std::move(read[0]),
                               .language = std::move(read[1]),
                               .header = std::move(read[2]),
                               .body = std::move(read[3]),
                               .footer = std::move(read[4]),
                               .buttons = {std::make_move_iterator(read.begin() + before_buttons),
                                           std::make_move_iterator(read.end())}};
}

std::optional<model::PostedBatch> read_batch(const Cursor& row, int first) {
    if (row.null(first)) {
        return std::nullopt;
    }
    return model::PostedBatch{.id = uuid_of(row.integer(first), row.integer(first + 1)),
                              .events = row.number<std::uint32_t>(first + 2)};
}

QueuedCallback read_callback(const Cursor& row) {
    QueuedCallback queued;
    queued.callback.id = uuid_of(row.integer(0), row.integer(1));
    queued.callback.account = {row.integer(2)};
    queued.callback.kind = row.enumerator(3, model::CallbackKind::campaign_event);
    if (!row.null(4)) {
        queued.callback.message = uuid_of(row.integer(4), row.integer(5));
    }
    queued.callback.url = row.text(6);
    queued.callback.origin_key = row.integer(7);
    queued.callback.body = row.text(8);
    queued.callback.created_at = row.time(9);
    queued.progress.state = row.enumerator(10, model::CallbackState::gone);
    queued.progress.attempts = row.number<std::uint32_t>(11);
    queued.progress.due_at = row.time(12);
    queued.progress.last_status = row.number<std::uint16_t>(13);
    queued.progress.last_error = row.text(14);
    queued.progress.updated_at = row.time(15);
    queued.progress.batch = read_batch(row, 16);
    return queued;
}

std::string last_attempt_columns() {
    return fmt::format(
        "attempts_before + attempts, updated_at, last_took, last_status, last_error, last_answer, "
        "CASE state WHEN {} THEN due_at END, batch, batch_tail, batch_events",
        number_of(model::CallbackState::waiting));
}

model::Completion read_completion(const Cursor& row, int first) {
    return {.state = row.enumerator(first, model::MessageState::held),
            .code = static_cast<model::StatusCode>(row.number<std::uint16_t>(first + 1)),
            .details = std::string{row.text(first + 2)},
            .platform_id = std::string{row.text(first + 3)},
            .finished_at = row.time(first + 4),
            .attempts = row.number<std::uint32_t>(first + 5),
            .took = row.null(first + 6) ? std::nullopt : std::optional{row.span(first + 6)},
            .as_template = row.integer(first + 7) != 0};
}

Result<model::Account> read_account(const Cursor& row, const SecretBox& secrets) {
    model::Account account;
    account.id = {row.integer(0)};
    account.name = row.text(1);
    account.plan = model::parse_plan(row.text(2)).value_or(model::Plan::free);
    if (!row.null(3)) {
        account.credit = row.integer(3);
    }
    account.expires_at = row.optional_time(4);
    account.rate = model::RateChoice::parse(row.text(5)).value_or(model::RateChoice{});
    account.callback_url = row.text(6);
    account.delivery = model::parse_delivery(row.text(7)).value_or(model::Delivery::at_least_once);
    account.devices_max = row.number<std::uint32_t>(8);
    auto secret = secrets.unseal(row.blob(9));
    if (!secret) {
        return pass(secret);
    }
    account.webhook_secret = std::move(*secret);
    if (!row.null(10)) {
        auto previous = secrets.unseal(row.blob(10));
        if (!previous) {
            return pass(previous);
        }
        account.webhook_secret_previous = std::move(*previous);
    }
    account.previous_secret_until = row.optional_time(11);
    account.created_at = row.time(12);
    account.country = row.text(13);
    account.callback_batch = model::CallbackBatch::parse(row.text(14));
    return account;
}

Result<std::optional<model::Account>> find_account(Connection& connection, const SecretBox& secrets,
                                                   model::AccountId id) {
    Statement find{connection,
                   std::string{"SELECT "} + account_columns + " FROM account WHERE id = ?"};
    auto row = find.query(id.value);
    if (!row.next()) {
        return std::nullopt;
    }
    return read_account(row, secrets);
}

model::ApiKey read_key(const Cursor& row) {
    model::ApiKey key;
    key.id = {row.integer(0)};
    key.account = {row.integer(1)};
    key.name = row.text(2);
    key.hint = row.text(3);
    key.digest = digest_of(row.blob(4));
    key.revision = model::parse_revision(row.text(5));
    key.created_at = row.time(6);
    key.expires_at = row.optional_time(7);
    key.revoked_at = row.optional_time(8);
    key.scopes = model::Scopes::parse(row.text(9)).value_or(model::Scopes{});
    return key;
}

model::Device read_device(const Cursor& row) {
    model::Device device;
    device.number = model::PhoneNumber::from_stored(row.integer(0));
    device.account = {row.integer(1)};
    device.connector = row.text(2);
    device.state =
        model::parse_device_state(row.text(3)).value_or(model::DeviceState::disconnected);
    device.webhook_url = row.text(4);
    device.pace.gap_min = row.span(5);
    device.pace.jitter_max = row.span(6);
    device.pace.per_day_max = row.number<std::uint32_t>(7);
    device.created_at = row.time(8);
    device.state_since = row.time(9);
    device.pace.warm_up_days = row.number<std::uint32_t>(10);
    device.state_reason = row.text(11);
    if (!row.null(12)) {
        device.pause = {
            .reason = model::parse_pause_reason(row.text(13)).value_or(model::PauseReason::asked),
            .since = row.time(12)};
    }
    device.resumed_at = row.time(14);
    device.after_pairing = model::parse_queue_choice(row.text(15));
    device.notified = model::parse_device_state(row.text(16));
    device.exported_at = row.optional_time(17);
    device.restricted_until = row.optional_time(18);
    if (!row.null(19)) {
        device.cloud = {.phone_number_id = std::string{row.text(19)},
                        .waba_id = std::string{row.text(20)},
                        .fallback_template = std::string{row.text(21)}};
    }
    return device;
}

IdempotencyRecord read_idempotency(const Cursor& row) {
    IdempotencyRecord record;
    record.account = {row.integer(0)};
    record.key = row.text(1);
    record.fingerprint = digest_of(row.blob(2));
    if (!row.null(3)) {
        record.message = uuid_of(row.integer(3), row.integer(4));
    }
    record.status = row.number<std::uint16_t>(5);
    record.answer = row.text(6);
    record.created_at = row.time(7);
    return record;
}

std::optional<IdempotencyRecord> find_idempotency(Connection& connection, model::AccountId account,
                                                  std::string_view key) {
    Statement find{connection, std::string{"SELECT "} + idempotency_columns +
                                   " FROM idempotency WHERE account = ? AND key = ?"};
    return first_row(find.query(account.value, key), read_idempotency);
}

}  // namespace merpati::store::sql
