// Names to addresses.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <boost/asio/ip/address.hpp>

#include "base/error.hpp"

namespace merpati::outbound {

using Addresses = std::vector<boost::asio::ip::address>;

/// Implemented by AresResolver and, in tests, by one that answers from a script (public first, then
/// private).
///
/// Threads: all calls and handlers on one.
class Resolver {
public:
    using Ticket = std::uint64_t;
    using Done = std::move_only_function<void(Result<Addresses>)>;

    virtual ~Resolver() = default;

    /// Asks for a name, out of the share of `account` (see Request). Calls `done` once, later, and
    /// not after `cancel`: whoever waits has a deadline, and cancels at it.
    /// Errors: unreachable, timeout (no name server answered), busy.
    virtual Ticket resolve(const std::string& host, std::int64_t account, Done done) = 0;

    /// Does nothing once `done` was called.
    virtual void cancel(Ticket ticket) = 0;
};

}  // namespace merpati::outbound
