// Keeps other programs from writing an account while its rows are read and then written.
#pragma once

#include <optional>
#include <string>

#include "model/ids.hpp"
#include "store/sql/connection.hpp"

namespace merpati::store::sql {

/// Operation: `take` locks the account's row until the transaction ends. What depends on a count of
/// the account's rows, on its balance or on its ledger is decided after it. What is read before is
/// read from before the lock, and must not be used. An engine with one writer locks nothing.
///
/// Threads: the connection's.
class AccountLock {
public:
    explicit AccountLock(Connection& connection) {
        if (connection.has_other_writers()) {
            lock_.emplace(connection, "SELECT 1 FROM account WHERE id = ?" +
                                          std::string{connection.for_update()});
        }
    }

    /// Throws Failure, here or when the next rows are read.
    void take(model::AccountId account) {
        if (lock_) {
            lock_->run(account.value);
        }
    }

private:
    std::optional<Statement> lock_;
};

}  // namespace merpati::store::sql
