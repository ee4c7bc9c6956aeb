#include "media/host_limiter.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/assert.hpp"

namespace merpati::media {
namespace {

constexpr std::size_t index_of(Standing standing) {
    return static_cast<std::size_t>(standing);
}

}  // namespace

bool HostLimiter::ask(const SlotPtr& slot, std::move_only_function<void()> go) {
    const auto found = accounts_.find(slot->account);
    if (!waiting_.admits(found == accounts_.end() ? 0 : found->second.waiting)) {
        return false;
    }
    auto& account = account_of(slot->account);
    auto& host = host_of(account, slot->host);
    slot->go_ = std::move(go);
    slot->place_ = host.waiting.insert(host.waiting.end(), slot);
    ++account.waiting;
    waiting_.acquire();
    line_up(host);
    hand_out();
    return true;
}

void HostLimiter::cancel(const SlotPtr& slot) {
    if (!slot->go_) {
        return;
    }
    auto& account = accounts_.find(slot->account)->second;
    auto& host = account.hosts.find(slot->host)->second;
    host.waiting.erase(slot->place_);
    slot->go_ = nullptr;
    --account.waiting;
    waiting_.release();
    if (host.waiting.empty()) {
        step_back(host);
    }
    drop_if_idle(host);
}

void HostLimiter::answered(const SlotPtr& slot, Millis answered_in) {
    auto& account = accounts_.find(slot->account)->second;
    auto& host = account.hosts.find(slot->host)->second;
    const auto standing = standing_after(answered_in);
    uncount_slot(account, *slot);
    take_slot(account, *slot, standing);
    set_standing(host, standing);
    line_up(host);
    hand_out();
}

void HostLimiter::release(const SlotPtr& slot, std::optional<Millis> answered_in) {
    end_slot(slot, standing_after(answered_in));
}

void HostLimiter::give_back(const SlotPtr& slot) {
    end_slot(slot, std::nullopt);
}

/// `standing`: the host's new one; empty: it stays.
void HostLimiter::end_slot(const SlotPtr& slot, std::optional<Standing> standing) {
    const auto account = accounts_.find(slot->account);
    invariant(account != accounts_.end(), "a slot was granted to the account");
    auto& host = account->second.hosts.find(slot->host)->second;
    --host.in_flight;
    uncount_slot(account->second, *slot);
    if (standing) {
        set_standing(host, *standing);
    }
    line_up(host);
    drop_if_idle(host);
    hand_out();
}

void HostLimiter::clear() {
    std::vector<SlotPtr> waiting;
    for (auto& [id, account] : accounts_) {
        for (auto& [name, host] : account.hosts) {
            waiting.insert(waiting.end(), host.waiting.begin(), host.waiting.end());
        }
    }
    for (const auto& slot : waiting) {
        cancel(slot);
    }
}

HostLimiter::Account& HostLimiter::account_of(model::AccountId id) {
    auto& account = accounts_[id];
    account.id = id;
    return account;
}

HostLimiter::Host& HostLimiter::host_of(Account& account, const std::string& name) {
    const auto [place, made] = account.hosts.try_emplace(name);
    auto& host = place->second;
    if (made) {
        const auto* known = standings_.find(account.id, name);
        host.name = name;
        host.account = &account;
        host.standing = known == nullptr ? Standing::untried : *known;
    }
    return host;
}

void HostLimiter::line_up(Host& host) {
    const auto places = host.standing == Standing::healthy ? limits_.per_host_max : 1;
    if (host.ready || host.waiting.empty() || host.in_flight >= places) {
        return;
    }
    const auto which = index_of(host.standing);
    auto& account = *host.account;
    host.place = account.ready[which].insert(account.ready[which].end(), &host);
    host.ready = true;
    if (!account.in_round) {
        account.in_round = round_.insert(round_.end(), &account);
    }
}

void HostLimiter::step_back(Host& host) {
    if (!std::exchange(host.ready, false)) {
        return;
    }
    auto& account = *host.account;
    account.ready[index_of(host.standing)].erase(host.place);
    if (std::ranges::all_of(account.ready, [](const auto& hosts) { return hosts.empty(); })) {
        round_.erase(*std::exchange(account.in_round, std::nullopt));
    }
}

void HostLimiter::set_standing(Host& host, Standing standing) {
    if (host.standing != standing) {
        step_back(host);
        host.standing = standing;
    }
    standings_.put(host.account->id, host.name, standing);
}

Standing HostLimiter::standing_after(std::optional<Millis> answered_in) const {
    const bool prompt = answered_in && *answered_in <= limits_.prompt;
    return prompt ? Standing::healthy : Standing::unhealthy;
}

/// Of a host without requests only the standing is kept, in `standings_`.
void HostLimiter::drop_if_idle(Host& host) {
    if (host.in_flight > 0 || !host.waiting.empty()) {
        return;
    }
    auto& account = *host.account;
    account.hosts.erase(account.hosts.find(host.name));
    if (account.hosts.empty()) {
        accounts_.erase(accounts_.find(account.id));
    }
}

void HostLimiter::take_slot(Account& account, Slot& slot, Standing standing) {
    slot.standing_ = standing;
    ++account.held.total;
    slots_.acquire();
    if (standing != Standing::healthy) {
        ++account.held.unproven;
        unproven_.acquire();
    }
    if (standing == Standing::unhealthy) {
        ++account.held.unhealthy;
        unhealthy_.acquire();
    }
}

void HostLimiter::uncount_slot(Account& account, const Slot& slot) {
    --account.held.total;
    slots_.release();
    if (slot.standing_ != Standing::healthy) {
        --account.held.unproven;
        unproven_.release();
    }
    if (slot.standing_ == Standing::unhealthy) {
        --account.held.unhealthy;
        unhealthy_.release();
    }
}

bool HostLimiter::may_have_one(const Account& account, Standing standing) const {
    const auto& held = account.held;
    if (!slots_.admits(held.total)) {
        return false;
    }
    if (standing == Standing::healthy) {
        return true;
    }
    if (held.unproven >= limits_.account_unproven_max || !unproven_.admits(held.unproven)) {
        return false;
    }
    return standing == Standing::untried ||
           (held.unhealthy < limits_.account_unhealthy_max && unhealthy_.admits(held.unhealthy));
}

/// A loop instead of recursion, because a granted request may end and ask again at once.
void HostLimiter::hand_out() {
    if (std::exchange(handing_out_, true)) {
        return;
    }
    while (serve_one()) {
    }
    handing_out_ = false;
}

bool HostLimiter::serve_one() {
    if (slots_.free() == 0) {
        return false;
    }
    for (auto left = round_.size(); left > 0; --left) {
        auto& account = *round_.front();
        round_.splice(round_.end(), round_, round_.begin());
        if (auto* host = next_host(account)) {
            grant(*host);
            return true;
        }
    }
    return false;
}

/// Null: the account already has its share of the slots that its hosts wait for.
HostLimiter::Host* HostLimiter::next_host(Account& account) const {
    for (std::size_t tried = 0; tried < standings_count; ++tried) {
        const auto which = account.next;
        account.next = (account.next + 1) % standings_count;
        if (!account.ready[which].empty() && may_have_one(account, static_cast<Standing>(which))) {
            return account.ready[which].front();
        }
    }
    return nullptr;
}

void HostLimiter::grant(Host& host) {
    auto& account = *host.account;
    const auto slot = std::move(host.waiting.front());
    host.waiting.pop_front();
    --account.waiting;
    waiting_.release();
    step_back(host);
    ++host.in_flight;
    take_slot(account, *slot, host.standing);
    line_up(host);  // At the end of its account's list.
    auto go = std::exchange(slot->go_, nullptr);
    go();
}

}  // namespace merpati::media
