#include "media/prober_core.hpp"

#include <utility>

namespace merpati::media {
namespace {

/// How exactly the wait for a slot is limited.
constexpr std::chrono::milliseconds beat{50};

}  // namespace

ProberCore::ProberCore(const Clock& clock, const boost::asio::any_io_executor& executor,
                       const outbound::AddressPolicy& policy, outbound::Client& client,
                       Sniffer sniffer, ProberOptions options)
    : clock_(clock),
      options_(options),
      sniffer_(std::move(sniffer)),
      follower_(clock, policy, client),
      tools_{clock, follower_, sniffer_, options.bytes_max},
      limiter_(options.limits),
      answers_(options.kept_max),
      ticker_(executor, beat, [this] { return give_up_late(); }) {}

void ProberCore::probe(model::AccountId account, const std::string& url, model::Revision revision,
                       ProbeDone done) {
    if (closed_) {
        done(ProbeVerdict::undecided);
        return;
    }
    const UrlKey key{account, url};
    if (const auto* facts = remembered(key)) {
        ++shared_total_;
        done(verdict_of(*facts, revision, options_.bytes_max));
        return;
    }
    if (const auto found = probes_.find(key); found != probes_.end()) {
        ++shared_total_;
        found->second->waiters.push_back({revision, std::move(done)});
        return;
    }
    auto parsed = outbound::Url::parse(url);
    if (!parsed) {
        done(ProbeVerdict::undecided);
        return;
    }
    const auto probe = std::make_shared<Probe>(Probe{.key = key,
                                                     .url = std::move(*parsed),
                                                     .asked_at = clock_.steady_now(),
                                                     .slot = {},
                                                     .waiters = {}});
    probe->slot = std::make_shared<Slot>(account, probe->url.origin());
    probe->waiters.push_back({revision, std::move(done)});
    ++probes_total_;
    probes_.emplace(key, probe);
    line_up(probe);
}

const Facts* ProberCore::remembered(const UrlKey& key) {
    const auto* answer = answers_.find(key.account, key.url);
    return answer != nullptr && clock_.steady_now() < answer->until ? &answer->facts : nullptr;
}

void ProberCore::line_up(const ProbePtr& probe) {
    const bool stands = limiter_.ask(probe->slot, [this, probe] { start(probe); });
    note_state();
    if (!stands) {
        end(probe, std::nullopt);
    } else if (!probe->started) {
        by_age_.push_back(probe);
        ticker_.wake();
    }
}

void ProberCore::start(const ProbePtr& probe) {
    probe->started = true;
    const auto began = clock_.steady_now();
    probe_url(tools_, probe->key.account, probe->url, probe->asked_at + options_.patience,
              [this, probe, began](const ProbeResult& result) {
                  end(probe, result.facts);
                  const auto took = std::chrono::ceil<Millis>(clock_.steady_now() - began);
                  limiter_.release(probe->slot,
                                   result.answered ? std::optional{took} : std::nullopt);
                  note_state();
              });
}

void ProberCore::end(const ProbePtr& probe, const std::optional<Facts>& facts) {
    if (std::exchange(probe->ended, true)) {
        return;
    }
    probes_.erase(probe->key);
    if (facts) {
        const auto kept = facts->inaccessible ? options_.inaccessible_for : options_.kept_for;
        answers_.put(probe->key.account, probe->key.url, {*facts, clock_.steady_now() + kept});
    } else {
        ++undecided_total_;
    }
    for (auto& waiter : std::exchange(probe->waiters, {})) {
        waiter.done(facts ? verdict_of(*facts, waiter.revision, options_.bytes_max)
                          : ProbeVerdict::undecided);
    }
}

/// Those under way are ended by the client's own deadline.
bool ProberCore::give_up_late() {
    const auto now = clock_.steady_now();
    while (!by_age_.empty()) {
        const auto probe = by_age_.front();
        if (!probe->started && !probe->ended) {
            if (probe->asked_at + options_.slot_wait > now) {
                break;
            }
            limiter_.cancel(probe->slot);
            end(probe, std::nullopt);
        }
        by_age_.pop_front();
    }
    note_state();
    return !by_age_.empty();
}

void ProberCore::close() {
    closed_ = true;
    ticker_.cancel();
    limiter_.clear();
    by_age_.clear();
    while (!probes_.empty()) {
        const auto probe = probes_.begin()->second;
        end(probe, std::nullopt);
    }
    note_state();
}

void ProberCore::note_state() {
    in_flight_ = limiter_.in_flight();
    waiting_ = limiter_.waiting();
}

ProberCounts ProberCore::counts() const noexcept {
    return {.probes_total = probes_total_,
            .shared_total = shared_total_,
            .undecided_total = undecided_total_,
            .in_flight = in_flight_,
            .waiting = waiting_};
}

}  // namespace merpati::media
