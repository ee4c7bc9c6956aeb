// Decodes the body of POST /v1/send.
#pragma once

#include "admission/submission.hpp"
#include "api/json_fields.hpp"
#include "model/account.hpp"

namespace merpati::api {

/// Reads the fields under the names of the revision (interface 9.2). Ignores unknown fields and
/// those of the other revision. Refuses nothing: a field of a wrong type or form gets the value
/// that Submission documents for it. Moves texts out of `fields`.
[[nodiscard]] admission::Submission decode(JsonFields&& fields, model::Revision revision);

}  // namespace merpati::api
