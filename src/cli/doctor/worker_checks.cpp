// Checks of the connectors' worker programs.
#include <filesystem>
#include <poll.h>

#include <fmt/format.h>

#include "cli/doctor/finding.hpp"
#include "cli/linked_program.hpp"
#include "connector/process/program/child.hpp"
#include "connector/process/program/launched.hpp"
#include "daemon/worker_programs.hpp"

namespace merpati::cli::doctor {
namespace {

using connector::process::Launched;
using connector::process::LaunchOrder;
using connector::process::LaunchReport;

constexpr int answer_within = 10'000;  // Milliseconds.

/// Only a note: most gateways work without linked devices.
Finding cannot_be_linked(std::string why, std::string remedy) {
    return {.subject = "linked",
            .verdict = Verdict::note,
            .found = "devices cannot be linked: " + std::move(why),
            .remedy = remedy.empty()
                          ? "only needed for the connector linked; the others work without it"
                          : std::move(remedy)};
}

Finding check_own(const config::Settings& settings) {
    auto program = examine_linked(settings);
    if (!program.good) {
        return cannot_be_linked(std::move(program.found), std::move(program.remedy));
    }
    Finding finding{.subject = "linked",
                    .found = fmt::format("devices can be linked, with {}; their worker runs as the "
                                         "server's user, {}",
                                         program.found,
                                         program.confinement.wanted
                                             ? program.confinement.text()
                                             : "not confined, because linked.command names it")};
    if (program.confinement.is_weak()) {
        finding.verdict = Verdict::wrong;
        finding.remedy =
            "allow Landlock and seccomp (a newer kernel, the container's profile), or "
            "give it a user of its own: linked.socket";
        return finding;
    }
    std::error_code error;
    if (std::filesystem::exists(daemon::launcher_socket, error)) {
        finding.verdict = Verdict::note;
        finding.remedy = fmt::format("linked.socket = \"{}\" gives it a user of its own",
                                     daemon::launcher_socket);
    }
    return finding;
}

/// How the launcher's process ended; empty: it did not end in time.
std::string end_of(Launched& launched) {
    pollfd news{.fd = launched.take_end(), .events = POLLIN, .revents = 0};
    const FileDescriptor closed_later{news.fd};
    for (;;) {
        if (auto ended = launched.reap(); !ended.empty()) {
            return ended;
        }
        if (::poll(&news, 1, answer_within) <= 0) {
            return {};
        }
    }
}

/// The result of asking a launcher whether it could run its worker.
struct Examined {
    Verdict verdict = Verdict::wrong;
    std::string found;
    std::string remedy;
};

Examined examine_launcher(const std::string& path, const Clock& clock) {
    auto launched = Launched::start(clock, {.path = path}, {.kind = LaunchOrder::Kind::examine});
    if (!launched) {
        const bool is_ours = launched.error().code == ErrorCode::forbidden;
        return {.verdict = is_ours ? Verdict::note : Verdict::wrong,
                .found = launched.error().detail,
                .remedy = is_ours ? "ask again as the server's user, or as root"
                                  : "systemctl status merpati-worker.socket"};
    }
    auto how = end_of(*launched);
    const auto kind = launched->last_report().kind;
    if (kind == LaunchReport::Kind::not_run) {
        return {.verdict = Verdict::note, .found = std::move(how), .remedy = {}};
    }
    constexpr std::string_view journal = "journalctl -u 'merpati-worker@*'";
    if (kind != LaunchReport::Kind::examined) {
        return {.found = how.empty() ? "the launcher does not answer" : std::move(how),
                .remedy = std::string{journal}};
    }
    if (auto objection = launched->objection(); !objection.empty()) {
        return {.found = std::move(objection), .remedy = "DynamicUser=yes in its unit"};
    }
    return {.verdict = Verdict::good,
            .found = fmt::format("{}, as a user of its own ({})", how, *launched->user()),
            .remedy = {}};
}

/// For a setting linked.socket: a launcher that does not answer is wrong, not only a note.
Finding check_launched(const std::string& path, const Clock& clock) {
    auto examined = examine_launcher(path, clock);
    if (examined.verdict == Verdict::good) {
        return {.subject = "linked", .found = "devices can be linked, with " + examined.found};
    }
    auto finding = cannot_be_linked(std::move(examined.found), std::move(examined.remedy));
    finding.verdict = examined.verdict;
    return finding;
}

Finding check_worker(const std::string& name, const config::WorkerSettings& worker,
                     const Clock& clock) {
    if (worker.socket) {
        auto examined = examine_launcher(worker.socket->string(), clock);
        const bool good = examined.verdict == Verdict::good;
        return {
            .subject = "workers",
            .verdict = examined.verdict == Verdict::note ? Verdict::wrong : examined.verdict,
            .found = fmt::format("connector {}{} {}", name, good ? " runs" : ":", examined.found),
            .remedy = std::move(examined.remedy)};
    }
    const auto command = daemon::worker_command(worker);
    const auto file = connector::process::find_program(command.at(0), daemon::search_path());
    return {.subject = "workers",
            .verdict = file ? Verdict::good : Verdict::wrong,
            .found = file ? fmt::format("connector {} runs {}, as the server's user", name, *file)
                          : fmt::format("connector {}: {}", name, file.error().detail),
            .remedy = file ? "" : fmt::format("install it, or correct workers.{}.command", name)};
}

}  // namespace

void check_workers(const config::Settings& settings, const Clock& clock, Findings& findings) {
    const auto& socket = settings.linked.socket;
    findings.push_back(socket ? check_launched(socket->string(), clock) : check_own(settings));
    for (const auto& [name, worker] : settings.workers.by_name) {
        findings.push_back(check_worker(name, worker, clock));
    }
}

}  // namespace merpati::cli::doctor
