// Probes media URLs while their messages are accepted: whether what is there may be sent.
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

/// Operation: HEAD, then the first 64 KiB by GET with a Range; what a host says to HEAD other than
/// 2xx is not held against it. Simultaneous probes of one URL are one, and its result serves those
/// of the next minute, so that a campaign of one URL probes once. The result is kept without a
/// verdict, which depends on each caller's revision. Undecided ones are not kept. A probe that gets
/// no slot in `slot_wait` is undecided: its message does not wait behind others.
///
/// Threads: the executor's one, but for `counts`.
class Prober {
public:
    Prober(const boost::asio::any_io_executor& executor, const RequestTools& tools,
           ProbeOptions options);

    void probe(model::AccountId account, const std::string& url, model::Revision revision,
               ProbeDone done);

    /// Ends all probes, and those that are asked for later, as undecided.
    void close();

    [[nodiscard]] ProbeCounts counts() const;

private:
    struct Waiter {
        model::Revision revision;
        ProbeDone done;
    };
    struct Shared {  // A probe, and all who wait for it.
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
    std::deque<SharedPtr> by_age_;  // All may wait equally long for a slot: the first ends first.
    bool closed_ = false;
    ProbeCounts counts_;

    mutable std::mutex mutex_;
    ProbeCounts published_;
};

}  // namespace merpati::media
