// Compares the counts of campaigns with their recipients.
#pragma once

#include <vector>

#include "store/sqlite/connection.hpp"
#include "store/store.hpp"

namespace merpati::store::sqlite {

/// Reads all recipients. Leaves out campaigns that were removed, and those that have ended and
/// whose rows retention removes. Throws Failure.
[[nodiscard]] std::vector<CampaignFault> compare_campaigns(Connection& connection);

}  // namespace merpati::store::sqlite
