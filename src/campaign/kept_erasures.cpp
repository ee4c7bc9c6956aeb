#include "campaign/kept_erasures.hpp"

#include <algorithm>
#include <utility>

#include "store/reader.hpp"

namespace merpati::campaign {
namespace {

constexpr std::size_t accounts_page = 1'000;
constexpr int tries_for_age = 10;

}  // namespace

KeptErasures::KeptErasures(Rooms rooms)
    : rooms_(std::move(rooms)), change_([this](auto run) {
          return rooms_.change(
              [this, run = std::move(run)](store::Tables& tables) mutable -> Result<void> {
                  if (!rooms_.ownership.works_for(account_)) {
                      return fail(ErrorCode::busy, "its account moves to another process");
                  }
                  return run(tables);
              });
      }) {}

std::chrono::milliseconds KeptErasures::turn() {
    if (turns_.empty() || rooms_.clock.steady_now() >= look_at_) {
        look_for_accounts();
    }
    if (turns_.empty()) {
        return look_every;
    }
    auto turn = std::move(turns_.front());
    turns_.pop_front();
    account_ = turn.account;
    if (rooms_.ownership.works_for(account_) && (turn.current || begin(turn))) {
        step(turn);
        turns_.push_back(std::move(turn));
    } else {
        accounts_.erase(turn.account);
    }
    return turns_.empty() ? std::chrono::milliseconds{look_every} : std::chrono::milliseconds{0};
}

void KeptErasures::look_for_accounts() {
    look_at_ = rooms_.clock.steady_now() + look_every;
    for (std::optional<model::AccountId> after = model::AccountId{}; after;) {
        const auto found = rooms_.readers.read([&](store::Reader& reader) {
            return reader.contacts().erasing_accounts(*after, accounts_page);
        });
        if (!found) {
            rooms_.on_fault(found.error());
            return;
        }
        for (const auto account : *found) {
            if (rooms_.ownership.works_for(account) && accounts_.insert(account).second) {
                turns_.push_front({.account = account});
            }
        }
        after = found->size() < accounts_page ? std::nullopt : std::optional{found->back()};
    }
}

/// False: no wish of the account is due.
bool KeptErasures::begin(Turn& turn) {
    if (turn.due.empty() && !turn.is_stuck) {
        auto found = rooms_.readers.read([&](store::Reader& reader) {
            return reader.contacts().erasures(turn.account, rooms_.clock.now(), page);
        });
        if (found) {
            turn.due.assign(found->begin(), found->end());
        } else {
            rooms_.on_fault(found.error());
        }
    }
    if (turn.due.empty()) {
        return false;
    }
    turn.current = std::make_unique<PersonErasure>(
        PersonErasure::Rooms{.change = change_, .readers = rooms_.readers, .clock = rooms_.clock},
        turn.due.front());
    turn.due.pop_front();
    return true;
}

void KeptErasures::step(Turn& turn) {
    const auto progress = turn.current->step();
    if (progress && *progress == PersonErasure::Progress::more) {
        return;
    }
    const auto ended = std::exchange(turn.current, nullptr);
    if (!rooms_.ownership.works_for(turn.account)) {
        return;
    }
    if (!progress) {
        rooms_.on_fault(progress.error());
    }
    if (!progress || *progress == PersonErasure::Progress::under_way) {
        postpone(turn, ended->erasure());
    }
}

void KeptErasures::postpone(Turn& turn, const store::Erasure& erasure) {
    const auto now = rooms_.clock.now();
    const auto pause =
        std::clamp<Timestamp::duration>((now - erasure.at) / tries_for_age, retry_min, retry_max);
    const auto postponed = change_([&](store::Tables& tables) {
        return tables.contacts().postpone_erasure(erasure, now + pause);
    });
    if (!postponed) {
        rooms_.on_fault(postponed.error());
        turn.is_stuck = true;
    }
}

}  // namespace merpati::campaign
