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

struct ProbeResult {
    std::optional<Facts> facts;  // Nothing: the host cannot be judged.
    bool answered = false;       // Whatever it was, the host's answer was a whole one.
};
using ProbeResultHandler = std::function<void(const ProbeResult&)>;

/// Looks at `url` until `deadline`: HEAD, then the first 64 KiB by GET. Only a HEAD that is
/// answered 2xx counts; many hosts refuse the method, or know it badly. Calls `done` once. `tools`
/// must outlive the look.
void probe_url(const ProbeTools& tools, model::AccountId account, const outbound::Url& url,
               SteadyTime deadline, ProbeResultHandler done);

}  // namespace merpati::media
