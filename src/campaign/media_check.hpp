// Whether the files of a campaign can be sent.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/digest_hash.hpp"
#include "campaign/problem.hpp"
#include "media/media_fetcher.hpp"
#include "outbound/address_policy.hpp"

namespace merpati::campaign {

/// Probes files, as when a message is accepted: one verdict for each address, in their order;
/// `undecided` where nobody can tell. Waits for the verdicts, and bounds how long.
using MediaProbe =
    std::function<std::vector<media::ProbeVerdict>(const std::vector<std::string>& urls)>;

/// Judges each distinct address once.
///
/// Limits: `urls_max` distinct addresses; later ones are judged when their messages are sent.
/// `step` of them are probed, and kept in memory, at once.
class MediaCheck {
public:
    /// `probe` may be empty: then only the form of addresses is judged.
    MediaCheck(const outbound::AddressPolicy& policy, const MediaProbe& probe)
        : policy_(policy), probe_(probe) {}

    static constexpr std::size_t urls_max = 10'000;
    static constexpr std::size_t step = 100;

    void add(const std::string& url);

    /// The problem `media`: how many addresses cannot be sent, and the first one with its reason.
    [[nodiscard]] std::optional<Problem> finish();

private:
    void probe_waiting();
    void refuse(std::string_view url, std::string_view reason);

    const outbound::AddressPolicy& policy_;
    const MediaProbe& probe_;
    std::unordered_set<Sha256, DigestHash> seen_;
    std::vector<std::string> waiting_;
    std::optional<Problem> problem_;
};

}  // namespace merpati::campaign
