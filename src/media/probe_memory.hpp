// What probes found a short while ago.
#pragma once

#include <cstddef>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/clock.hpp"
#include "media/facts.hpp"

namespace merpati::media {

/// Facts by URL, each until its end. At `entries_max` the oldest go first. Threads: its owner's.
class ProbeMemory {
public:
    ProbeMemory(const Clock& clock, std::size_t entries_max)
        : clock_(clock), entries_max_(entries_max) {}

    /// Null when nothing is known, or no more. Valid until the next call.
    [[nodiscard]] const Facts* find(const std::string& url);

    void keep(const std::string& url, Facts facts, Millis how_long);

    [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

private:
    struct Entry {
        std::string url;
        Facts facts;
        SteadyTime until;
    };
    using Place = std::list<Entry>::iterator;

    void forget(Place place);

    const Clock& clock_;
    const std::size_t entries_max_;
    std::list<Entry> entries_;  // The oldest first.
    std::unordered_map<std::string_view, Place> places_;
};

}  // namespace merpati::media
