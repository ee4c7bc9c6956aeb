#include "media/catalogue.hpp"

#include <cstring>

namespace merpati::media {

/// The digest is as good as chance, and nobody chooses it.
std::size_t Catalogue::Hash::operator()(const Sha256& url) const noexcept {
    std::size_t value = 0;
    std::memcpy(&value, url.data(), sizeof value);
    return value;
}

Known* Catalogue::find(const Sha256& url) {
    const auto found = places_.find(url);
    if (found == places_.end()) {
        return nullptr;
    }
    entries_.splice(entries_.end(), entries_, found->second);
    return &found->second->known;
}

void Catalogue::put(const Sha256& url, Known known) {
    if (auto* former = find(url)) {
        *former = std::move(known);
        return;
    }
    while (!entries_.empty() && entries_.size() >= entries_max_) {
        places_.erase(entries_.front().url);
        entries_.pop_front();
    }
    entries_.push_back({url, std::move(known)});
    places_.emplace(url, std::prev(entries_.end()));
}

}  // namespace merpati::media
