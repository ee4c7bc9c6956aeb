// Checks scheduled campaigns when their time has come.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "campaign/check.hpp"
#include "campaign/open_campaigns.hpp"

namespace merpati::campaign {

/// What a step of a check has found.
struct CheckStep {
    std::optional<CheckReport> report{};  // Once the check is complete.
    bool probes_next = false;             // The next step waits for hosts.
};

/// Operation: a check reads the whole audience and probes files, so threads of its own carry it
/// out: `put` does not wait for it. Before `start` it is carried out at once.
///
/// Fairness: accounts take turns, each with one step of one check (CampaignCheck); the checks of an
/// account follow each other. So neither many campaigns nor large audiences of some accounts delay
/// another's start by more than a step of each. Steps that wait for hosts leave one thread to those
/// that do not.
///
/// Limits: `threads_count` steps at once, `probing_max` of them waiting for hosts. Whoever puts
/// checks puts one of a campaign at a time.
///
/// Threads: any. `done` is called on one of its own, as are the steps.
class StartChecks {
public:
    /// Does the next step. An error ends the check.
    using Step = std::move_only_function<Result<CheckStep>()>;
    using Check = std::function<Step(const CampaignPtr&)>;
    using Done = std::function<void(const Result<CheckReport>&)>;
    static constexpr std::size_t threads_count = 3;
    static constexpr std::size_t probing_max = threads_count - 1;

    explicit StartChecks(Check check) : check_(std::move(check)) {}
    ~StartChecks() { stop(); }

    void start();
    /// Waits for the steps that run; drops all checks. Idempotent.
    void stop();

    void put(CampaignPtr campaign, Done done);

private:
    struct Waiting {
        CampaignPtr campaign;
        Done done;
    };
    /// The checks of an account, of which the first has begun if it has a step.
    struct Queue {
        std::deque<Waiting> checks;
        Step step;
        bool probes_next = false;
    };
    void work();
    [[nodiscard]] std::deque<model::AccountId>::iterator next_turn();
    void take_turn(std::unique_lock<std::mutex>& lock);
    [[nodiscard]] static std::optional<Result<CheckReport>> result_of(Result<CheckStep>& step);

    const Check check_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<model::AccountId, Queue> queues_;
    /// Accounts none of whose steps runs; the one that had the last turn at the end.
    std::deque<model::AccountId> turns_;
    std::size_t probing_ = 0;  // Steps that wait for hosts.
    bool stopping_ = false;
    bool has_threads_ = false;  // Written before `put` is called on another thread.
    std::vector<std::thread> threads_;
};

}  // namespace merpati::campaign
