// Probes media URLs when messages are accepted, to refuse files that may not be sent.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include "base/shared_cache.hpp"
#include "media/host_limiter.hpp"
#include "media/probe.hpp"
#include "media/url_key.hpp"
#include "outbound/periodic_timer.hpp"

namespace merpati::media {

/// Operation: see `probe_url` for one probe. Calls of one account for the same URL share a probe
/// while it runs, and its result for ProbeOptions::kept_for, so that a campaign with one URL probes
/// about once a minute. The result is kept without a verdict, because that depends on the caller's
/// revision; an undecided result is not kept. A probe that gets no slot within `slot_wait` is
/// undecided, so that its message is accepted without waiting longer.
///
/// Limits: ProbeOptions.
///
/// Threads: the executor's one, except `counts` (any).
class Prober {
public:
    Prober(const boost::asio::any_io_executor& executor, const RequestTools& tools,
           ProbeOptions options);

    void probe(model::AccountId account, const std::string& url, model::Revision revision,
               ProbeDone done);

    /// Ends all probes as undecided, also those that are asked for later.
    void close();

    [[nodiscard]] ProbeCounts counts() const;

private:
    struct Waiter {
        model::Revision revision;
        ProbeDone done;
    };
    struct Shared {  // A probe, and all calls that wait for it.
        UrlKey key;
        outbound::Url url;
        SteadyTime asked_at;
        SlotPtr slot;
        std::vector<Waiter> waiters;
        bool started = false;
        bool ended = false;
    };
    using SharedPtr = std::shared_ptr<Shared>;
    struct Entry {
        ProbeResult result;
        SteadyTime until;
    };

    [[nodiscard]] const ProbeResult* find_result(const UrlKey& key);
    void wait_for_slot(const SharedPtr& probe);
    void start(const SharedPtr& probe);
    void end(const SharedPtr& probe, const std::optional<ProbeResult>& result);
    bool end_late();
    void publish_counts();

    const RequestTools tools_;
    const ProbeOptions options_;
    HostLimiter limiter_;
    SharedCache<model::AccountId, Sha256, Entry, DigestHash> results_;
    outbound::PeriodicTimer timer_;
    std::unordered_map<UrlKey, SharedPtr, UrlKeyHash> probes_;
    std::deque<SharedPtr> by_age_;  // All have the same slot_wait, so the first expires first.
    bool closed_ = false;
    ProbeCounts counts_;

    mutable std::mutex mutex_;
    ProbeCounts published_;
};

}  // namespace merpati::media
