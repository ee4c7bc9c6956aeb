// The prober without its thread.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include "media/account_cache.hpp"
#include "media/host_limiter.hpp"
#include "media/probe.hpp"
#include "media/prober.hpp"
#include "media/redirects.hpp"
#include "media/ticker.hpp"
#include "media/url_key.hpp"

namespace merpati::media {

/// See prober.hpp. Threads: the executor's one, but for `counts`.
class ProberCore {
public:
    ProberCore(const Clock& clock, const boost::asio::any_io_executor& executor,
               const outbound::AddressPolicy& policy, outbound::Client& client, Sniffer sniffer,
               ProberOptions options);

    void probe(model::AccountId account, const std::string& url, model::Revision revision,
               ProbeDone done);

    /// Answers all that wait with `undecided`. The client was closed before.
    void close();

    [[nodiscard]] ProberCounts counts() const noexcept;

private:
    struct Waiter {
        model::Revision revision;
        ProbeDone done;
    };
    struct Probe {
        UrlKey key;
        outbound::Url url;
        SteadyTime asked_at;
        SlotPtr slot;
        std::vector<Waiter> waiters;
        bool started = false;
        bool ended = false;
    };
    using ProbePtr = std::shared_ptr<Probe>;
    struct Answer {
        Facts facts;
        SteadyTime until;
    };

    [[nodiscard]] const Facts* remembered(const UrlKey& key);
    void line_up(const ProbePtr& probe);
    void start(const ProbePtr& probe);
    void end(const ProbePtr& probe, const std::optional<Facts>& facts);
    bool give_up_late();
    void note_state();

    const Clock& clock_;
    const ProberOptions options_;
    Sniffer sniffer_;
    Follower follower_;
    const ProbeTools tools_;
    HostLimiter limiter_;
    AccountCache<Sha256, Answer, DigestHash> answers_;
    Ticker ticker_;
    std::unordered_map<UrlKey, ProbePtr, UrlKeyHash> probes_;
    std::deque<ProbePtr> by_age_;  // All may wait equally long for a slot: the first ends first.
    bool closed_ = false;

    std::atomic<std::uint64_t> probes_total_ = 0;
    std::atomic<std::uint64_t> shared_total_ = 0;
    std::atomic<std::uint64_t> undecided_total_ = 0;
    std::atomic<std::uint64_t> in_flight_ = 0;
    std::atomic<std::uint64_t> waiting_ = 0;
};

}  // namespace merpati::media
