// What is known of URLs whose files were fetched.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <string_view>
#include <unordered_map>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "media/freshness.hpp"
#include "media/shelf.hpp"
#include "media/sniffer.hpp"
#include "media/types.hpp"

namespace merpati::media {

/// The last fetch of a URL: a file, a declared type that needed none, or a failure.
struct Known {
    std::string_view failure;  // One of details.hpp's; empty: the fetch was fine.
    Declared declared;
    Sniffed content;
    bool has_file = false;
    std::weak_ptr<const Content> file;  // Expired: the shelf let go of it.
    Freshness freshness;
    SteadyTime until{};  // Then it has to be asked for anew.
};

/// URLs by their SHA-256, so that long ones take no more room. At `entries_max` the longest unused
/// go first. Threads: its owner's.
class Catalogue {
public:
    explicit Catalogue(std::size_t entries_max) : entries_max_(entries_max) {}

    /// Null: nothing is known. Valid until the next `put`.
    [[nodiscard]] Known* find(const Sha256& url);

    void put(const Sha256& url, Known known);

    [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

private:
    struct Entry {
        Sha256 url;
        Known known;
    };
    struct Hash {
        std::size_t operator()(const Sha256& url) const noexcept;
    };

    const std::size_t entries_max_;
    std::list<Entry> entries_;  // The longest unused first.
    std::unordered_map<Sha256, std::list<Entry>::iterator, Hash> places_;
};

}  // namespace merpati::media
