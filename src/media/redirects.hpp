// Follows redirects, and checks the URL of each.
#pragma once

#include <functional>
#include <string_view>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "outbound/client.hpp"

namespace merpati::media {

constexpr unsigned redirects_max = 3;

struct Followed {
    outbound::Response response;
    outbound::Url url;  // The URL that answered.
};
using FollowDone = std::function<void(Result<Followed>)>;

/// The URL of a redirect. Encodes an unencoded Location and resolves a relative one (RFC 3986
/// section 5). `outbound::admit_url` must admit the result. A redirect from https to http is
/// refused, because the caller asked for an encrypted connection. Errors: refused.
[[nodiscard]] Result<outbound::Url> next_hop(const outbound::Url& from, std::string_view location,
                                             const outbound::AddressPolicy& policy);

/// Sends a request, and follows up to `redirects_max` redirects.
///
/// Operation: `timeout` and `first_byte_timeout` of the request are for all hops together. Bodies
/// of redirects are not read: `on_body` is called only for the last answer, and so is `on_head`,
/// except that for HEAD it is called for every answer.
///
/// Errors: those of outbound::Client, and refused (too many redirects, or one that `next_hop`
/// refuses).
///
/// Threads: the client's one. Must outlive its requests.
class RedirectFollower {
public:
    RedirectFollower(const Clock& clock, const outbound::AddressPolicy& policy,
                     outbound::Client& client)
        : clock_(clock), policy_(policy), client_(client) {}

    void send(outbound::Request request, FollowDone done);

private:
    struct Chain;
    [[nodiscard]] bool leave_time(Chain& chain) const;
    void hop(const std::shared_ptr<Chain>& chain);
    void answered(const std::shared_ptr<Chain>& chain, Result<outbound::Response> answer);

    const Clock& clock_;
    const outbound::AddressPolicy& policy_;
    outbound::Client& client_;
};

}  // namespace merpati::media
