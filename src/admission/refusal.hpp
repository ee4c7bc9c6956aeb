// Why a request is refused. Their texts, words and codes are in api/errors.cpp.
#pragma once

#include <cstdint>
#include <expected>

namespace merpati::admission {

/// One row of the API's error catalogue each.
enum class Refusal : std::uint8_t {
    // Of the published interface.
    send_failed,
    file_type_unsupported,
    mime_type_unsupported,
    json_invalid,
    media_url_missing,
    message_empty,
    key_invalid,
    device_disconnected,
    sender_invalid,
    type_unsupported,
    account_expired,
    rate_exceeded,
    file_too_large,
    credit_exhausted,
    // Of this gateway, where the published interface has none.
    revision_unknown,
    recipient_invalid,
    message_too_long,
    delay_invalid,
    typing_invalid,
    callback_url_invalid,
    media_url_invalid,
    media_unreachable,
    idempotency_key_invalid,
    idempotency_key_reused,
    idempotency_in_progress,
    device_number_invalid,
    webhook_url_invalid,
    plan_forbids_devices,
    devices_exhausted,
    device_taken,
    scope_missing,
    // Of the HTTP server and the store, for any operation.
    bad_request,
    not_found,
    method_not_allowed,
    request_timeout,
    body_too_large,
    uri_too_long,
    headers_too_large,
    overloaded,
    elsewhere,  // Another node works for the account since a moment ago.
    storage_full,
    storage_unavailable,
    storage_damaged,
    version_unsupported,
    internal,
};

/// A value, or the refusal that the caller gets in its place. `Result<T>` is for faults.
template <class T>
using Checked = std::expected<T, Refusal>;

[[nodiscard]] inline std::unexpected<Refusal> refuse(Refusal refusal) noexcept {
    return std::unexpected(refusal);
}

}  // namespace merpati::admission
