// Whether the files of a campaign can be sent.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/clock.hpp"
#include "base/digest_hash.hpp"
#include "campaign/control.hpp"
#include "campaign/problem.hpp"
#include "media/media_fetcher.hpp"
#include "outbound/address_policy.hpp"

namespace merpati::campaign {

/// Probes files, as when a message is accepted: one verdict for each address, in their order; empty
/// where there was no time, or is nobody to ask. Waits for the verdicts, and bounds how long.
using MediaProbe = std::function<std::vector<std::optional<media::ProbeVerdict>>(
    const std::vector<std::string>& urls)>;

/// Probes of one check: `probes_max` side by side, and none begins once they have taken
/// `probing_max` in all, in which the time between two calls does not count. More would only wait
/// for the slots that an account has at a host (media::HostLimits).
[[nodiscard]] MediaProbe probe_in_time(const Clock& clock, Control& control,
                                       model::AccountId account);
inline constexpr std::chrono::seconds probing_max{20};
inline constexpr std::size_t probes_max = 8;

/// Judges each distinct address once.
///
/// Files that were not looked at, or of which their hosts said nothing, are judged when their
/// messages are sent.
///
/// Limits: `urls_max` distinct addresses are looked at; `step` of them are probed at once. Those
/// that wait are in memory: probe when `has_step`.
class MediaCheck {
public:
    /// `probe` may be empty: then only the form of addresses is judged.
    MediaCheck(const outbound::AddressPolicy& policy, const MediaProbe& probe)
        : policy_(policy), probe_(probe) {}

    static constexpr std::size_t urls_max = 10'000;
    static constexpr std::size_t step = 4 * probes_max;

    void add(const std::string& url);

    /// Whether so many addresses wait that they make a step.
    [[nodiscard]] bool has_step() const noexcept { return waiting_.size() >= step; }
    [[nodiscard]] bool has_waiting() const noexcept { return !waiting_.empty(); }
    /// Probes some of the addresses that wait.
    void probe_some();

    /// Probes the rest. The problem `media`: how many addresses cannot be sent, and the first one
    /// with its reason. `media_unchecked`, which is not blocking: of how many nobody can tell;
    /// beyond `urls_max`, how many rows have them.
    [[nodiscard]] std::vector<Problem> finish();

private:
    void judge(std::string_view url, std::optional<media::ProbeVerdict> verdict);
    void refuse(std::string_view url, std::string_view reason);
    void leave_unchecked(std::string_view url);

    const outbound::AddressPolicy& policy_;
    const MediaProbe& probe_;
    std::unordered_set<Sha256, DigestHash> seen_;
    std::vector<std::string> waiting_;
    std::optional<Problem> refused_;
    std::optional<Problem> unchecked_;
};

}  // namespace merpati::campaign
