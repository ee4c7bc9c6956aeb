#include "cluster/membership.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "cluster/placement.hpp"

namespace merpati::cluster {
namespace {

using store::Node;

/// The clocks of two machines may run at different speeds.
constexpr Millis usable(Millis lease) {
    return lease * 9 / 10;
}

/// Longer than between two renewals.
constexpr Millis silence_max(Millis lease) {
    return lease / 2;
}

/// Between the clocks of a machine and of the database.
constexpr Millis difference_max = std::chrono::seconds{2};

constexpr Millis retry_pause(Millis lease) {
    return std::min<Millis>(lease / 10, std::chrono::seconds{1});
}

}  // namespace

Membership::Membership(const Clock& clock, store::Nodes& nodes, Options options, telemetry::Log log)
    : clock_(clock),
      nodes_(nodes),
      options_(std::move(options)),
      log_(std::move(log)),
      lease_(clock) {}

Result<store::NodeGeneration> Membership::join() {
    const auto began = clock_.steady_now();
    const auto joined = nodes_.join(options_.entry, options_.lease);
    if (!joined) {
        return joined;
    }
    self_ = *joined;
    lease_.extend(began + usable(options_.lease));
    renewed_at_ = began;
    contact_since_ = began;
    renew_at_ = began + options_.lease / 3;
    look_at_ = began;
    return joined;
}

Result<Millis> Membership::step(bool claims) {
    if (clock_.steady_now() >= renew_at_) {
        if (auto renewed = renew(); !renewed) {
            return pass(renewed);
        }
    }
    if (clock_.steady_now() >= look_at_) {
        if (auto looked = look(claims); !looked) {
            return pass(looked);
        }
    }
    const auto pause = std::min(renew_at_, look_at_) - clock_.steady_now();
    return std::max(std::chrono::ceil<Millis>(pause), Millis{1});
}

Result<void> Membership::renew() {
    note_lost();
    const auto began = clock_.steady_now();
    if (const auto renewed = nodes_.renew(); !renewed) {
        renew_at_ = clock_.steady_now() + retry_pause(options_.lease);
        return outlast(renewed.error());
    }
    const auto ended = clock_.steady_now();
    note_lost();  // The call may have taken long.
    lost_noted_ = false;
    lease_.extend(began + usable(options_.lease));
    if (!contact_since_ || ended - renewed_at_ > silence_max(options_.lease)) {
        contact_since_ = ended;
    }
    renewed_at_ = ended;
    renew_at_ = began + options_.lease / 3;
    if (!std::exchange(logged_trouble_, {}).empty()) {
        log_.info("the lease is renewed again");
    }
    return {};
}

Result<void> Membership::look(bool claims) {
    look_at_ = clock_.steady_now() + look_pause();
    const auto asked_at = clock_.now();
    auto nodes = nodes_.list();
    if (!nodes) {
        return outlast(nodes.error());
    }
    all_ = std::move(*nodes);
    note_clock(asked_at);
    if (const auto deposed = depose_silent(); !deposed) {
        return outlast(deposed.error());
    }
    auto owners = nodes_.owners();
    if (!owners) {
        return outlast(owners.error());
    }
    note_owners(std::move(*owners));
    auto settled = settle(claims);
    look_at_ = std::min(look_at_, clock_.steady_now() + look_pause());
    return settled;
}

/// A node that owns everything, and shares it with nobody, waits for nothing.
Millis Membership::look_pause() const {
    return owns_all() && !shares_ ? options_.lease / 3 : look_every;
}

/// Marks the nodes that it has deposed. One that leaves listens no more before it has written
/// everything, so it is never dead.
Result<void> Membership::depose_silent() {
    for (auto& node : all_) {
        if (node.state == Node::State::gone || node.id.node == self_.node) {
            continue;
        }
        const bool dead =
            node.state == Node::State::live && options_.is_dead && options_.is_dead(node);
        const bool silent = node.silent_for > options_.lease && may_depose(clock_.steady_now());
        if (!dead && !silent) {
            continue;
        }
        const auto deposed = nodes_.depose(node.id, dead ? Millis{0} : options_.lease);
        if (!deposed) {
            return pass(deposed);
        }
        if (*deposed) {
            node.state = Node::State::gone;
            log_.warn("another node is gone; its accounts are free", {{"node", node.entry.name}});
        }
    }
    return {};
}

/// Claims what is free and this node's by `place`, and notes what another node should have.
Result<void> Membership::settle(bool claims) {
    surplus_ = {};
    std::vector<Member> members;
    bool all_reachable = true;
    for (const auto& node : all_) {
        if (node.state == Node::State::live && node.silent_for <= options_.lease) {
            all_reachable = all_reachable && !node.entry.address.empty();
            members.push_back({.id = node.id,
                               .joined_at = node.joined_at,
                               .up_for = std::max(node.seen_at - node.joined_at, Millis{0})});
        }
    }
    shares_ = all_reachable && members.size() > 1;
    // While the database was away it has not heard of this node, which must renew first.
    if (leaves_ || std::ranges::find(members, self_, &Member::id) == members.end()) {
        return {};
    }
    const auto placement = place(members, owners_, all_reachable ? members.size() : 1);
    store::ShardSet mine;
    bool others_take = false;
    for (const auto& [shard, owner] : owners_) {
        const auto& wanted = placement.at(static_cast<std::size_t>(shard));
        if (!owner && wanted == self_) {
            mine.add(shard);
        } else if (owner == self_ && wanted != self_) {
            surplus_.add(shard);
        }
        others_take = others_take || (!owner && wanted != self_);
    }
    if (others_take) {  // Few shards wait for an owner at a time.
        surplus_ = {};
    }
    return claims && !mine.empty() ? claim(mine, !all_reachable) : Result<void>{};
}

/// `all_or_none`: one node owns everything. If two kept their parts, both would wait.
Result<void> Membership::claim(const store::ShardSet& shards, bool all_or_none) {
    const auto taken = nodes_.claim(shards.list());
    if (!taken) {
        return outlast(taken.error());
    }
    const store::ShardSet gained{*taken};
    if (all_or_none && gained.size() < shards.size()) {
        const auto released = nodes_.release(*taken);
        return released ? Result<void>{} : outlast(released.error());
    }
    set_owner(gained, self_);
    return {};
}

Result<void> Membership::release(const store::ShardSet& shards) {
    if (auto released = nodes_.release(shards.list()); !released) {
        if (released.error().code == ErrorCode::fenced) {
            lease_.end();
        }
        return released;
    }
    set_owner(shards, std::nullopt);
    return {};
}

void Membership::note_owners(std::vector<store::ShardOwner> owners) {
    owners_ = std::move(owners);
    set_owner({}, std::nullopt);
    other_owner_.reset();
    for (const auto& node : all_) {
        const auto is_its_own = [&](const store::ShardOwner& one) { return one.owner == node.id; };
        if (node.id != self_ && std::ranges::any_of(owners_, is_its_own)) {
            other_owner_ = node;
        }
    }
}

void Membership::set_owner(const store::ShardSet& shards,
                           std::optional<store::NodeGeneration> owner) {
    owned_ = {};
    for (auto& [shard, owner_now] : owners_) {
        if (shards.has(shard)) {
            owner_now = owner;
        }
        if (owner_now == self_) {
            owned_.add(shard);
        }
    }
    surplus_ = surplus_.common_with(owned_);
    owns_all_ = owned_.is_all();
    ++looks_;
}

/// The database answered between `asked_at` and now.
void Membership::note_clock(Timestamp asked_at) {
    const auto own = std::ranges::find(all_, self_, &Node::id);
    if (own == all_.end()) {
        return;
    }
    const auto database = own->seen_at + own->silent_for;
    clock_ahead_ = std::max<Millis>(asked_at - database, Millis{0}) +
                   std::min<Millis>(clock_.now() - database, Millis{0});
    const bool is_wrong = std::chrono::abs(clock_ahead_) > difference_max;
    const bool was_wrong = std::exchange(clock_logged_, is_wrong);
    if (is_wrong && !was_wrong) {
        const std::chrono::duration<double> seconds = clock_ahead_;
        log_.warn("this machine's clock is not the database's: signatures and times are wrong",
                  {{"ahead_by", fmt::format("{:+.1f} s", seconds.count())}});
    } else if (was_wrong && !is_wrong) {
        log_.info("this machine's clock is the database's again");
    }
}

void Membership::note_lost() {
    if (lease_.holds() || std::exchange(lost_noted_, true)) {
        return;
    }
    ++leases_lost_;
    log_.error("the lease has ended before it was renewed; nothing is begun until it is");
}

/// An error of the database is waited for; a node that was deposed has nothing to wait for.
Result<void> Membership::outlast(const Error& error) {
    if (error.code == ErrorCode::fenced) {
        lease_.end();
        return std::unexpected{error};
    }
    if (error.code != ErrorCode::busy) {
        contact_since_.reset();
    }
    if (error.detail != logged_trouble_) {
        logged_trouble_ = error.detail;
        log_.warn("the database does not answer for this node's lease", {{"why", error.detail}});
    }
    return {};
}

bool Membership::may_depose(SteadyTime now) const {
    return contact_since_ && now - *contact_since_ >= options_.lease;
}

void Membership::announce_leave() {
    leaves_ = true;
    surplus_ = {};
    if (const auto announced = nodes_.announce_leave(); !announced) {
        log_.warn("cannot tell the other nodes that this one leaves",
                  {{"why", announced.error().detail}});
    }
}

void Membership::leave() {
    lease_.end();
    owns_all_ = false;
    if (const auto left = nodes_.leave(); !left) {
        log_.warn("cannot free the accounts; other nodes take them when the lease has ended",
                  {{"why", left.error().detail}});
    }
}

}  // namespace merpati::cluster
