#include "daemon/account_keeper.hpp"

#include <future>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace merpati::daemon {
namespace {

using admission::Stay;
using model::Leave;

/// A wait for several rooms: it ends when each has let go of its copy of `part`.
class Parts {
public:
    struct Part {
        std::promise<void> ended;
        ~Part() { ended.set_value(); }
    };
    Parts() : part_(std::make_shared<Part>()), ended_(part_->ended.get_future()) {}

    [[nodiscard]] const std::shared_ptr<Part>& part() const noexcept { return part_; }

    void wait() {
        part_.reset();
        ended_.wait();
    }
    /// False: they have not ended within `patience`.
    [[nodiscard]] bool wait(std::chrono::milliseconds patience) {
        part_.reset();
        return ended_.wait_for(patience) == std::future_status::ready;
    }

private:
    std::shared_ptr<Part> part_;
    std::future<void> ended_;
};

/// The account of a campaign's row; empty: it is none.
std::optional<model::AccountId> account_of_campaign(const store::RowChange& change) {
    if (const auto* written = std::get_if<store::CampaignWritten>(&change)) {
        return written->campaign->account;
    }
    if (const auto* removed = std::get_if<store::CampaignRemoved>(&change)) {
        return removed->account;
    }
    return std::nullopt;
}

}  // namespace

Result<void> AccountKeeper::load() {
    return rooms_.readers.read([this](store::Reader& reader) {
        auto loaded = rooms_.directory.load(reader);
        return loaded ? rooms_.open_campaigns.load(reader.campaigns()) : std::move(loaded);
    });
}

Result<void> AccountKeeper::start() {
    if (auto started = rooms_.devices.start(); !started) {
        return started;
    }
    rooms_.late_statuses.start();
    return {};
}

Result<void> AccountKeeper::attach(model::AccountId account) {
    Parts campaigns;
    const auto answer = std::make_shared<std::optional<Result<void>>>();
    auto taken = run_between_commits([&]() -> Result<void> {
        auto loaded = rooms_.readers.read([this, account](store::Reader& reader) {
            return rooms_.open_campaigns.load(reader.campaigns(), account);
        });
        if (!loaded) {
            return loaded;
        }
        rooms_.ownership.set(account, Stay::here);
        rooms_.campaigns.attach(account, [answer, part = campaigns.part()](Result<void> done) {
            *answer = std::move(done);
        });
        rooms_.devices.attach(account);
        rooms_.sender.attach(account);
        rooms_.late_statuses.start();
        return {};
    });
    if (taken) {
        const bool answered = campaigns.wait(settled_within) && answer->has_value();
        taken = answered ? std::move(**answer)
                         : fail(ErrorCode::shutting_down, "the campaigns are not attached");
    }
    if (!taken) {
        std::ignore = detach(account, Leave::at_once);
    }
    return taken;
}

Result<void> AccountKeeper::detach(model::AccountId account, Leave how) {
    if (auto stopped = stop_work(account, how); !stopped) {
        return stopped;
    }
    return let_go(account, how);
}

/// No send is begun any more; those in flight end, unless `at_once`.
Result<void> AccountKeeper::stop_work(model::AccountId account, Leave how) {
    std::vector<model::PhoneNumber> devices;
    Parts work;
    auto stopped = run_between_commits([&]() -> Result<void> {
        rooms_.ownership.set(account, how == Leave::at_once ? Stay::elsewhere : Stay::leaving);
        for (const auto& device : rooms_.directory.devices(account)) {
            devices.push_back(device.number);
        }
        rooms_.campaigns.detach(account, [part = work.part()] {});
        rooms_.scheduler.detach(devices, how, [part = work.part()] {});
        return {};
    });
    if (stopped && !work.wait(settled_within)) {
        rooms_.scheduler.detach(std::move(devices), Leave::at_once, [] {});
    }
    return stopped;
}

/// Nothing of the account is in flight in the lanes: everything else of it is forgotten.
Result<void> AccountKeeper::let_go(model::AccountId account, Leave how) {
    Parts rest;
    auto left = run_between_commits([&]() -> Result<void> {
        rooms_.ownership.set(account, Stay::elsewhere);
        rooms_.open_campaigns.forget(account);
        rooms_.devices.detach(account, how, [part = rest.part()] {});
        rooms_.sender.detach(account, how, [part = rest.part()] {});
        return {};
    });
    rooms_.waiters.release(account);
    rooms_.events.close(account);
    std::ignore = rest.wait(closed_within);
    return left;
}

void AccountKeeper::follow(const store::RowChange& change) {
    const auto account = account_of_campaign(change);
    const auto stay = account ? rooms_.ownership.of(*account) : Stay::here;
    if (stay != Stay::elsewhere) {
        rooms_.open_campaigns.apply(change);
    }
    rooms_.devices.follow(change);
    if (stay == Stay::here) {
        rooms_.campaigns.follow(change);
    }
}

/// Runs a function on the committer's thread, after a commit: all earlier rows were followed.
Result<void> AccountKeeper::run_between_commits(std::move_only_function<Result<void>()> run) {
    Parts commit;
    const auto result = std::make_shared<std::optional<Result<void>>>();
    // A committer that stops drops the function.
    std::ignore =
        rooms_.committer.change_always([](store::Tables&) -> Result<void> { return {}; },
                                       [result, part = commit.part(), run = std::move(run)](
                                           const Result<void>&) mutable { *result = run(); });
    commit.wait();
    return *result ? std::move(**result)
                   : fail(ErrorCode::shutting_down, "the store takes no more work");
}

}  // namespace merpati::daemon
