// What a probe found at a URL, and what that means for a message.
#pragma once

#include <cstdint>
#include <optional>

#include "media/prober.hpp"
#include "media/sniffer.hpp"
#include "media/types.hpp"
#include "model/account.hpp"
#include "outbound/client.hpp"

namespace merpati::media {

/// Facts, not a verdict: the revisions judge differently.
struct Facts {
    bool inaccessible = false;  // Then the rest is unknown.
    Declared declared;
    std::optional<std::uint64_t> bytes;  // Where the host says it.
    std::optional<Sniffed> content;      // Missing where no revision would ask for it.
};

/// What an answer's head says. The size is that of the whole file, also where a part was sent.
[[nodiscard]] Facts facts_of(const outbound::Response& head);

/// Whether the head alone refuses the file, whatever its content and the message's revision.
[[nodiscard]] bool is_refused_by_head(const Facts& facts, std::uint64_t bytes_max);

[[nodiscard]] ProbeVerdict verdict_of(const Facts& facts, model::Revision revision,
                                      std::uint64_t bytes_max);

}  // namespace merpati::media
