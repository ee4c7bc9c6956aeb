// When an account had something to list: a coarse index over messages and callbacks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "model/ids.hpp"
#include "store/sqlite/connection.hpp"

namespace merpati::store::sqlite {

/// One row an account and span of time (262 s of ids), so that listing one account's messages
/// passes over the time in which it had none. An exact index would cost every message about 2
/// microseconds; this one costs a look into memory.
class Activity {
public:
    explicit Activity(Connection& connection);

    /// Notes that an id of this account exists, in the transaction that stores it.
    void note(model::AccountId account, std::int64_t sequence);

    /// After a rollback: what was noted may be gone.
    void forget() { noted_.clear(); }

    /// Removes up to `rows_max` rows of spans that end before `sequence`.
    void prune(std::int64_t sequence, std::size_t rows_max);

private:
    Connection& connection_;
    Statement insert_;
    std::unordered_map<model::AccountId, std::int64_t> noted_;  // The newest span of each.
};

}  // namespace merpati::store::sqlite
