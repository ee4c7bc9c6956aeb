// The programs of connectors that are no part of this one.
#include <array>
#include <cstdio>
#include <poll.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/file_descriptor.hpp"
#include "cli/doctor/finding.hpp"
#include "connector/process/child.hpp"
#include "daemon/worker_programs.hpp"

namespace merpati::cli::doctor {
namespace {

constexpr int major_min = 20;
constexpr int minor_min = 19;
constexpr int answer_within = 3'000;  // Milliseconds.

/// What `node --version` prints; empty: nothing, or not in time.
std::string version_of(const std::string& node) {
    auto child = connector::process::Child::start(
        {.command = {node, "--version"}, .path = daemon::search_path()});
    if (!child) {
        return {};
    }
    const FileDescriptor output{child->take_output()};
    pollfd ready{.fd = output.get(), .events = POLLIN, .revents = 0};
    std::array<char, 64> text{};
    if (::poll(&ready, 1, answer_within) <= 0 ||
        ::read(output.get(), text.data(), text.size() - 1) <= 0) {
        return {};
    }
    std::string version{text.data()};
    return version.substr(0, version.find('\n'));
}

bool is_new_enough(const std::string& version) {
    int major = 0;
    int minor = 0;
    return std::sscanf(version.c_str(), "v%d.%d", &major, &minor) == 2 &&
           (major > major_min || (major == major_min && minor >= minor_min));
}

/// Nobody need use them, so that a missing worker is a note.
void check_linked(const config::LinkedSettings& settings, Findings& findings) {
    Finding finding{.subject = "linked", .verdict = Verdict::note};
    const auto command = daemon::linked_command(settings);
    if (!command) {
        finding.found = "devices cannot be linked: " + command.error().detail;
        finding.remedy = "only needed for the connector linked; the others work without it";
    } else if (const auto version = version_of(command->at(0));
               settings.command.empty() && !is_new_enough(version)) {
        finding.found =
            fmt::format("devices cannot be linked: {} is Node.js {}", command->at(0), version);
        finding.remedy = fmt::format(
            "install Node.js {}.{} or newer, or name it with linked.command", major_min, minor_min);
    } else {
        finding.verdict = Verdict::good;
        finding.found = fmt::format("devices can be linked, with {} {}", command->at(0), version);
    }
    findings.push_back(std::move(finding));
}

}  // namespace

void check_workers(const config::Settings& settings, Findings& findings) {
    check_linked(settings.linked, findings);
    for (const auto& [name, worker] : settings.workers.by_name) {
        const auto command = daemon::worker_command(worker);
        const auto file = connector::process::find_program(command.at(0), daemon::search_path());
        findings.push_back(
            {.subject = "workers",
             .verdict = file ? Verdict::good : Verdict::wrong,
             .found = file ? fmt::format("connector {} runs {}", name, *file)
                           : fmt::format("connector {}: {}", name, file.error().detail),
             .remedy = file ? "" : fmt::format("install it, or correct workers.{}.command", name)});
    }
}

}  // namespace merpati::cli::doctor
