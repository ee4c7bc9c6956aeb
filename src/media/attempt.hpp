// One try to fetch a file.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "media/freshness.hpp"
#include "media/library.hpp"
#include "media/redirects.hpp"
#include "media/shelf.hpp"
#include "media/sniffer.hpp"
#include "media/types.hpp"
#include "model/ids.hpp"

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

/// Why there is no file.
struct Trouble {
    enum class Kind : std::uint8_t {
        lasting,  // Another try is of no use.
        passing,
        disk,       // It cannot be written.
        no_budget,  // `reserve` refused.
    };
    Kind kind = Kind::lasting;
    std::string_view details{};  // One of details.hpp's, where the message fails with it.
};

struct AttemptResult {
    std::expected<Arrival, Trouble> outcome;
    std::optional<Millis>
        answered_in{};  // The answer's head; empty where none or half of one came.
};

struct AttemptRequest {
    model::AccountId account;
    outbound::Url url;
    std::string conditions;                // Of what we have, see Freshness.
    std::chrono::milliseconds first_byte;  // How long an answer may take to begin.
    /// Asked for the bytes of the file before the first one is written: its Content-Length, or the
    /// most that a file may have.
    std::function<bool(std::uint64_t bytes)> reserve;
    std::function<void(Millis after)> on_answer;  // Its head is in, and the file begins.
};
using AttemptDone = std::function<void(AttemptResult)>;

/// Fetches a file onto the shelf. Calls `done` once. `tools` must outlive the try.
void attempt_fetch(const AttemptTools& tools, AttemptRequest request, AttemptDone done);

}  // namespace merpati::media
