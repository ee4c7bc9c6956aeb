// The checks of `merpati doctor`, and their findings.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/random.hpp"
#include "config/load.hpp"
#include "config/settings.hpp"
#include "http/request.hpp"
#include "store/store.hpp"

namespace merpati::cli::doctor {

enum class Verdict : std::uint8_t {
    good,
    note,   // Works, but the operator should know about it.
    wrong,  // Does not work, will soon stop working, or takes protection away.
};
[[nodiscard]] std::string_view to_string(Verdict verdict) noexcept;

struct Finding {
    std::string_view subject;  // "store", "disk"
    Verdict verdict = Verdict::good;
    std::string found;   // A sentence without its full stop.
    std::string remedy;  // How to mend it; may be empty.
};

using Findings = std::vector<Finding>;

/// The server at the store's socket.
struct Server {
    bool running = false;  // Something listens there, even if it does not answer as a server.
    std::string version;
};

// Each check appends its findings, and leaves settings, store and files as they are. It waits at
// most 10 s for each program that it asks, and reads the store for about 5 s, or a day if deep.

/// If a server runs: its status and readiness. Else: whether the store opens with its key file. In
/// both cases: whether the store's pages are undamaged.
[[nodiscard]] Server check_store(const config::Settings& settings, store::Depth depth,
                                 const Clock& clock, Findings& findings);
/// Modes of the store's file and its key file, which hold secrets; with PostgreSQL, whether the
/// folder of the server's own files is writable.
void check_file_modes(const config::Settings& settings, Findings& findings);
/// Free space, and how many commits a second the disk can make durable; nothing of a database.
void check_disk(const config::Settings& settings, const Clock& clock, Findings& findings);

/// Whether the media folder is writable, and its disk has room for media.kept_bytes_max.
void check_media_folder(const config::Settings& settings, Findings& findings);

/// Whether the connectors' worker programs exist and are new enough, and as which user they run.
void check_workers(const config::Settings& settings, const Clock& clock, Findings& findings);

/// Calls an operation of the running server.
using AskServer =
    std::function<Result<boost::json::value>(http::Method method, const std::string& target)>;
/// Whether the official platform's webhooks can be verified, if a device is there. `ask` is empty
/// if no server runs.
void check_cloud(const config::Settings& settings, const AskServer& ask, Findings& findings);

/// Settings that take protection away, and secrets in files that other users can read.
void check_protection(const config::Loaded& loaded, Findings& findings);

void check_clock(const Clock& clock, Findings& findings);
void check_descriptors(const config::Settings& settings, Findings& findings);

void check_tls(const config::Settings& settings, const Clock& clock, Findings& findings);
/// Whether the addresses of http.listen are free. Call it only if the server does not run.
void check_addresses(const config::Settings& settings, Findings& findings);
void check_names(Findings& findings);

}  // namespace merpati::cli::doctor
