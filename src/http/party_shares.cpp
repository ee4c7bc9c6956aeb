#include "http/party_shares.hpp"

#include <algorithm>

#include "base/assert.hpp"

namespace merpati::http {

PartyShares::~PartyShares() {
    invariant(entries_.empty(), "connections give back what they hold");
}

void PartyShares::hold(Holding& holding, const Party& party, Use use, std::size_t bytes) {
    if (holding.shares_ != this || holding.entry_->party != party) {
        release(holding);
        add(holding, party, use);
    }
    Entry& entry = *holding.entry_;
    if (holding.use_ != use) {
        list_of(entry, use)
            .splice(list_of(entry, use).end(), list_of(entry, holding.use_),
                    Holdings::s_iterator_to(holding));
        holding.use_ = use;
    }
    if (holding.bytes_ != bytes) {
        set_bytes(entry, entry.bytes - holding.bytes_ + bytes);
        holding.bytes_ = bytes;
    }
}

void PartyShares::add(Holding& holding, const Party& party, Use use) {
    // The map is node-based: pointers to entries stay valid.
    const auto [found, is_new] = entries_.try_emplace(party, party);
    Entry& entry = found->second;
    if (is_new) {
        by_bytes_.insert(entry);
        by_connections_.insert(entry);
    }
    set_connections(entry, entry.connections + 1);
    list_of(entry, use).push_back(holding);
    holding.shares_ = this;
    holding.entry_ = &entry;
    holding.use_ = use;
}

void PartyShares::release(Holding& holding) noexcept {
    if (holding.shares_ != nullptr) {
        holding.shares_->remove(holding);
    }
}

void PartyShares::remove(Holding& holding) noexcept {
    Entry& entry = *holding.entry_;
    set_bytes(entry, entry.bytes - holding.bytes_);
    set_connections(entry, entry.connections - 1);
    list_of(entry, holding.use_).erase(Holdings::s_iterator_to(holding));
    holding.shares_ = nullptr;
    holding.entry_ = nullptr;
    holding.bytes_ = 0;
    if (entry.connections == 0) {
        by_bytes_.erase(by_bytes_.iterator_to(entry));
        by_connections_.erase(by_connections_.iterator_to(entry));
        entries_.erase(Party{entry.party});
    }
}

void PartyShares::set_bytes(Entry& entry, std::size_t bytes) noexcept {
    by_bytes_.erase(by_bytes_.iterator_to(entry));
    bytes_ = bytes_ - entry.bytes + bytes;
    entry.bytes = bytes;
    by_bytes_.insert(entry);
}

void PartyShares::set_connections(Entry& entry, std::size_t connections) noexcept {
    by_connections_.erase(by_connections_.iterator_to(entry));
    connections_ = connections_ - entry.connections + connections;
    entry.connections = connections;
    by_connections_.insert(entry);
}

std::size_t PartyShares::connections_of(const Party& party) const noexcept {
    const auto found = entries_.find(party);
    return found == entries_.end() ? 0 : found->second.connections;
}

PartyShares::Holding* PartyShares::victim() noexcept {
    if (by_bytes_.empty()) {
        return nullptr;
    }
    Entry& heaviest = *by_bytes_.rbegin();
    for (const auto use : {Use::transferring, Use::idle, Use::answering}) {
        auto& holdings = list_of(heaviest, use);
        // The end of a connection that holds nothing would free nothing.
        const auto found =
            std::ranges::find_if(holdings, [](const Holding& one) { return one.bytes_ > 0; });
        if (found != holdings.end()) {
            return &*found;
        }
    }
    return nullptr;
}

PartyShares::Holding* PartyShares::victim_for(std::size_t own) noexcept {
    if (by_connections_.empty() || by_connections_.rbegin()->connections < own + 2) {
        return nullptr;
    }
    Entry& largest = *by_connections_.rbegin();
    for (const auto use : {Use::idle, Use::transferring, Use::answering}) {
        if (auto& holdings = list_of(largest, use); !holdings.empty()) {
            return &holdings.front();
        }
    }
    return nullptr;
}

}  // namespace merpati::http
