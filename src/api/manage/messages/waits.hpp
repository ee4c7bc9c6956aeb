// What a message that has not ended waits for, as the catalogue shows it.
#pragma once

#include <boost/json/value.hpp>

#include "api/manage/engine/context.hpp"

namespace merpati::api::manage {

/// {"for","since","until","text","details"}; null for a message that has ended or is held. Asks the
/// scheduler; if there is none or it does not answer, derives the reason from the rows.
[[nodiscard]] boost::json::value waits_of(const Context& context,
                                          const store::MessageRecord& record,
                                          const store::MessageTrail& trail);

}  // namespace merpati::api::manage
