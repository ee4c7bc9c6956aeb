#include "daemon/account_keeper.hpp"

#include <future>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>

namespace merpati::daemon {
namespace {

using admission::Stay;
using model::Leave;
using store::ShardSet;

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

/// A wait for several rooms: it ends when each has dropped its copy of `part`, or the keeper stops.
class AccountKeeper::Wait {
public:
    explicit Wait(const std::atomic<bool>& stopping)
        : stopping_(stopping), part_(std::make_shared<Part>()), ended_(part_->ended.get_future()) {}

    [[nodiscard]] std::shared_ptr<const void> part() const { return part_; }

    /// False: they have not ended within `patience` (empty: however long), or the keeper stops.
    [[nodiscard]] bool wait(std::optional<std::chrono::milliseconds> patience = {}) {
        constexpr std::chrono::milliseconds look_every{20};
        part_.reset();
        std::chrono::milliseconds waited{0};
        while (ended_.wait_for(look_every) != std::future_status::ready) {
            waited += look_every;
            if (stopping_ || (patience && waited >= *patience)) {
                return false;
            }
        }
        return true;
    }

private:
    struct Part {
        std::promise<void> ended;
        ~Part() { ended.set_value(); }
    };
    const std::atomic<bool>& stopping_;
    std::shared_ptr<Part> part_;
    std::future<void> ended_;
};

Result<void> AccountKeeper::load() {
    return core_.readers.read([this](store::Reader& reader) {
        auto loaded = core_.directory.load(reader);
        return loaded ? core_.open_campaigns.load(reader.campaigns(), core_.ownership.here())
                      : std::move(loaded);
    });
}

Result<void> AccountKeeper::start() {
    if (auto started = sending_.keeper.start(); !started) {
        return started;
    }
    sending_.late_statuses.start();
    return {};
}

Result<void> AccountKeeper::attach(std::span<const store::Shard> shards) {
    if (auto caught_up = catch_up_(); !caught_up) {
        return caught_up;
    }
    const ShardSet meant{shards};
    auto taken = take_in(meant);
    if (!taken) {
        std::ignore = let_go(meant, Leave::at_once);
    }
    return taken;
}

/// What fails may have begun for some rooms.
Result<void> AccountKeeper::take_in(const ShardSet& shards) {
    Wait campaigns{stopping_};
    const auto answer = std::make_shared<std::optional<Result<void>>>();
    auto begun = run_between_commits(
        [this, shards, answer, part = campaigns.part()]() mutable -> Result<void> {
            auto loaded = core_.readers.read([&](store::Reader& reader) {
                return core_.open_campaigns.load(reader.campaigns(), shards);
            });
            if (!loaded) {
                return loaded;
            }
            core_.ownership.set(shards.list(), Stay::here);
            campaigns_.attach(shards, [answer, part = std::move(part)](Result<void> done) mutable {
                *answer = std::move(done);
                part.reset();
            });
            sending_.keeper.attach(shards);
            sending_.callbacks.attach(shards);
            sending_.late_statuses.start();
            return {};
        });
    if (!begun) {
        return begun;
    }
    const bool answered = campaigns.wait(settled_within) && answer->has_value();
    return answered ? std::move(**answer)
                    : fail(ErrorCode::shutting_down, "the campaigns are not attached");
}

Result<void> AccountKeeper::detach(std::span<const store::Shard> shards, Leave how) {
    const ShardSet meant{shards};
    if (how == Leave::when_settled) {
        if (auto stopped = stop_work(meant); !stopped) {
            return stopped;
        }
    }
    return let_go(meant, how);
}

/// Begins nothing more, and waits for the end of what was begun.
Result<void> AccountKeeper::stop_work(const ShardSet& shards) {
    Wait work{stopping_};
    auto stopped =
        run_between_commits([this, shards, part = work.part()]() mutable -> Result<void> {
            core_.ownership.set(shards.list(), Stay::leaving);
            campaigns_.detach(shards, part);
            sending_.scheduler.detach(sending_.keeper.numbers_of(shards), Leave::when_settled,
                                      [part] {});
            sending_.callbacks.detach(shards, Leave::when_settled, std::move(part));
            return {};
        });
    if (stopped && !work.wait(settled_within) && !stopping_) {
        log_.warn("what was begun for accounts does not end; they leave without it");
    }
    return stopped;
}

/// Everything of the accounts is forgotten: what has not ended yet, too.
Result<void> AccountKeeper::let_go(const ShardSet& shards, Leave how) {
    Wait rest{stopping_};
    auto left = run_between_commits([this, shards, how,
                                     part = rest.part()]() mutable -> Result<void> {
        core_.ownership.set(shards.list(), Stay::elsewhere);
        core_.open_campaigns.forget(shards);
        if (how == Leave::at_once) {
            campaigns_.detach(shards, nullptr);
        }
        sending_.scheduler.detach(sending_.keeper.numbers_of(shards), Leave::at_once, [part] {});
        sending_.callbacks.detach(shards, Leave::at_once, part);
        sending_.keeper.detach(shards, how, std::move(part));
        return {};
    });
    for (const auto account : accounts_of(shards)) {
        waiters_.release(account);
        core_.events.close(account);
    }
    if (!left) {
        return left;
    }
    if (!rest.wait(closed_within) && !stopping_) {
        log_.warn("devices do not end; another node may connect them now");
    }
    // What was submitted before is committed after this, or was refused.
    return run_between_commits([]() -> Result<void> { return {}; });
}

std::vector<model::AccountId> AccountKeeper::accounts_of(const ShardSet& shards) const {
    std::vector<model::AccountId> found;
    for (const auto& account : core_.directory.accounts()) {
        if (shards.has(account.id)) {
            found.push_back(account.id);
        }
    }
    return found;
}

void AccountKeeper::follow(const store::RowChange& change) {
    const auto account = account_of_campaign(change);
    const auto stay = account ? core_.ownership.of(*account) : Stay::here;
    if (stay != Stay::elsewhere) {
        core_.open_campaigns.apply(change);
    }
    sending_.keeper.follow(change);
    if (stay == Stay::here) {
        campaigns_.follow(change);
    }
}

/// Runs a function on the committer's thread, after a commit: all earlier rows were followed, and
/// the database has not refused this node. The function may run after this has returned, if the
/// keeper stops meanwhile.
Result<void> AccountKeeper::run_between_commits(std::move_only_function<Result<void>()> run) {
    Wait commit{stopping_};
    const auto result = std::make_shared<std::optional<Result<void>>>();
    // A committer that stops drops the function.
    std::ignore =
        core_.committer.change_always([](store::Tables&) -> Result<void> { return {}; },
                                      [this, result, part = commit.part(),
                                       run = std::move(run)](const Result<void>& done) mutable {
                                          if (done && !stopping_) {
                                              *result = run();
                                          } else if (!done) {
                                              *result = done;
                                          }
                                          run = nullptr;
                                          part.reset();
                                      });
    if (!commit.wait() || !*result) {
        return fail(ErrorCode::shutting_down, "the server stops, and moves no accounts");
    }
    return std::move(**result);
}

}  // namespace merpati::daemon
