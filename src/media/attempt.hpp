// One try to fetch a file.
#pragma once

#include <chrono>
#include <expected>
#include <functional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "media/freshness.hpp"
#include "media/library.hpp"
#include "media/redirects.hpp"
#include "media/shelf.hpp"
#include "media/sniffer.hpp"
#include "media/types.hpp"

namespace merpati::media {

/// What fetching takes.
struct AttemptTools {
    const Clock& clock;
    Follower& follower;
    const Sniffer& sniffer;
    Shelf& shelf;
    const LibraryOptions& options;
};

struct Arrival {
    bool unchanged = false;  // 304: only `freshness` says more.
    Declared declared;
    Sniffed content;
    ContentPtr file;  // Null: unchanged, or of a declared type that is in no list.
    Freshness freshness;
};

/// Why there is no file: `passing` is worth another try. `details` is one of details.hpp's.
struct Trouble {
    bool passing = false;
    std::string_view details;
};

using AttemptDone = std::function<void(std::expected<Arrival, Trouble>)>;

/// Fetches `url` onto the shelf. `conditions`: of what we have, see Freshness; `first_byte`: how
/// long an answer may take to begin. Calls `done` once. `tools` must outlive the try.
void attempt_fetch(const AttemptTools& tools, outbound::Url url, const std::string& conditions,
                   std::chrono::milliseconds first_byte, AttemptDone done);

}  // namespace merpati::media
