// One look at a URL.
#pragma once

#include <functional>
#include <optional>

#include "base/clock.hpp"
#include "media/facts.hpp"
#include "media/redirects.hpp"
#include "media/sniffer.hpp"

namespace merpati::media {

/// What looking at URLs takes.
struct ProbeTools {
    const Clock& clock;
    Follower& follower;
    const Sniffer& sniffer;
    std::uint64_t bytes_max;
};

/// Looks at `url` until `deadline`: HEAD, then the first 64 KiB by GET. Only a HEAD that is
/// answered 2xx counts; many hosts refuse the method, or know it badly. Calls `done` once, with
/// nothing when the host cannot be judged. `tools` must outlive the look.
void probe_url(const ProbeTools& tools, const outbound::Url& url, SteadyTime deadline,
               std::function<void(const std::optional<Facts>&)> done);

}  // namespace merpati::media
