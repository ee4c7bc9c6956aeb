// What a worker is asked of its platform beside sends, and what it answers.
#pragma once

#include <cstdint>

#include <boost/json/object.hpp>

#include "base/error.hpp"
#include "connector/connector.hpp"
#include "connector/process/frame.hpp"

namespace merpati::connector::process {

/// The fields of `media.fetch`.
[[nodiscard]] boost::json::object media_fields(const MediaRequest& request, Millis within);

// Answers as the interface has them; null: there was none. In our words, never the worker's: they
// are for whoever asked over the network. Errors: as Connector::fetch_media and check_number.
[[nodiscard]] Result<std::uint64_t> fetched_bytes(const Frame* answer);
[[nodiscard]] Result<bool> is_registered(const Frame* answer);

}  // namespace merpati::connector::process
