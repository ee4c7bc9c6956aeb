// Revision B of POST /v1/send (interface 2.1, 8): no callback, no typing, shorter delays.
#include "api/send/submission.hpp"

namespace merpati::api {

const RevisionRules revision_b{.revision = model::Revision::b,
                               .text_field = "pesan",
                               .callback_field = {},
                               .typing_field = {},
                               .delay_max = 60};

}  // namespace merpati::api
