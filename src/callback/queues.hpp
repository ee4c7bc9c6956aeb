// The queues of callbacks in memory, by account and origin.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <boost/container/deque.hpp>
#include <boost/intrusive/list.hpp>

#include "base/clock.hpp"
#include "callback/health.hpp"
#include "model/account.hpp"
#include "outbound/url.hpp"
#include "store/records.hpp"

namespace merpati::callback {

using Link =
    boost::intrusive::list_member_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;
template <class Element, Link Element::* link>
using List = boost::intrusive::list<Element, boost::intrusive::member_hook<Element, Link, link>,
                                    boost::intrusive::constant_time_size<false>>;

struct AccountQueue;
struct OriginQueue;

/// A callback in memory, until its result is committed.
struct Delivery {
    store::QueuedCallback queued;
    std::size_t address = 0;     // A hash of its URL.
    std::size_t weight = 1;      // Its size in memory, in KiB.
    std::size_t file_slot = 0;   // In the under-way file.
    std::size_t events_max = 0;  // Of the batch that it may be in; 0: as the account says.
    bool at_once = false;        // It waits for no others.
};

/// A request in flight, until its results are committed.
struct Attempt {
    std::vector<std::unique_ptr<Delivery>> events;  // In their order; never empty.
    OriginQueue* origin = nullptr;
    std::optional<model::PostedBatch> batch{};  // Empty: a single callback.
    SteadyTime began{};                         // When it began.
    bool slow = false;                          // It has one of the slow slots.
    Link prompt_link;  // Of SenderCore::prompt_in_flight_, while it is not slow.
};

/// Callbacks of one account for one origin. Those in memory are due; the others wait on disk.
struct OriginQueue {
    OriginQueue(AccountQueue& owner, std::int64_t origin_key, std::size_t slots_max)
        : account(owner), key(origin_key), health(slots_max) {}

    AccountQueue& account;
    const std::int64_t key;
    boost::container::deque<std::unique_ptr<Delivery>> memory;
    std::optional<Timestamp> disk_due;  // None on disk is due before this; empty: none is on disk.
    std::size_t in_flight = 0;
    std::size_t committing = 0;  // Results of attempts that are being committed.
    Health health;

    std::string url_text;  // The last URL, and its parts: most have the same.
    std::optional<outbound::Url> url;

    SteadyTime used_at{};  // When its last attempt began.
    SteadyTime timer_at = SteadyTime::max();
    Link ready_link;  // Of ReadyOrigins::origins.
    Link idle_link;   // Of AccountQueue::idle.

    /// With batches: when the first of its callbacks waits for others no longer.
    std::optional<Timestamp> gathers_until;
    struct Requests {
        std::size_t address = 0;  // Delivery::address
        std::size_t count = 0;
    };
    std::vector<Requests> requests;  // In flight, by address.

    [[nodiscard]] std::size_t requests_to(std::size_t address) const {
        const auto found = std::ranges::find(requests, address, &Requests::address);
        return found == requests.end() ? 0 : found->count;
    }

    void add_request(std::size_t address) {
        const auto found = std::ranges::find(requests, address, &Requests::address);
        if (found == requests.end()) {
            requests.push_back({.address = address, .count = 1});
        } else {
            ++found->count;
        }
    }
    void remove_request(std::size_t address) {
        const auto found = std::ranges::find(requests, address, &Requests::address);
        if (--found->count == 0) {
            requests.erase(found);
        }
    }

    void note_on_disk(Timestamp due) { disk_due = disk_due ? std::min(*disk_due, due) : due; }
};

/// The origins of an account that are ready, and the account's link in the list of such accounts.
struct ReadyOrigins {
    explicit ReadyOrigins(AccountQueue& owner) : account(owner) {}

    AccountQueue& account;
    List<OriginQueue, &OriginQueue::ready_link> origins;
    Link link;
};
using ReadyList = List<ReadyOrigins, &ReadyOrigins::link>;

/// An account that is being detached: it begins no attempts, and is forgotten when all are settled.
struct AccountLeaving {
    bool drops_results = false;  // They may not be recorded any more.
    bool comes_back = false;     // It was attached again meanwhile.
    std::vector<std::shared_ptr<const void>> done;
};

struct AccountQueue {
    explicit AccountQueue(model::AccountId account) : id(account) {}

    const model::AccountId id;
    std::optional<model::CallbackBatch> batch;  // As it was when an origin was last served.
    std::unordered_map<std::int64_t, std::unique_ptr<OriginQueue>> origins;
    ReadyOrigins prompt{*this};                       // Origins that answer promptly,
    ReadyOrigins slow{*this};                         // and all others.
    List<OriginQueue, &OriginQueue::idle_link> idle;  // The longest idle first.

    std::size_t in_flight = 0;
    std::size_t slow_in_flight = 0;
    std::size_t in_memory = 0;
    std::unique_ptr<AccountLeaving> leaving;

    /// No callback of an origin without a queue is due before this; empty: there is none.
    std::optional<Timestamp> unlisted_due;
    bool scanning = false;                     // Its origins on disk are being scanned,
    std::optional<std::int64_t> scanned_to{};  // up to this one.
    SteadyTime scan_began{};
    SteadyTime scan_at = SteadyTime::max();  // When the timer for the next scan expires.
    SteadyTime scan_not_before{};

    [[nodiscard]] bool all_listed() const noexcept { return !unlisted_due && !scanning; }
};

}  // namespace merpati::callback
