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

Result<Millis> Membership::step() {
    if (clock_.steady_now() >= renew_at_) {
        if (auto renewed = renew(); !renewed) {
            return pass(renewed);
        }
    }
    if (clock_.steady_now() >= look_at_) {
        if (auto looked = look(); !looked) {
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

Result<void> Membership::look() {
    look_at_ = clock_.steady_now() + (owns_all() ? options_.lease / 3 : look_every);
    const auto asked_at = clock_.now();
    auto nodes = nodes_.list();
    if (!nodes) {
        return outlast(nodes.error());
    }
    note_clock(*nodes, asked_at);
    const auto deposed = depose_silent(*nodes);
    if (!deposed) {
        return outlast(deposed.error());
    }
    const auto owners = nodes_.owners();
    if (!owners) {
        return outlast(owners.error());
    }
    note_owners(*nodes, *owners);
    return leaves_ ? Result<void>{} : claim(*nodes, *owners);
}

/// Marks the nodes that it has deposed. True: there are some. One that leaves listens no more
/// before it has written everything, so it is never dead.
Result<bool> Membership::depose_silent(std::vector<Node>& nodes) {
    bool any = false;
    for (auto& node : nodes) {
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
            any = true;
            node.state = Node::State::gone;
            log_.warn("another node is gone; its accounts are free", {{"node", node.entry.name}});
        }
    }
    return any;
}

Result<void> Membership::claim(const std::vector<Node>& nodes,
                               const std::vector<store::ShardOwner>& owners) {
    std::vector<Member> members;
    for (const auto& node : nodes) {
        if (node.state == Node::State::live && node.silent_for <= options_.lease) {
            members.push_back({.id = node.id,
                               .joined_at = node.joined_at,
                               .up_for = std::max(node.seen_at - node.joined_at, Millis{0})});
        }
    }
    const auto placement = place(members, owners, options_.owners_max);
    std::vector<store::Shard> mine;
    for (const auto& [shard, owner] : owners) {
        if (!owner && placement.at(static_cast<std::size_t>(shard)) == self_) {
            mine.push_back(shard);
        }
    }
    if (mine.empty()) {
        return {};
    }
    const auto taken = nodes_.claim(mine);
    if (!taken) {
        return outlast(taken.error());
    }
    if (options_.owners_max == 1 && taken->size() < mine.size()) {
        // Another node took the rest in between. If both kept their parts, both would wait.
        const auto released = nodes_.release(*taken);
        return released ? Result<void>{} : outlast(released.error());
    }
    owned_ += taken->size();
    return {};
}

void Membership::note_owners(const std::vector<Node>& nodes,
                             const std::vector<store::ShardOwner>& owners) {
    owned_ = static_cast<std::size_t>(std::ranges::count_if(
        owners, [this](const store::ShardOwner& one) { return one.owner == self_; }));
    other_owner_.reset();
    for (const auto& node : nodes) {
        const auto is_its_own = [&](const store::ShardOwner& one) { return one.owner == node.id; };
        if (node.id != self_ && std::ranges::any_of(owners, is_its_own)) {
            other_owner_ = node;
        }
    }
}

/// The database answered between `asked_at` and now.
void Membership::note_clock(const std::vector<Node>& nodes, Timestamp asked_at) {
    const auto own = std::ranges::find(nodes, self_, &Node::id);
    if (own == nodes.end()) {
        return;
    }
    const auto database = own->seen_at + own->silent_for;
    clock_ahead_ = std::max<Millis>(asked_at - database, Millis{0}) +
                   std::min<Millis>(clock_.now() - database, Millis{0});
    const bool is_wrong = std::chrono::abs(clock_ahead_) > difference_max;
    const bool was_wrong = std::exchange(clock_logged_, is_wrong);
    if (is_wrong && !was_wrong) {
        const std::chrono::duration<double> seconds = clock_ahead_;
        log_.warn("this machine's clock is not the database's: set them right, or delays are wrong",
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
    if (const auto announced = nodes_.announce_leave(); !announced) {
        log_.warn("cannot tell the other nodes that this one leaves",
                  {{"why", announced.error().detail}});
    }
}

void Membership::leave() {
    lease_.end();
    owned_ = 0;
    if (const auto left = nodes_.leave(); !left) {
        log_.warn("cannot free the accounts; other nodes take them when the lease has ended",
                  {{"why", left.error().detail}});
    }
}

}  // namespace merpati::cluster
