// Turns the result of a probe, or of storing a message, into a refusal.
#pragma once

#include "admission/refusal.hpp"
#include "media/media_fetcher.hpp"
#include "model/account.hpp"
#include "store/write_batch.hpp"

namespace merpati::intake {

/// Passes when the probe found no reason against the file. Errors: file_type_unsupported,
/// mime_type_unsupported (B), file_too_large, media_unreachable.
[[nodiscard]] admission::Checked<void> judge(media::ProbeVerdict verdict, model::Revision revision);

/// Passes when the message was stored, or the Idempotency-Key or the retry was used before; the
/// caller tells these apart by `accept.result`. Errors: credit_exhausted, sender_invalid,
/// storage_full, and for damage the refusal of admission::storage_damaged_in.
[[nodiscard]] admission::Checked<void> judge(const store::Accept& accept);

}  // namespace merpati::intake
