#include "daemon/health.hpp"

#include <iterator>

#include <fmt/format.h>

#include "daemon/node.hpp"

namespace merpati::daemon {

std::string trouble_of(const store::Store& store, const store::Committer& committer,
                       const Node* node) {
    if (committer.counts().waiting > store::CommitterOptions{}.queue_max / 2) {
        return "is too slow";
    }
    auto trouble = store.condition().trouble();
    if (const auto unserved = node == nullptr ? std::string{} : node->trouble();
        !unserved.empty()) {
        trouble += (trouble.empty() ? "" : "; ") + unserved;
    }
    return trouble;
}

Health::Health(const Clock& clock, Watched watched, HealthOptions options, telemetry::Log log)
    : clock_(clock),
      options_(options),
      log_(std::move(log)),
      watches_{Watch{.part = "store", .ask = std::move(watched.store)},
               Watch{.part = "scheduler", .ask = std::move(watched.scheduler)}},
      find_store_trouble_(std::move(watched.store_trouble)) {
    for (const auto& watch : watches_) {
        watch.last_answer->at = clock_.steady_now();
    }
}

void Health::start() {
    thread_.start("health", Millis{0}, [this] {
        check();
        return options_.every;
    });
}

void Health::check() {
    auto trouble = find_store_trouble_();
    {
        const std::lock_guard lock{mutex_};
        store_trouble_ = std::move(trouble);
    }
    if (silent().empty() && on_alive) {
        on_alive();
    }
    report();
    for (const auto& watch : watches_) {
        if (!watch.last_answer->asked.exchange(true)) {
            watch.ask([&clock = clock_, last_answer = watch.last_answer] {
                last_answer->at = clock.steady_now();
                last_answer->asked = false;
            });
        }
    }
}

std::vector<api::Unready> Health::unready() const {
    std::vector<api::Unready> reasons;
    const auto stage = stage_.load();
    if (stage != Stage::serving) {
        reasons.push_back(
            {.part = "server", .reason = stage == Stage::starting ? "is starting" : "is stopping"});
    }
    if (!connectors_started_) {
        reasons.push_back({.part = "connectors", .reason = "have not started"});
    }
    {
        const std::lock_guard lock{mutex_};
        if (!store_trouble_.empty()) {
            reasons.push_back({.part = "store", .reason = store_trouble_});
        }
    }
    for (const auto part : silent()) {
        reasons.push_back({.part = std::string{part}, .reason = "does not answer"});
    }
    return reasons;
}

std::vector<std::string_view> Health::silent() const {
    std::vector<std::string_view> parts;
    for (const auto& watch : watches_) {
        if (clock_.steady_now() - watch.last_answer->at.load() > options_.patience) {
            parts.push_back(watch.part);
        }
    }
    return parts;
}

/// Logs only when the list of problems has changed since the last check.
void Health::report() {
    if (stage_ != Stage::serving) {
        return;
    }
    std::string amiss;
    for (const auto& [part, reason] : unready()) {
        fmt::format_to(std::back_inserter(amiss), "{}{}: {}", amiss.empty() ? "" : "; ", part,
                       reason);
    }
    if (amiss == reported_) {
        return;
    }
    if (amiss.empty()) {
        log_.info("ready again");
    } else {
        log_.warn("not ready", {{"why", amiss}});
    }
    reported_ = amiss;
}

}  // namespace merpati::daemon
