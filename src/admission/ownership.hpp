// Which accounts this process works for.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>

#include "model/ids.hpp"

namespace merpati::admission {

/// What this process does for an account.
enum class Stay : std::uint8_t {
    here,       // Everything.
    leaving,    // Ends what was begun, and begins nothing.
    elsewhere,  // Nothing: another process may work for it.
};

/// Operation: all accounts are here, new ones too, except those that were detached.
///
/// Threads: look-ups from any; changes from one, the committer's, so that they have a place in the
/// order of the commits.
class Ownership {
public:
    [[nodiscard]] Stay of(model::AccountId account) const;
    [[nodiscard]] bool works_for(model::AccountId account) const {
        return of(account) == Stay::here;
    }

    void set(model::AccountId account, Stay stay);

private:
    std::atomic<std::size_t> count_{0};  // Of `not_here_`.
    mutable std::mutex mutex_;
    std::unordered_map<model::AccountId, Stay> not_here_;
};

}  // namespace merpati::admission
