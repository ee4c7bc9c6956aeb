#include "cli/linked_program.hpp"

#include <array>
#include <cstdio>
#include <poll.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/file_descriptor.hpp"
#include "connector/process/child.hpp"
#include "daemon/worker_programs.hpp"

namespace merpati::cli {
namespace {

constexpr int major_min = 20;
constexpr int minor_min = 19;
constexpr int version_within = 3'000;  // Milliseconds.

/// What `node --version` prints. Empty: it printed nothing, or not in time.
std::string version_of(const std::string& node) {
    auto child = connector::process::Child::start(
        {.command = {node, "--version"}, .path = daemon::search_path()});
    if (!child) {
        return {};
    }
    const FileDescriptor output{child->take_output()};
    pollfd ready{.fd = output.get(), .events = POLLIN, .revents = 0};
    std::array<char, 64> text{};
    if (::poll(&ready, 1, version_within) <= 0 ||
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

}  // namespace

LinkedProgram examine_linked(const config::LinkedSettings& settings) {
    const auto command = daemon::linked_command(settings);
    if (!command) {
        return {.found = command.error().detail};
    }
    const auto version = version_of(command->at(0));
    if (settings.command.empty() && !is_new_enough(version)) {
        return {
            .found = fmt::format("{} is Node.js {}", command->at(0), version),
            .remedy = fmt::format("install Node.js {}.{} or newer, or name it with linked.command",
                                  major_min, minor_min)};
    }
    return {.good = true, .found = fmt::format("{} {}", command->at(0), version)};
}

}  // namespace merpati::cli
