// The machine: its clock and its limits.
#include <sys/resource.h>
#include <sys/timex.h>

#include <fmt/format.h>

#include "cli/doctor/finding.hpp"

namespace merpati::cli::doctor {
namespace {

constexpr std::int64_t made_in = 1'767'225'600'000;              // 2026: the program is not older.
constexpr std::int64_t far_future = 4'102'444'800'000;           // 2100
constexpr std::uint64_t descriptors_beside_connections = 1'024;  // Store, callbacks, media, logs.

}  // namespace

void look_at_clock(const Clock& clock, Findings& findings) {
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

void look_at_descriptors(const config::Settings& settings, Findings& findings) {
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

}  // namespace merpati::cli::doctor
