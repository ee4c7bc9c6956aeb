// Checks scheduled campaigns when their time has come.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "campaign/check.hpp"
#include "campaign/open_campaigns.hpp"

namespace merpati::campaign {

/// Operation: a check reads the whole audience and probes files, so it has a thread of its own:
/// `put` does not wait for it. Before `start` it is carried out at once.
///
/// Fairness: an account has one check at work, and checks wait in the order in which they came. So
/// one account with many campaigns, or large ones, delays no other's start; `threads_count` of them
/// with large audiences at the same time do.
///
/// Limits: `threads_count` checks at once. Whoever puts them puts one of a campaign at a time.
///
/// Threads: any. `done` is called on one of its own.
class StartChecks {
public:
    using Check = std::function<Result<CheckReport>(const model::Campaign&)>;
    using Done = std::function<void(const Result<CheckReport>&)>;
    static constexpr std::size_t threads_count = 3;

    explicit StartChecks(Check check) : check_(std::move(check)) {}
    ~StartChecks() { stop(); }

    void start();
    /// Waits for the checks that run; drops those that wait. Idempotent.
    void stop();

    void put(CampaignPtr campaign, Done done);

private:
    struct Waiting {
        CampaignPtr campaign;
        Done done;
    };
    void work();
    [[nodiscard]] std::deque<Waiting>::iterator next_free();

    const Check check_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Waiting> waiting_;
    std::set<model::AccountId> at_work_;
    bool stopping_ = false;
    bool has_threads_ = false;  // Written before `put` is called on another thread.
    std::vector<std::thread> threads_;
};

}  // namespace merpati::campaign
