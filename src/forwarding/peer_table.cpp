#include "forwarding/peer_table.hpp"

#include <algorithm>
#include <utility>

namespace merpati::forwarding {

void PeerTable::set(const Owners& owners, std::span<const Owner> leaving,
                    SteadyTime::duration last_answers) {
    for (const auto& peer : peers_) {
        peer->shards = 0;
    }
    for (Shard shard = 0; shard < shard_count; ++shard) {
        const auto& owner = owners.at(shard);
        auto& place = places_.at(shard);
        auto peer = owner ? open(*owner) : nullptr;
        if (peer != nullptr) {
            ++peer->shards;
        }
        if (peer != place.peer) {
            place = {.peer = std::move(peer)};
        }
    }
    const auto close_at = clock_.steady_now() + last_answers;
    for (const auto& peer : peers_) {
        const bool leaves = std::ranges::find(leaving, peer->owner) != leaving.end();
        if (peer->shards > 0 || leaves) {
            peer->close_at.reset();
        } else if (!peer->close_at) {
            peer->close_at = close_at;
        }
    }
}

/// The peer of the owner, one of before if there is any. Null: it takes no requests.
std::shared_ptr<Peer> PeerTable::open(const Owner& owner) {
    const auto known = std::ranges::find_if(
        peers_, [&](const std::shared_ptr<Peer>& peer) { return peer->owner == owner; });
    if (known != peers_.end()) {
        return *known;
    }
    const auto endpoint = endpoint_of(owner.address);
    return endpoint ? peers_.emplace_back(std::make_shared<Peer>(clock_, executor_, *endpoint,
                                                                 owner, channel_request_))
                    : nullptr;
}

bool PeerTable::takes(Shard shard) const {
    const auto& [peer, is_taken] = places_.at(shard);
    return peer != nullptr && peer->answers && is_taken;
}

void PeerTable::begin_look() {
    tried_.reset();
    for (const auto& peer : peers_) {
        peer->was_tried = false;
    }
}

bool PeerTable::may_try(Shard shard) {
    const auto& [peer, is_taken] = places_.at(shard);
    if (peer == nullptr || (!peer->answers && peer->was_tried) ||
        (!is_taken && tried_.test(shard))) {
        return false;
    }
    peer->was_tried = true;
    tried_.set(shard);
    return true;
}

bool PeerTable::note_taken(Shard shard, const std::shared_ptr<Peer>& peer) {
    auto& place = places_.at(shard);
    const bool answered = std::exchange(peer->answers, true);
    const bool was_taken = place.peer != peer || std::exchange(place.is_taken, true);
    return !answered || !was_taken;
}

std::vector<std::shared_ptr<Peer>> PeerTable::take_left() {
    const auto now = clock_.steady_now();
    const auto stays = [now](const std::shared_ptr<Peer>& peer) {
        return !peer->close_at || now < *peer->close_at;
    };
    const auto left = std::partition(peers_.begin(), peers_.end(), stays);
    std::vector<std::shared_ptr<Peer>> taken(left, peers_.end());
    peers_.erase(left, peers_.end());
    return taken;
}

bool PeerTable::any_leaves() const {
    return std::ranges::any_of(
        peers_, [](const std::shared_ptr<Peer>& peer) { return peer->close_at.has_value(); });
}

void PeerTable::close() {
    places_ = {};
    for (const auto& peer : std::exchange(peers_, {})) {
        peer->close();
    }
}

}  // namespace merpati::forwarding
