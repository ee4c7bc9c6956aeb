// Why recipients of a campaign got no message.
#pragma once

#include "api/manage/engine/handlers.hpp"

namespace merpati::api::manage::campaigns {

/// GET /v1/campaigns/ID/outcomes
Handler outcomes;

}  // namespace merpati::api::manage::campaigns
