#include "media/prober.hpp"

#include <utility>

namespace merpati::media {
namespace {

/// The precision of ProbeOptions::slot_wait.
constexpr Millis wait_check_every{50};

}  // namespace

Prober::Prober(const boost::asio::any_io_executor& executor, const RequestTools& tools,
               ProbeOptions options)
    : tools_(tools),
      options_(options),
      limiter_(options.limits),
      results_(options.kept_max),
      timer_(executor, wait_check_every, [this] { return end_late(); }) {}

void Prober::probe(model::AccountId account, const std::string& url, model::Revision revision,
                   ProbeDone done) {
    auto parsed = outbound::Url::parse(url);
    const auto now = tools_.clock.steady_now();
    if (closed_ || !parsed || tools_.suspects.put_off_until(parsed->origin(), now)) {
        done(ProbeVerdict::undecided);
        return;
    }
    const UrlKey key{account, url};
    if (const auto* result = find_result(key)) {
        ++counts_.shared_total;
        publish_counts();
        done(verdict_of(*result, revision, options_.bytes_max));
        return;
    }
    if (const auto found = probes_.find(key); found != probes_.end()) {
        ++counts_.shared_total;
        found->second->waiters.push_back({revision, std::move(done)});
        return;
    }
    auto slot = std::make_shared<Slot>(account, parsed->origin());
    const auto probe = std::make_shared<Shared>(Shared{.key = key,
                                                       .url = std::move(*parsed),
                                                       .asked_at = now,
                                                       .slot = std::move(slot),
                                                       .waiters = {}});
    probe->waiters.push_back({revision, std::move(done)});
    ++counts_.probes_total;
    probes_.emplace(key, probe);
    wait_for_slot(probe);
}

const ProbeResult* Prober::find_result(const UrlKey& key) {
    const auto* entry = results_.find(key.account, key.url);
    return entry != nullptr && tools_.clock.steady_now() < entry->until ? &entry->result : nullptr;
}

void Prober::wait_for_slot(const SharedPtr& probe) {
    const bool waits = limiter_.ask(probe->slot, [this, probe] { start(probe); });
    if (!waits) {
        end(probe, std::nullopt);
    } else if (!probe->started) {
        by_age_.push_back(probe);
        timer_.start();
    }
    publish_counts();
}

void Prober::start(const SharedPtr& probe) {
    probe->started = true;
    tools_.suspects.begin(probe->slot->host);
    const auto began = tools_.clock.steady_now();
    probe_url(tools_, options_.bytes_max, probe->url, probe->asked_at + options_.patience,
              [this, probe, began](const std::optional<ProbeResult>& result, bool answered) {
                  tools_.suspects.end(probe->slot->host);
                  end(probe, result);
                  const auto took = std::chrono::ceil<Millis>(tools_.clock.steady_now() - began);
                  limiter_.release(probe->slot, answered ? std::optional{took} : std::nullopt);
                  publish_counts();
              });
}

void Prober::end(const SharedPtr& probe, const std::optional<ProbeResult>& result) {
    if (std::exchange(probe->ended, true)) {
        return;
    }
    probes_.erase(probe->key);
    if (result) {
        const auto kept = result->inaccessible ? options_.inaccessible_for : options_.kept_for;
        results_.put(probe->key.account, probe->key.url,
                     {*result, tools_.clock.steady_now() + kept});
    } else {
        ++counts_.undecided_total;
    }
    for (auto& waiter : std::exchange(probe->waiters, {})) {
        waiter.done(result ? verdict_of(*result, waiter.revision, options_.bytes_max)
                           : ProbeVerdict::undecided);
    }
}

/// Ends probes that have waited too long for a slot. The client ends those in flight.
bool Prober::end_late() {
    const auto now = tools_.clock.steady_now();
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
    publish_counts();
    return !by_age_.empty();
}

void Prober::close() {
    closed_ = true;
    timer_.cancel();
    limiter_.clear();
    by_age_.clear();
    while (!probes_.empty()) {
        const auto probe = probes_.begin()->second;
        end(probe, std::nullopt);
    }
    publish_counts();
}

void Prober::publish_counts() {
    counts_.in_flight = limiter_.in_flight();
    counts_.waiting = limiter_.waiting();
    const std::lock_guard lock{mutex_};
    published_ = counts_;
}

ProbeCounts Prober::counts() const {
    const std::lock_guard lock{mutex_};
    return published_;
}

}  // namespace merpati::media
