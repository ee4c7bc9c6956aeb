// What a worker answers to a send, as an outcome (docs/connector-protocol.md, sections 7 and 8).
#pragma once

#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "connector/process/frame.hpp"
#include "model/outcome.hpp"

namespace merpati::connector::process {

/// An answer that is none of the page's counts as unknown: the platform may have the message.
[[nodiscard]] model::Outcome outcome_of(const Frame& answer);

/// Of a status `failed`: the code of its error, and the words with the platform's code.
[[nodiscard]] model::PlatformStatus failure_of(const boost::json::object& error);

/// No answer came.
[[nodiscard]] model::Outcome unknown_outcome(std::string_view why);
/// Nothing was given to the worker.
[[nodiscard]] model::Outcome device_down(std::string_view why);

}  // namespace merpati::connector::process
