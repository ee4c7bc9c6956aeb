// Follows redirects from one host to the next, each judged anew.
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
    outbound::Url url;  // Who answered it.
};
using FollowDone = std::function<void(Result<Followed>)>;

/// Where a redirect leads. A relative Location is resolved (RFC 3986 section 5), one that was not
/// encoded is, and the result must be a URL that a caller could have given. Never from https to
/// http: who asked for a protected way shall not be led off it unawares.
/// Errors: refused.
[[nodiscard]] Result<outbound::Url> next_hop(const outbound::Url& from, std::string_view location,
                                             const outbound::AddressPolicy& policy);

/// Sends requests, and again to where redirects lead, three times at most.
///
/// Operation: `timeout` and `first_byte_timeout` of the request are for all hops together.
/// `on_head` and `on_body` are called for the last answer alone: the bodies of redirects are not
/// read.
/// Errors: those of outbound::Client; refused (too many redirects, or one that leads where we do
/// not go).
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
