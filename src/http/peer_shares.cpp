#include "http/peer_shares.hpp"

#include "base/assert.hpp"

namespace merpati::http {

PeerShares::~PeerShares() {
    invariant(peers_.empty(), "connections give back what they hold");
}

void PeerShares::hold(Holding& holding, const PeerAddress& address, std::size_t bytes) {
    if (holding.peer_ != nullptr && holding.bytes_ == bytes) {
        return;
    }
    if (holding.peer_ == nullptr) {
        Peer& peer = peers_[address];  // The map is node-based: pointers to entries stay valid.
        peer.address = address;
        ++peer.connections;
        peer.holdings.push_back(holding);
        holding.peer_ = &peer;
    }
    Peer& peer = *holding.peer_;
    change(peer, peer.bytes - holding.bytes_ + bytes);
    holding.bytes_ = bytes;
}

void PeerShares::release(Holding& holding) noexcept {
    if (holding.peer_ == nullptr) {
        return;
    }
    Peer& peer = *holding.peer_;
    --peer.connections;
    change(peer, peer.bytes - holding.bytes_);
    peer.holdings.erase(peer.holdings.iterator_to(holding));
    holding.peer_ = nullptr;
    holding.bytes_ = 0;
    if (peer.connections == 0) {
        peers_.erase(PeerAddress{peer.address});
    }
}

template <class Hook>
void PeerShares::unlink(Peers<Hook>& peers, Peer& peer) noexcept {
    if (static_cast<const Hook&>(peer).is_linked()) {
        peers.erase(peers.iterator_to(peer));
    }
}

void PeerShares::change(Peer& peer, std::size_t bytes) noexcept {
    unlink(by_bytes_, peer);
    unlink(several_by_bytes_, peer);
    bytes_ = bytes_ - peer.bytes + bytes;
    peer.bytes = bytes;
    if (peer.connections > 0) {
        by_bytes_.insert(peer);
    }
    if (peer.connections > 1) {
        several_by_bytes_.insert(peer);
    }
}

PeerShares::Holding* PeerShares::victim() noexcept {
    return by_bytes_.empty() ? nullptr : &by_bytes_.rbegin()->holdings.front();
}

PeerShares::Holding* PeerShares::victim_for(const PeerAddress& address) noexcept {
    if (several_by_bytes_.empty()) {
        return nullptr;
    }
    Peer& heaviest = *several_by_bytes_.rbegin();
    const auto own = peers_.find(address);
    const std::size_t own_bytes = own == peers_.end() ? 0 : own->second.bytes;
    return heaviest.bytes > own_bytes ? &heaviest.holdings.front() : nullptr;
}

}  // namespace merpati::http
