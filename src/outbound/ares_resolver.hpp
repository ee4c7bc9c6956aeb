// Resolves names with c-ares: /etc/hosts and the machine's name servers.
#pragma once

#include <memory>
#include <string>

#include <boost/asio/any_io_executor.hpp>

#include "outbound/name_look_up.hpp"
#include "outbound/resolver.hpp"

namespace merpati::outbound {

/// Operation: concurrent requests for one name share one look-up (NameLookUp). It is cancelled when
/// the last of them is cancelled. Results are not cached: each new connection resolves the name
/// again.
///
/// Limits: one look-up for each name that is being resolved. A look-up that gets no answer does not
/// delay others. The callers limit the number of requests (Client).
///
/// Errors: those of Resolver.
///
/// Threads: the executor's one, which never waits for a server. The destructor cancels all
/// look-ups.
class AresResolver final : public Resolver {
public:
    explicit AresResolver(boost::asio::any_io_executor executor, NameServerOptions options = {});
    ~AresResolver() override;

    Ticket resolve(const std::string& host, Done done) override;
    void cancel(Ticket ticket) override;

private:
    class Impl;
    std::shared_ptr<Impl> impl_;
};

}  // namespace merpati::outbound
