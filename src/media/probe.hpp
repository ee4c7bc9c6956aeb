// One probe of a URL.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "media/media_fetcher.hpp"
#include "media/media_types.hpp"
#include "media/request_tools.hpp"
#include "media/sniffer.hpp"

namespace merpati::media {

/// What a host has told about a file. The verdict depends on the revision.
struct ProbeResult {
    bool inaccessible = false;  // If true, the other fields are not set.
    DeclaredType declared;
    std::optional<std::uint64_t> bytes;  // If the host tells the size.
    std::optional<SniffedType> content;  // Missing if the head alone refuses the file.
};

/// The result from an answer's head. The size is that of the whole file, also in a partial answer.
[[nodiscard]] ProbeResult result_of(const outbound::Response& head);

/// Whether the head alone refuses the file, whatever its content and the message's revision.
[[nodiscard]] bool is_refused_by_head(const ProbeResult& result, std::uint64_t bytes_max);

[[nodiscard]] ProbeVerdict verdict_of(const ProbeResult& result, model::Revision revision,
                                      std::uint64_t bytes_max);

/// `result` empty: undecided. `answered`: the last request got an answer.
using ProbeHandler = std::function<void(const std::optional<ProbeResult>& result, bool answered)>;

/// Probes `url` until `deadline`: HEAD, then the first 64 KiB by GET. Many hosts refuse HEAD or
/// implement it wrongly, so an answer other than 2xx, or one that is not HTTP, is ignored. Any
/// other failure of HEAD makes the probe undecided. Calls `done` once, possibly before it returns.
/// The objects that `tools` refers to must outlive the probe.
void probe_url(const RequestTools& tools, std::uint64_t bytes_max, const outbound::Url& url,
               SteadyTime deadline, ProbeHandler done);

}  // namespace merpati::media
