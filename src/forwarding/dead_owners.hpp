// Which owners' processes have ended.
#pragma once

#include <algorithm>
#include <chrono>
#include <mutex>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "forwarding/owner.hpp"
#include "forwarding/peer.hpp"

namespace merpati::forwarding {

/// An owner is dead if it has answered before, and its machine has said for `dead_after` that
/// nobody listens there.
///
/// Threads: `is_dead` any, the rest the peers' one.
class DeadOwners {
public:
    DeadOwners(const Clock& clock, SteadyTime::duration dead_after)
        : clock_(clock), dead_after_(dead_after) {}

    [[nodiscard]] bool is_dead(const Owner& owner) const {
        const std::lock_guard lock{mutex_};
        return std::ranges::find(dead_, owner) != dead_.end();
    }

    /// `was_refused`: the machine says that nobody listens. Otherwise it has answered.
    void note(Peer& peer, bool was_refused) {
        const auto now = clock_.steady_now();
        if (!was_refused) {
            forget(peer);
        } else if (!peer.refused_since) {
            peer.refused_since = now;
        } else if (peer.has_answered && now - *peer.refused_since >= dead_after_) {
            set(peer, true);
        }
    }

    void forget(Peer& peer) {
        peer.refused_since.reset();
        set(peer, false);
    }

private:
    void set(Peer& peer, bool is_dead) {
        if (std::exchange(peer.is_dead, is_dead) == is_dead) {
            return;
        }
        const std::lock_guard lock{mutex_};
        if (is_dead) {
            dead_.push_back(peer.owner);
        } else {
            std::erase(dead_, peer.owner);
        }
    }

    const Clock& clock_;
    const SteadyTime::duration dead_after_;
    mutable std::mutex mutex_;
    std::vector<Owner> dead_;
};

}  // namespace merpati::forwarding
