// The objects that probes and downloads share.
#pragma once

#include "base/clock.hpp"
#include "media/redirects.hpp"
#include "media/sniffer.hpp"
#include "media/suspect_hosts.hpp"

namespace merpati::media {

/// Threads: the fetcher's one.
struct RequestTools {
    const Clock& clock;
    RedirectFollower& redirects;
    const Sniffer& sniffer;
    SuspectHosts& suspects;
};

}  // namespace merpati::media
