#include "media/probe_memory.hpp"

namespace merpati::media {

const Facts* ProbeMemory::find(const std::string& url) {
    const auto found = places_.find(url);
    if (found == places_.end()) {
        return nullptr;
    }
    if (found->second->until <= clock_.steady_now()) {
        forget(found->second);
        return nullptr;
    }
    return &found->second->facts;
}

void ProbeMemory::keep(const std::string& url, Facts facts, Millis how_long) {
    if (const auto found = places_.find(url); found != places_.end()) {
        forget(found->second);
    }
    while (!entries_.empty() && entries_.size() >= entries_max_) {
        forget(entries_.begin());
    }
    entries_.push_back({url, std::move(facts), clock_.steady_now() + how_long});
    places_.emplace(entries_.back().url, std::prev(entries_.end()));
}

void ProbeMemory::forget(Place place) {
    places_.erase(place->url);
    entries_.erase(place);
}

}  // namespace merpati::media
