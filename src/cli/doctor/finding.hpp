// What `merpati doctor` finds, one check after the other.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/random.hpp"
#include "config/load.hpp"
#include "config/settings.hpp"
#include "store/store.hpp"

namespace merpati::cli::doctor {

enum class Verdict : std::uint8_t {
    good,
    note,   // Works, but the operator should know.
    wrong,  // Does not work, or will not for long.
};
[[nodiscard]] std::string_view to_string(Verdict verdict) noexcept;

struct Finding {
    std::string_view subject;  // "store", "disk"
    Verdict verdict = Verdict::good;
    std::string found;   // What is so, as a sentence without its full stop.
    std::string remedy;  // How to mend it; empty where nothing is wrong.
};

using Findings = std::vector<Finding>;

/// Whether a server answers at the store's socket, and the rest of what it says.
struct Server {
    bool running = false;
    std::string version;
};

// Each check adds its findings. None changes anything; none takes longer than a few seconds, save
// a deep one at the store.

/// The server, if it runs: what it says of itself; else the store: does it open, has it its key?
/// Then the store's pages, also beside a server.
[[nodiscard]] Server check_store(const config::Settings& settings, store::Depth depth,
                                 const Clock& clock, Findings& findings);
/// Modes of the store's files: they hold secrets.
void check_file_modes(const config::Settings& settings, Findings& findings);
/// Space, and how many commits a second the disk can make durable.
void check_disk(const config::Settings& settings, const Clock& clock, Findings& findings);

/// Whether media files can be kept where they should be, and as many as may be.
void check_media_folder(const config::Settings& settings, Findings& findings);

/// Whether the programs of connectors are there, and new enough; as which user they run.
void check_workers(const config::Settings& settings, const Clock& clock, Findings& findings);

/// Settings that take protection away, and secrets in files that others may open.
void check_protection(const config::Loaded& loaded, Findings& findings);

void check_clock(const Clock& clock, Findings& findings);
void check_descriptors(const config::Settings& settings, Findings& findings);

void check_tls(const config::Settings& settings, const Clock& clock, Findings& findings);
/// Whether the addresses can be listened on; not while the server itself does.
void check_addresses(const config::Settings& settings, Findings& findings);
void check_names(Findings& findings);

}  // namespace merpati::cli::doctor
