// Conversions between records and rows. An unknown word in a row becomes a default: plan free,
// delivery at least once, device disconnected, no scopes, and so on.
#pragma once

#include <cstdint>
#include <limits>

#include "store/records.hpp"
#include "store/secret_box.hpp"
#include "store/sql/connection.hpp"

namespace merpati::store::sql {

/// The queue is ordered by buckets (schema.cpp): due times in the same 16 s share one.
inline constexpr std::int64_t bucket_millis = 16'384;
/// The last millisecond and bucket of the year 9999.
inline constexpr std::int64_t time_max_millis = 253'402'300'799'999;
inline constexpr std::int64_t bucket_max = time_max_millis / bucket_millis;
[[nodiscard]] inline std::int64_t bucket_of(Timestamp due) {
    return to_unix_millis(due) / bucket_millis;
}
[[nodiscard]] inline Timestamp bucket_start(std::int64_t bucket) {
    return from_unix_millis(bucket * bucket_millis);
}

/// Above the sequence of every id.
inline constexpr auto sequence_max = std::numeric_limits<std::int64_t>::max();

[[nodiscard]] inline std::int64_t tail_of(const Uuid& id) {
    return static_cast<std::int64_t>(id.tail());
}
[[nodiscard]] inline Uuid uuid_of(std::int64_t sequence, std::int64_t tail) {
    return Uuid{sequence, static_cast<std::uint64_t>(tail)};
}

[[nodiscard]] Sha256 digest_of(std::span<const std::byte> blob);

/// NULL for "".
[[nodiscard]] inline std::optional<std::string_view> or_null(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional<std::string_view>{text};
}

/// The number of an enumerator in a row, for texts of statements.
template <class Enumeration>
[[nodiscard]] constexpr int number_of(Enumeration value) noexcept {
    return static_cast<int>(value);
}
// Where a statement uses an index of a part of a table, it repeats the index's condition as it
// stands in the schema: `state = 0`, `state > 1` (callbacks), `state > 2` (completions), and
// `state < 0` (recipients, campaign_rows.hpp).
static_assert(number_of(model::CallbackState::waiting) == 0);
static_assert(number_of(model::CallbackState::delivered) == 1);
static_assert(number_of(model::MessageState::sent) == 2);

/// What a row of `platform_event` is about.
enum class About : std::uint8_t { inbound, status };

/// The word for an enumerator; NULL for an empty optional.
template <class Enumeration>
[[nodiscard]] std::optional<std::string_view> word_of(const std::optional<Enumeration>& value) {
    return value ? std::optional{model::to_string(*value)} : std::nullopt;
}

/// NULL for an empty optional.
[[nodiscard]] inline std::optional<std::int64_t> millis(const std::optional<Millis>& span) {
    return span ? std::optional<std::int64_t>{span->count()} : std::nullopt;
}

/// The booleans and small enums of a message in one integer.
inline constexpr std::int64_t campaign_flag = 16;  // Also in the schemas.
inline constexpr std::int64_t charged_flag = 64;   // The same.
[[nodiscard]] std::int64_t flags_of(const model::Message& message);

inline constexpr const char* message_columns =
    "m.id, m.tail, m.account, m.device, m.recipient, m.body, m.media_url, m.callback_url, m.flags, "
    "m.accepted_at, m.due_at, m.campaign, m.campaign_row, m.template";
inline constexpr int message_column_count = 14;
void read_message(const Cursor& row, int first, model::Message& message);
/// The template that it is sent as, as `message` stores it; empty for none.
[[nodiscard]] std::optional<std::string> template_text(const model::Message& message);
/// As `handed_over` stores it; empty for null.
[[nodiscard]] std::optional<std::string> sent_template_text(const model::SentTemplate* sent);
[[nodiscard]] std::optional<model::SentTemplate> read_sent_template(const Cursor& row, int column);

inline constexpr const char* callback_columns =
    "b.id, b.tail, b.account, b.kind, b.message, b.message_tail, b.url, b.origin_key, b.body, "
    "b.created_at, b.state, b.attempts, b.due_at, b.last_status, b.last_error, b.updated_at, "
    "b.batch, b.batch_tail, b.batch_events";
/// Three columns, or NULL in the first.
[[nodiscard]] std::optional<model::PostedBatch> read_batch(const Cursor& row, int first);
[[nodiscard]] QueuedCallback read_callback(const Cursor& row);
/// Of a callback's row: its last attempt, as `callback_attempt` has the earlier ones.
[[nodiscard]] std::string last_attempt_columns();

inline constexpr const char* completion_columns =
    "c.state, c.code, c.details, c.platform_id, c.finished_at, c.attempts, c.took, c.as_template";
[[nodiscard]] model::Completion read_completion(const Cursor& row, int first);

inline constexpr const char* account_columns =
    "id, name, plan, credit, expires_at, rate, callback_url, delivery, devices_max, "
    "webhook_secret, "
    "webhook_secret_previous, previous_secret_until, created_at, country, callback_batch";
/// Errors: conflict (a secret cannot be decrypted).
[[nodiscard]] Result<model::Account> read_account(const Cursor& row, const SecretBox& secrets);
/// Empty: there is none. Errors: as read_account.
[[nodiscard]] Result<std::optional<model::Account>> find_account(Connection& connection,
                                                                 const SecretBox& secrets,
                                                                 model::AccountId id);

inline constexpr const char* key_columns =
    "id, account, name, hint, digest, revision, created_at, expires_at, revoked_at, "
    "scopes";
[[nodiscard]] model::ApiKey read_key(const Cursor& row);

inline constexpr const char* device_columns =
    "number, account, connector, state, webhook_url, gap_min, jitter_max, per_day_max, created_at, "
    "state_since, warm_up_days, state_reason, paused_since, pause_reason, resumed_at, "
    "after_pairing, notified, exported_at, restricted_until, phone_number_id, waba_id, "
    "fallback_template";
[[nodiscard]] model::Device read_device(const Cursor& row);

inline constexpr const char* idempotency_columns =
    "account, key, fingerprint, message, message_tail, status, answer, created_at";
[[nodiscard]] IdempotencyRecord read_idempotency(const Cursor& row);
/// Empty: there is none.
[[nodiscard]] std::optional<IdempotencyRecord> find_idempotency(Connection& connection,
                                                                model::AccountId account,
                                                                std::string_view key);
/// Stores a record with the values of `idempotency_columns`, in place of one with the same key.
inline constexpr const char* idempotency_put =
    "INSERT INTO idempotency(account, key, fingerprint, message, message_tail, status, answer, "
    "created_at) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT(account, key) DO UPDATE SET "
    "fingerprint = ?3, message = ?4, message_tail = ?5, status = ?6, answer = ?7, created_at = ?8";

}  // namespace merpati::store::sql
