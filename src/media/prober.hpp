// Looks at a media URL while its message is accepted: may what lies there be sent?
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "media/host_limiter.hpp"
#include "model/account.hpp"
#include "model/ids.hpp"
#include "outbound/client.hpp"

namespace merpati::media {

/// What decisions.md ("Media") answers with: 415, 413 or B 400, 400, or acceptance.
enum class ProbeVerdict : std::uint8_t {
    acceptable,
    /// Not resolved, not reached, address not public, too many redirects, 5xx, too slow, or our own
    /// queue is full: the message is accepted, and judged when its file is fetched.
    undecided,
    declared_type_refused,  // The Content-Type is not in the revision's list.
    content_type_refused,   // The first bytes are certainly of a type that is not.
    too_large,
    inaccessible,  // 4xx.
};

using ProbeDone = std::move_only_function<void(ProbeVerdict)>;

struct ProberOptions {
    std::uint64_t bytes_max = 64UL * 1024 * 1024;  // media.max_bytes
    std::chrono::milliseconds patience{5'000};     // From the call to the verdict,
    std::chrono::milliseconds slot_wait{1'000};    // of which so much waiting for a slot.
    HostLimits limits{};                           // Of probes under way and waiting.
    std::chrono::seconds kept_for{60};             // How long an answer serves the next messages;
    std::chrono::seconds inaccessible_for{5};      // that of a 4xx, which its owner may be mending.
    std::size_t kept_max = 4'096;                  // Answers in memory.
};

struct ProberCounts {
    std::uint64_t probes_total = 0;     // Made, whatever came of them.
    std::uint64_t shared_total = 0;     // Asked for, and answered by another's probe.
    std::uint64_t undecided_total = 0;  // Of those made.
    std::uint64_t in_flight = 0;
    std::uint64_t waiting = 0;
};

/// Operation: HEAD, then the first 64 KiB by GET with a Range; what a host says to HEAD other than
/// 2xx is not held against it. At most 3 redirects, each judged anew; none from https to http.
/// Simultaneous probes of one URL are one, and its answer serves those of the next minute, so that
/// a campaign of one URL probes once. What is kept are facts, from which each caller's revision is
/// judged. Undecided answers are not kept.
///
/// Fairness: accounts share nothing but the slots, which HostLimiter gives out; each has its own
/// probes, answers and standings of hosts. A probe that gets no slot in `slot_wait` is undecided:
/// its message does not wait behind others.
///
/// Threads: one of its own, on which every `done` is called. Public methods from any thread.
class Prober {
public:
    Prober(const Clock& clock, const outbound::AddressPolicy& policy,
           outbound::ClientOptions client, ProberOptions options);
    ~Prober();

    /// Errors: io_failed (CA file, libmagic's database).
    [[nodiscard]] Result<void> start();

    /// Answers all that wait with `undecided` and ends the thread. Probes asked for later are
    /// undecided too, on the caller's thread.
    void stop();

    /// Does not block. `url` was admitted by outbound::admit_url. Calls `done` once, within the
    /// patience.
    void probe(model::AccountId account, std::string url, model::Revision revision, ProbeDone done);

    [[nodiscard]] ProberCounts counts() const noexcept;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace merpati::media
