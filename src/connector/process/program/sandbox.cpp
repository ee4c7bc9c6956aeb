#include "connector/process/program/sandbox.hpp"

#include <cstdint>
#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace merpati::connector::process {
namespace {

constexpr std::uint64_t read_folder = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
/// All rights of Landlock's first version, which every kernel with Landlock knows.
constexpr std::uint64_t first_version = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1U) - 1;

// Rights that headers of older kernels lack.
constexpr std::uint64_t refer = 1U << 13U;           // LANDLOCK_ACCESS_FS_REFER, version 2.
constexpr std::uint64_t truncate_file = 1U << 14U;   // LANDLOCK_ACCESS_FS_TRUNCATE, version 3.
constexpr std::uint64_t control_device = 1U << 15U;  // LANDLOCK_ACCESS_FS_IOCTL_DEV, version 5.
constexpr std::uint64_t bind_port = 1U;              // LANDLOCK_ACCESS_NET_BIND_TCP, version 4.
// LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET and LANDLOCK_SCOPE_SIGNAL, version 6.
constexpr std::uint64_t scopes = 3U;

constexpr std::uint64_t read_program = LANDLOCK_ACCESS_FS_EXECUTE | read_folder;
constexpr std::uint64_t write_file = read_folder | LANDLOCK_ACCESS_FS_WRITE_FILE | truncate_file;
/// The rights that a rule for a file, not a folder, may name.
constexpr std::uint64_t of_files = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE |
                                   LANDLOCK_ACCESS_FS_WRITE_FILE | truncate_file;

/// landlock_ruleset_attr of version 6. Older kernels accept it if what they do not know is 0.
struct RulesetAttributes {
    std::uint64_t files = 0;
    std::uint64_t network = 0;
    std::uint64_t scoped = 0;
};

RulesetAttributes attributes_of(int version) noexcept {
    return {.files = first_version | (version >= 2 ? refer : 0) |
                     (version >= 3 ? truncate_file : 0) | (version >= 5 ? control_device : 0),
            .network = version >= 4 ? bind_port : 0,
            .scoped = version >= 6 ? scopes : 0};
}

void allow(int ruleset, const std::filesystem::path& path, std::uint64_t rights) {
    const FileDescriptor opened{::open(path.c_str(), O_PATH | O_CLOEXEC)};
    struct stat found{};
    if (opened.get() < 0 || ::fstat(opened.get(), &found) != 0) {
        return;
    }
    const landlock_path_beneath_attr rule{
        .allowed_access = S_ISDIR(found.st_mode) ? rights : rights & of_files,
        .parent_fd = opened.get()};
    ::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
}

}  // namespace

int landlock_version() noexcept {
    const auto version =
        ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
    return version > 0 ? static_cast<int>(version) : 0;
}

FileDescriptor make_ruleset(const Sandbox& sandbox) {
    if (sandbox.is_empty()) {
        return {};
    }
    const auto attributes = attributes_of(landlock_version());
    FileDescriptor ruleset{static_cast<int>(
        ::syscall(SYS_landlock_create_ruleset, &attributes, sizeof(attributes), 0))};
    if (ruleset.get() < 0) {
        return {};
    }
    const auto allow_all = [&](const auto& paths, std::uint64_t rights) {
        for (const auto& path : paths) {
            allow(ruleset.get(), path, rights & attributes.files);
        }
    };
    allow_all(sandbox.programs, read_program);
    allow_all(sandbox.readable, read_folder);
    allow_all(sandbox.writable, write_file);
    allow_all(sandbox.owned, ~std::uint64_t{LANDLOCK_ACCESS_FS_EXECUTE});
    return ruleset;
}

bool confine(int ruleset) noexcept {
    return ::syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
}

}  // namespace merpati::connector::process
