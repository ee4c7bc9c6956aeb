// Continues wishes of people to be erased.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <set>

#include "admission/ownership.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "campaign/erasure.hpp"

namespace merpati::campaign {

/// Tries wishes that are kept (ContactTables::put_erasure) until nothing is left of them to do.
///
/// Operation: a try of a wish that does not complete it, because messages are under way or damage
/// was met, is followed by the next one after a tenth of the wish's age, at least `retry_min` and
/// at most `retry_max`. The store keeps that time, so a restart does not try all wishes at once.
///
/// Fairness: accounts take turns, each with one step of one wish (PersonErasure). An account with
/// many wishes delays another's by one step.
///
/// Threads: none; one calls `turn`.
///
/// Moves: an account that is detached has no turn any more, and nothing of it is changed.
///
/// Limits: `page` wishes of each account in memory.
class KeptErasures {
public:
    struct Rooms {
        RunChange change;
        store::ReaderPool& readers;
        const Clock& clock;
        /// Only the wishes of its accounts are tried.
        const admission::Ownership& ownership;
        /// Gets the errors of a step; other wishes go on.
        std::function<void(const Error&)> on_fault;
    };
    explicit KeptErasures(Rooms rooms);

    /// The turn of the next account. Returns how long to pause before the next turn.
    [[nodiscard]] std::chrono::milliseconds turn();

    /// How often it looks for accounts whose wishes have become due.
    static constexpr std::chrono::minutes look_every{1};
    static constexpr std::chrono::minutes retry_min{1};
    static constexpr std::chrono::hours retry_max{1};
    static constexpr std::size_t page = 100;

private:
    struct Turn {
        model::AccountId account;
        std::deque<store::Erasure> due;
        std::unique_ptr<PersonErasure> current;
        bool is_stuck = false;  // A wish could not be postponed: its page would be read again.
    };
    void look_for_accounts();
    [[nodiscard]] bool begin(Turn& turn);
    void step(Turn& turn);
    void postpone(Turn& turn, const store::Erasure& erasure);

    const Rooms rooms_;
    const RunChange change_;               // Refuses what is no longer this process's (busy).
    model::AccountId account_;             // That has the turn.
    std::deque<Turn> turns_;               // The account that had the last turn at the end.
    std::set<model::AccountId> accounts_;  // Those of `turns_`.
    SteadyTime look_at_{};
};

}  // namespace merpati::campaign
