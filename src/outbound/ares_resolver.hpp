// The machine's names: /etc/hosts and its name servers, without a thread that waits for them.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include <boost/asio/any_io_executor.hpp>

#include "outbound/name_look_up.hpp"
#include "outbound/resolver.hpp"

namespace merpati::outbound {

struct ResolverOptions {
    NameServerOptions servers;
    std::size_t look_ups_max = 256;   // Names asked for at once.
    std::size_t waiting_max = 4'096;  // Requests that wait for a name.
};

/// Operation: requests for one name share one look-up, which ends when the last of them is
/// cancelled. Nothing is kept: each new connection asks anew.
///
/// Limits: ResolverOptions. Look-ups are divided among accounts (Shares); names beyond them wait,
/// account by account. A name that another account waits for is asked for out of the share of
/// whoever has room first.
///
/// Errors: those of Resolver; busy beyond waiting_max.
///
/// Threads: the executor's one. Destroying it cancels everything at once.
class AresResolver final : public Resolver {
public:
    explicit AresResolver(boost::asio::any_io_executor executor, ResolverOptions options = {});
    ~AresResolver() override;

    Ticket resolve(const std::string& host, std::int64_t account, Done done) override;
    void cancel(Ticket ticket) override;

private:
    class Impl;
    std::shared_ptr<Impl> impl_;
};

}  // namespace merpati::outbound
