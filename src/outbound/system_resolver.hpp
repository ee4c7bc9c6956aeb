// The machine's resolver, off the I/O threads.
#pragma once

#include <memory>

#include "outbound/resolver.hpp"

namespace merpati::outbound {

/// getaddrinfo on a few threads of its own, because one slow name server must not hold up the
/// names of others.
///
/// Limits: `queue_max` look-ups wait; more are refused as unreachable. Answers that come after 5 s
/// are dropped: `done` had its timeout by then.
class SystemResolver final : public Resolver {
public:
    SystemResolver();
    ~SystemResolver() override;

    void resolve(std::string host, boost::asio::any_io_executor executor,
                 std::function<void(Result<Addresses>)> done) override;

    static constexpr std::size_t queue_max = 1'024;

private:
    class Impl;
    std::shared_ptr<Impl> impl_;
};

}  // namespace merpati::outbound
