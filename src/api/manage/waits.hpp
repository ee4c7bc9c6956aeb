// What a message that has not ended waits for, as the catalogue shows it.
#pragma once

#include <boost/json/value.hpp>

#include "api/manage/context.hpp"

namespace merpati::api::manage {

/// {"for","since","until","text"}; null for a message that has ended or is held. A running server's
/// scheduler is asked; of a stopped one the rows tell.
[[nodiscard]] boost::json::value waits_of(const Context& context,
                                          const store::MessageRecord& record,
                                          const store::MessageTrail& trail);

}  // namespace merpati::api::manage
