// Turns a worker's answer to a send into an outcome (docs/connector-protocol.md, sections 7 and 8).
#pragma once

#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "connector/process/codec/frame.hpp"
#include "model/outcome.hpp"

namespace merpati::connector::process {

/// An answer that the page does not define counts as unknown: the platform may have the message.
[[nodiscard]] model::Outcome outcome_of(const Frame& answer);

/// A status `failed` with the code of its error, and its details with the platform's code.
[[nodiscard]] model::PlatformStatus failure_of(const boost::json::object& error);

/// The outcome of a send that was not passed to a worker, because that has much to read.
[[nodiscard]] model::Outcome worker_crowded();

}  // namespace merpati::connector::process
