// Compares the counts of campaigns with their recipients.
#pragma once

#include <vector>

#include "store/sql/connection.hpp"
#include "store/store.hpp"

namespace merpati::store::sql {

/// Reads all recipients. Leaves out campaigns that were removed, and those that have ended and
/// whose rows retention removes. Throws Failure.
void compare_counts(Connection& connection, std::vector<CampaignFault>& faults);

/// The reasons of each campaign's rows are as many as its counts say. Throws Failure.
void compare_outcomes(Connection& connection, std::vector<CampaignFault>& faults);

}  // namespace merpati::store::sql
