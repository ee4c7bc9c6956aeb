// Limits concurrent requests to media hosts, and shares them among accounts and hosts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/clock.hpp"
#include "base/shared_cache.hpp"
#include "base/shared_limit.hpp"
#include "model/ids.hpp"

namespace merpati::media {

/// How a host has answered one account.
enum class Standing : std::uint8_t {
    healthy,    // Its last answer came promptly.
    untried,    // It was not asked yet, or its standing was dropped.
    unhealthy,  // Its last answer was slow, or there was none.
};
inline constexpr std::size_t standings_count = 3;

struct HostLimits {
    std::size_t total_max = 128;            // All slots.
    std::size_t per_host_max = 8;           // Of one account at a healthy host; at others: one.
    std::size_t unproven_max = 64;          // At all hosts that are not healthy.
    std::size_t account_unproven_max = 4;   // Of one account at hosts that are not healthy.
    std::size_t unhealthy_max = 32;         // At all unhealthy hosts.
    std::size_t account_unhealthy_max = 2;  // Of one account at unhealthy hosts.
    std::size_t waiting_max = 8'192;        // Requests that wait for a slot.
    std::size_t hosts_max = 16'384;         // Remembered standings, one per account and host.
    Millis prompt{1'000};                   // An answer that takes longer is slow.
};

/// A slot that is asked for or held. The caller makes it, and asks for it once.
struct Slot {
    Slot(model::AccountId its_account, std::string its_host)
        : account(its_account), host(std::move(its_host)) {}

    const model::AccountId account;
    const std::string host;

private:
    friend class HostLimiter;
    std::move_only_function<void()> go_;                // Set while it waits.
    Standing standing_ = Standing::untried;             // The standing that it is counted under.
    std::list<std::shared_ptr<Slot>>::iterator place_;  // Valid while it waits.
};
using SlotPtr = std::shared_ptr<Slot>;

/// Operation: `ask` calls `go` when the slot is granted, at once or later. `release` gives back a
/// slot whose host was asked, `give_back` one whose host was not; `cancel` ends the wait for one.
///
/// Fairness: one account never uses up a limit that accounts share (SharedLimit), so that an
/// account which comes later is served at once. This applies to all slots, to those of hosts that
/// are not healthy, and to waiting requests. Waiting accounts are served round-robin, and so are
/// the hosts of each account. Standings are kept per account, so that no account's requests worsen
/// a host's standing for others.
///
/// Limits: HostLimits. Memory: the waiting requests, and `hosts_max` standings (SharedCache).
///
/// Threads: its owner's. `go` may call every method.
class HostLimiter {
public:
    explicit HostLimiter(HostLimits limits)
        : limits_(limits),
          standings_(limits.hosts_max),
          slots_(limits.total_max),
          unproven_(limits.unproven_max),
          unhealthy_(limits.unhealthy_max),
          waiting_(limits.waiting_max) {}
    ~HostLimiter() { clear(); }
    HostLimiter(const HostLimiter&) = delete;
    HostLimiter& operator=(const HostLimiter&) = delete;

    /// False if too many requests of its account wait; `go` is then never called.
    [[nodiscard]] bool ask(const SlotPtr& slot, std::move_only_function<void()> go);

    /// Ends the wait for a slot. Does nothing to a granted slot.
    void cancel(const SlotPtr& slot);

    /// Call when the host of a granted slot has begun to answer, after `answered_in`. Its standing
    /// changes now, not only when the whole file has arrived.
    void answered(const SlotPtr& slot, Millis answered_in);

    /// Gives back a granted slot. `answered_in`: how long the host took to answer; nothing: it did
    /// not answer.
    void release(const SlotPtr& slot, std::optional<Millis> answered_in);

    /// Gives back a granted slot whose host was not asked: its standing stays.
    void give_back(const SlotPtr& slot);

    [[nodiscard]] std::size_t in_flight() const noexcept { return slots_.acquired(); }
    [[nodiscard]] std::size_t waiting() const noexcept { return waiting_.acquired(); }

    /// Drops all waiting requests.
    void clear();

private:
    /// Slots that one account holds.
    struct Held {
        std::size_t total = 0;
        std::size_t unproven = 0;
        std::size_t unhealthy = 0;
    };
    struct Account;
    struct Host {
        std::string name;
        Account* account = nullptr;
        Standing standing = Standing::untried;
        std::size_t in_flight = 0;
        std::list<SlotPtr> waiting;
        bool ready = false;  // In one of its account's lists.
        std::list<Host*>::iterator place;
    };
    struct Account {
        model::AccountId id;
        std::unordered_map<std::string, Host> hosts;
        std::array<std::list<Host*>, standings_count> ready;  // Hosts that may have one more slot.
        std::size_t next = 0;  // The standing whose hosts are served next.
        std::optional<std::list<Account*>::iterator> in_round;
        Held held;
        std::size_t waiting = 0;
    };

    Account& account_of(model::AccountId id);
    Host& host_of(Account& account, const std::string& name);
    void line_up(Host& host);
    void step_back(Host& host);
    void set_standing(Host& host, Standing standing);
    [[nodiscard]] Standing standing_after(std::optional<Millis> answered_in) const;
    void drop_if_idle(Host& host);
    void end_slot(const SlotPtr& slot, std::optional<Standing> standing);
    void take_slot(Account& account, Slot& slot, Standing standing);
    void uncount_slot(Account& account, const Slot& slot);
    [[nodiscard]] bool may_have_one(const Account& account, Standing standing) const;
    void hand_out();
    [[nodiscard]] bool serve_one();
    [[nodiscard]] Host* next_host(Account& account) const;
    void grant(Host& host);

    const HostLimits limits_;
    std::unordered_map<model::AccountId, Account> accounts_;  // That hold or wait for slots.
    std::list<Account*> round_;                               // With ready hosts, in turn.
    SharedCache<model::AccountId, std::string, Standing> standings_;
    SharedLimit slots_;
    SharedLimit unproven_;   // The slots at hosts that are not healthy.
    SharedLimit unhealthy_;  // The slots at unhealthy hosts.
    SharedLimit waiting_;
    bool handing_out_ = false;
};

}  // namespace merpati::media
