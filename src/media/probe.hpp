// One look at a URL.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "media/media_fetcher.hpp"
#include "media/media_types.hpp"
#include "media/request_tools.hpp"
#include "media/sniffer.hpp"

namespace merpati::media {

/// What a host says of a file; the revisions judge it differently.
struct ProbeResult {
    bool inaccessible = false;  // Then the rest is unknown.
    DeclaredType declared;
    std::optional<std::uint64_t> bytes;  // Where the host says it.
    std::optional<SniffedType> content;  // Missing where no revision would ask for it.
};

/// What an answer's head says. The size is that of the whole file, also where a part was sent.
[[nodiscard]] ProbeResult result_of(const outbound::Response& head);

/// Whether the head alone refuses the file, whatever its content and the message's revision.
[[nodiscard]] bool is_refused_by_head(const ProbeResult& result, std::uint64_t bytes_max);

[[nodiscard]] ProbeVerdict verdict_of(const ProbeResult& result, model::Revision revision,
                                      std::uint64_t bytes_max);

/// `result` empty: the host cannot be judged. `answered`: its answer was a whole one.
using ProbeHandler = std::function<void(const std::optional<ProbeResult>& result, bool answered)>;

/// Looks at `url` until `deadline`: HEAD, then the first 64 KiB by GET. Only a HEAD that is
/// answered 2xx counts; many hosts refuse the method, or know it badly. Calls `done` once. `tools`
/// must outlive the look.
void probe_url(const RequestTools& tools, std::uint64_t bytes_max, const outbound::Url& url,
               SteadyTime deadline, ProbeHandler done);

}  // namespace merpati::media
