// Requests to a worker about its platform, other than sends, and their answers.
#pragma once

#include <cstdint>

#include <boost/json/object.hpp>

#include "base/error.hpp"
#include "connector/connector.hpp"
#include "connector/process/codec/frame.hpp"

namespace merpati::connector::process {

/// The fields of `media.fetch`.
[[nodiscard]] boost::json::object media_fields(const MediaRequest& request, Millis within);

// Results of the worker's answer; null: there was none. Error texts are the gateway's own and never
// the worker's, because API callers read them; only the platform's code is passed on. Errors: as
// Connector::fetch_media, check_number and answer_pairing.
[[nodiscard]] Result<std::uint64_t> fetched_bytes(const Frame* answer);
[[nodiscard]] Result<bool> is_registered(const Frame* answer);
[[nodiscard]] Result<void> pairing_answered(const Frame* answer);

/// The error of an answer to a pairing step that nobody waits for.
[[nodiscard]] std::unexpected<Error> no_step_asks();

}  // namespace merpati::connector::process
