#include "media/prober_core.hpp"

#include <utility>

namespace merpati::media {
namespace {

/// How exactly the patience of those who wait for their turn is kept.
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
      turns_(options.per_host_max, options.total_max, options.waiting_max),
      memory_(clock, options.kept_max),
      ticker_(executor, beat, [this] { return give_up_late(); }) {}

void ProberCore::probe(std::string url, model::Revision revision, ProbeDone done) {
    if (closed_) {
        done(ProbeVerdict::undecided);
        return;
    }
    if (const auto* facts = memory_.find(url)) {
        ++shared_total_;
        done(verdict_of(*facts, revision, options_.bytes_max));
        return;
    }
    if (const auto found = probes_.find(url); found != probes_.end()) {
        ++shared_total_;
        found->second->waiters.push_back({revision, std::move(done)});
        return;
    }
    auto parsed = outbound::Url::parse(url);
    if (!parsed) {
        done(ProbeVerdict::undecided);
        return;
    }
    auto probe = std::make_shared<Probe>();
    probe->text = std::move(url);
    probe->url = std::move(*parsed);
    probe->deadline = clock_.steady_now() + options_.patience;
    probe->waiters.push_back({revision, std::move(done)});
    ++probes_total_;
    probes_.emplace(probe->text, probe);
    line_up(probe);
}

void ProberCore::line_up(const ProbePtr& probe) {
    const bool stands = turns_.ask(probe->url.host, [this, probe] {
        if (probe->ended) {
            return false;
        }
        start(probe);
        return true;
    });
    note_line();
    if (!stands) {
        end(probe, std::nullopt);
    } else if (!probe->started) {
        by_age_.push_back(probe);
        ticker_.wake();
    }
}

void ProberCore::start(const ProbePtr& probe) {
    probe->started = true;
    probe_url(tools_, probe->url, probe->deadline,
              [this, probe](const std::optional<Facts>& facts) {
                  end(probe, facts);
                  turns_.release(probe->url.host);
                  note_line();
              });
}

void ProberCore::end(const ProbePtr& probe, const std::optional<Facts>& facts) {
    probe->ended = true;
    probes_.erase(probe->text);
    if (facts) {
        memory_.keep(probe->text, *facts,
                     facts->inaccessible ? options_.inaccessible_for : options_.kept_for);
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
            if (probe->deadline > now) {
                return true;
            }
            end(probe, std::nullopt);
        }
        by_age_.pop_front();
    }
    return false;
}

void ProberCore::close() {
    closed_ = true;
    ticker_.cancel();
    turns_.clear();
    by_age_.clear();
    while (!probes_.empty()) {
        const auto probe = probes_.begin()->second;
        end(probe, std::nullopt);
    }
    note_line();
}

void ProberCore::note_line() {
    in_flight_ = turns_.in_flight();
    waiting_ = turns_.waiting();
}

ProberCounts ProberCore::counts() const noexcept {
    return {.probes_total = probes_total_,
            .shared_total = shared_total_,
            .undecided_total = undecided_total_,
            .in_flight = in_flight_,
            .waiting = waiting_};
}

}  // namespace merpati::media
