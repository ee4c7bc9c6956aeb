// Checks of the machine: its clock, its limits, and the folder of media files.
#include <cerrno>
#include <filesystem>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/timex.h>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include "cli/doctor/finding.hpp"

namespace merpati::cli::doctor {
namespace {

namespace files = std::filesystem;

constexpr std::int64_t made_in = 1'767'225'600'000;              // 2026: the program is not older.
constexpr std::int64_t far_future = 4'102'444'800'000;           // 2100
constexpr std::uint64_t descriptors_beside_connections = 1'024;  // Store, callbacks, media, logs.

}  // namespace

void check_clock(const Clock& clock, Findings& findings) {
    const auto now = to_unix_millis(clock.now());
    if (now < made_in || now > far_future) {
        findings.push_back({.subject = "clock",
                            .verdict = Verdict::wrong,
                            .found = "says " + to_rfc3339(clock.now()),
                            .remedy = "set it: receivers refuse callbacks signed at a wrong time"});
        return;
    }
    struct timex state{};
    const int synchronised = ::adjtimex(&state);
    if (synchronised == TIME_ERROR || (state.status & STA_UNSYNC) != 0) {
        findings.push_back(
            {.subject = "clock",
             .verdict = Verdict::note,
             .found = fmt::format("says {}, which nothing keeps right", to_rfc3339(clock.now())),
             .remedy = "apt install chrony (in a container: on its host)"});
        return;
    }
    findings.push_back({.subject = "clock", .found = "is kept right: " + to_rfc3339(clock.now())});
}

void check_descriptors(const config::Settings& settings, Findings& findings) {
    struct rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return;
    }
    const auto wanted = settings.http.connections_max + descriptors_beside_connections;
    const bool enough = limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= wanted;
    findings.push_back(
        {.subject = "descriptors",
         .verdict = enough ? Verdict::good : Verdict::note,
         .found = enough ? fmt::format("this process may have {} files open", limit.rlim_cur)
                         : fmt::format("this process may have {} files open; {} connections "
                                       "(http.connections_max) can need {}",
                                       limit.rlim_cur, settings.http.connections_max, wanted),
         .remedy = enough ? ""
                          : fmt::format("LimitNOFILE={} in the server's unit, or ulimit -n {}",
                                        wanted, wanted)});
}

void check_media_folder(const config::Settings& settings, Findings& findings) {
    const auto folder = settings.media.folder.value_or("");
    std::error_code error;
    const bool exists = files::exists(folder, error);
    const auto parent = folder.parent_path();
    // The folder itself, or the folder in which the server will create it.
    const auto place = exists ? folder : parent.empty() ? files::path{"."} : parent;
    if (::access(place.c_str(), W_OK | X_OK) != 0 || (exists && !files::is_directory(folder))) {
        const auto why = exists && !files::is_directory(folder) ? ENOTDIR : errno;
        findings.push_back({.subject = "media",
                            .verdict = Verdict::wrong,
                            .found = fmt::format("files cannot be kept in {}: {}", folder.string(),
                                                 std::generic_category().message(why)),
                            .remedy = "give that folder to the server's user, or name another "
                                      "with media.folder"});
        return;
    }
    struct statvfs space{};
    if (::statvfs(place.c_str(), &space) != 0) {
        return;
    }
    const auto left = static_cast<std::uint64_t>(space.f_bavail) * space.f_frsize;
    const bool little = left < settings.media.kept_bytes_max;
    findings.push_back(
        {.subject = "media",
         .verdict = little ? Verdict::note : Verdict::good,
         .found = fmt::format("up to {} MiB of files are kept in {}, with {} MiB free",
                              settings.media.kept_bytes_max >> 20, folder.string(), left >> 20),
         .remedy = little ? "free some, or lower media.kept_bytes_max" : ""});
}

}  // namespace merpati::cli::doctor
