// Waiting callbacks in memory, per origin, per account.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include <boost/container/deque.hpp>
#include <boost/intrusive/list.hpp>

#include "base/clock.hpp"
#include "callback/health.hpp"
#include "outbound/url.hpp"
#include "store/reader.hpp"

namespace merpati::callback {

using Link =
    boost::intrusive::list_member_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;
template <class Element, Link Element::* link>
using List = boost::intrusive::list<Element, boost::intrusive::member_hook<Element, Link, link>,
                                    boost::intrusive::constant_time_size<false>>;

struct AccountQueue;
struct OriginQueue;

/// A callback in memory, from its loading until its result is durable.
struct Delivery {
    store::QueuedCallback queued;
    OriginQueue* origin = nullptr;  // While it waits or is attempted.
    std::size_t weight = 1;         // Places it takes in memory.
    std::size_t name = 0;           // Its place in the under-way file.
    SteadyTime began{};             // The attempt.
    bool slow = false;              // The attempt takes a place among the slow ones.
    Link young;                     // In the order of beginning, while it is not slow.
};

/// Callbacks of one account for one origin. Those in memory are due now, the others wait on disk.
struct OriginQueue {
    OriginQueue(AccountQueue& owner, std::int64_t origin_key, std::size_t slots_max)
        : account(owner), key(origin_key), health(slots_max) {}

    AccountQueue& account;
    const std::int64_t key;
    boost::container::deque<std::unique_ptr<Delivery>> memory;
    std::optional<Timestamp> disk_due;  // Nothing on disk is due before this; empty: nothing there.
    std::size_t in_flight = 0;
    Health health;

    std::string url_text;  // The last URL and its parts: mostly they are all the same.
    std::optional<outbound::Url> url;

    SteadyTime used_at{};  // When it last had something to do.
    SteadyTime timer_at = SteadyTime::max();
    Link turn;       // It wants a turn.
    Link idle_link;  // It has nothing to do now.

    void note_on_disk(Timestamp due) { disk_due = disk_due ? std::min(*disk_due, due) : due; }
};

/// The origins of an account that want a turn, and the account's own place in the round.
struct AccountTurn {
    explicit AccountTurn(AccountQueue& owner) : account(owner) {}

    AccountQueue& account;
    List<OriginQueue, &OriginQueue::turn> ready;
    Link link;
};
using Round = List<AccountTurn, &AccountTurn::link>;

struct AccountQueue {
    explicit AccountQueue(model::AccountId account) : id(account) {}

    const model::AccountId id;
    std::unordered_map<std::int64_t, std::unique_ptr<OriginQueue>> origins;
    AccountTurn prompt{*this};                        // Of origins that answer promptly,
    AccountTurn slow{*this};                          // and of all others.
    List<OriginQueue, &OriginQueue::idle_link> idle;  // The longest idle one first.

    std::size_t in_flight = 0;
    std::size_t slow_in_flight = 0;
    std::size_t in_memory = 0;

    /// Of origins that wait on disk and have no queue here; nothing of them is due before this.
    std::optional<Timestamp> unlisted_due;
    bool walking = false;                     // Its origins on disk are being listed,
    std::optional<std::int64_t> walked_to{};  // up to this one.
    SteadyTime walk_began{};
    SteadyTime walk_at = SteadyTime::max();  // A timer is set for it.
    SteadyTime walk_not_before{};

    [[nodiscard]] bool all_listed() const noexcept { return !unlisted_due && !walking; }
};

}  // namespace merpati::callback
