// Gives each owner limits of its own for what is on its way to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "forwarding/party_limits.hpp"

namespace merpati::forwarding {

/// Operation: requests for a node that does not answer take nothing from those for others. The
/// requests that wait for nobody in particular count as those of a node, too.
///
/// Limits: it remembers each node that it was asked for. Threads: none.
class OwnerLimits {
public:
    /// Of one node.
    OwnerLimits(std::size_t requests_max, std::size_t bytes_max)
        : requests_max_(requests_max), bytes_max_(bytes_max) {}

    /// Whether the party may have one more request for the node; then it has it.
    [[nodiscard]] bool admit(std::int64_t node, const http::Party& party, std::size_t bytes) {
        return nodes_.try_emplace(node, requests_max_, bytes_max_)
            .first->second.admit(party, bytes);
    }

    /// A request that was admitted has ended.
    void release(std::int64_t node, const http::Party& party, std::size_t bytes) {
        nodes_.at(node).release(party, bytes);
    }

private:
    const std::size_t requests_max_;
    const std::size_t bytes_max_;
    std::unordered_map<std::int64_t, PartyLimits> nodes_;
};

}  // namespace merpati::forwarding
