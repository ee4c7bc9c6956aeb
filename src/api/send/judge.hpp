// What the probe of a file, or the store, means for the one who sends.
#pragma once

#include "admission/refusal.hpp"
#include "media/media_fetcher.hpp"
#include "model/account.hpp"
#include "store/write_batch.hpp"

namespace merpati::api {

/// Whether the file may be sent, as far as is known.
[[nodiscard]] admission::Checked<void> judge(media::ProbeVerdict verdict, model::Revision revision);

/// Whether the message is in the store, by this request or by an earlier one with its key.
[[nodiscard]] admission::Checked<void> judge(const store::Accept& accept);

}  // namespace merpati::api
