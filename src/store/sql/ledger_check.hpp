// Compares each account's ledger with its balance and its messages.
#pragma once

#include <vector>

#include "store/ledger.hpp"
#include "store/sql/connection.hpp"

namespace merpati::store::sql {

/// Returns the accounts whose ledger disagrees. Reads all messages, in one statement and therefore
/// from one snapshot. Throws Failure.
[[nodiscard]] std::vector<LedgerFault> compare_ledgers(Connection& connection);

}  // namespace merpati::store::sql
