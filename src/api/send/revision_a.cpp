// Revision A of POST /v1/send (interface 2.1, 8).
#include "api/send/submission.hpp"

namespace merpati::api {

const RevisionRules revision_a{.revision = model::Revision::a,
                               .text_field = "message",
                               .callback_field = "callbackStatus",
                               .typing_field = "typing",
                               .delay_max = 18'000};

}  // namespace merpati::api
