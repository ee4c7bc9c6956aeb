// The interface for resolving names to addresses.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <boost/asio/ip/address.hpp>

#include "base/error.hpp"

namespace merpati::outbound {

using Addresses = std::vector<boost::asio::ip::address>;

/// Implemented by AresResolver and, in tests, by scripted resolvers (one that answers with a public
/// address first, then with a private one).
///
/// Threads: all calls and handlers on one.
class Resolver {
public:
    using Ticket = std::uint64_t;
    using Done = std::move_only_function<void(Result<Addresses>)>;

    virtual ~Resolver() = default;

    /// Calls `done` once, after `resolve` has returned, unless the ticket is cancelled before. The
    /// caller cancels at its own deadline. Errors: unreachable, timeout (no name server answered).
    virtual Ticket resolve(const std::string& host, Done done) = 0;

    /// Does nothing if `done` was called already.
    virtual void cancel(Ticket ticket) = 0;
};

}  // namespace merpati::outbound
