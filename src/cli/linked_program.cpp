#include "cli/linked_program.hpp"

#include <array>
#include <cstdio>
#include <poll.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/file_descriptor.hpp"
#include "connector/process/program/child.hpp"
#include "daemon/worker_programs.hpp"

namespace merpati::cli {
namespace {

constexpr int major_min = 20;
constexpr int minor_min = 19;
constexpr int version_within = 3'000;  // Milliseconds.

struct Examined {
    std::string version;  // What `node --version` prints. Empty: nothing, or not in time.
    connector::process::Confinement confinement;
};

Examined examine(const std::string& node, connector::process::Sandbox sandbox) {
    auto child = connector::process::Child::start({.command = {node, "--version"},
                                                   .path = daemon::search_path(),
                                                   .sandbox = std::move(sandbox)});
    if (!child) {
        return {};
    }
    Examined examined{.version = {}, .confinement = child->confinement()};
    const FileDescriptor output{child->take_output()};
    pollfd ready{.fd = output.get(), .events = POLLIN, .revents = 0};
    std::array<char, 64> text{};
    if (::poll(&ready, 1, version_within) <= 0 ||
        ::read(output.get(), text.data(), text.size() - 1) <= 0) {
        return examined;
    }
    const std::string_view printed{text.data()};
    examined.version = printed.substr(0, printed.find('\n'));
    return examined;
}

bool is_new_enough(const std::string& version) {
    int major = 0;
    int minor = 0;
    return std::sscanf(version.c_str(), "v%d.%d", &major, &minor) == 2 &&
           (major > major_min || (major == major_min && minor >= minor_min));
}

}  // namespace

LinkedProgram examine_linked(const config::Settings& settings) {
    const auto command = daemon::linked_command(settings.linked);
    if (!command) {
        return {.found = command.error().detail};
    }
    const auto [version, confinement] =
        examine(command->at(0), daemon::linked_sandbox(*command, settings));
    if (settings.linked.command.empty() && !is_new_enough(version)) {
        return {
            .found = fmt::format("{} is Node.js {}", command->at(0), version),
            .remedy = fmt::format("install Node.js {}.{} or newer, or name it with linked.command",
                                  major_min, minor_min)};
    }
    return {.good = true,
            .found = fmt::format("{} {}", command->at(0), version),
            .confinement = confinement};
}

}  // namespace merpati::cli
