// Reads a request of POST /v1/send.
#pragma once

#include "admission/submission.hpp"
#include "api/json_fields.hpp"
#include "model/account.hpp"

namespace merpati::api {

/// What the fields ask for, by the names that the revision gives them (interface 9.2); those of the
/// other revision and unknown ones are ignored. Judges nothing: a field of a wrong type or form is
/// left as Submission says. Takes the texts out of `fields`.
[[nodiscard]] admission::Submission decode(JsonFields&& fields, model::Revision revision);

}  // namespace merpati::api
