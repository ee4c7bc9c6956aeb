// Shares what may be on its way among the parties that send it.
#pragma once

#include <cstddef>

#include <boost/unordered_map.hpp>

#include "base/shared_limit.hpp"
#include "http/party.hpp"

namespace merpati::forwarding {

/// Limits requests and their bytes, each as a SharedLimit. Threads: none.
class PartyLimits {
public:
    PartyLimits(std::size_t requests_max, std::size_t bytes_max)
        : requests_(requests_max), bytes_(bytes_max) {}

    /// Whether the party may have one more request; then it has it.
    [[nodiscard]] bool admit(const http::Party& party, std::size_t bytes) {
        const auto found = shares_.find(party);
        const auto held = found == shares_.end() ? Share{} : found->second;
        if (!requests_.admits(held.requests) || !bytes_.admits(held.bytes, bytes)) {
            return false;
        }
        requests_.acquire();
        bytes_.acquire(bytes);
        shares_[party] = {.requests = held.requests + 1, .bytes = held.bytes + bytes};
        return true;
    }

    /// A request that was admitted has ended.
    void release(const http::Party& party, std::size_t bytes) {
        requests_.release();
        bytes_.release(bytes);
        const auto share = shares_.find(party);
        share->second.bytes -= bytes;
        if (--share->second.requests == 0) {
            shares_.erase(share);
        }
    }

private:
    struct Share {
        std::size_t requests = 0;
        std::size_t bytes = 0;
    };

    SharedLimit requests_;
    SharedLimit bytes_;
    boost::unordered_map<http::Party, Share> shares_;
};

}  // namespace merpati::forwarding
