// Names to addresses.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/address.hpp>

#include "base/error.hpp"

namespace merpati::outbound {

using Addresses = std::vector<boost::asio::ip::address>;

/// Implemented by the system's resolver and, in tests, by one that answers from a script (public
/// first, then private).
class Resolver {
public:
    virtual ~Resolver() = default;

    /// Calls `done` once, on `executor`, within 5 s. Errors: unreachable, timeout.
    virtual void resolve(std::string host, boost::asio::any_io_executor executor,
                         std::function<void(Result<Addresses>)> done) = 0;
};

}  // namespace merpati::outbound
