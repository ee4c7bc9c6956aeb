#include "connector/process/sandbox.hpp"

#include <cstdint>
#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace merpati::connector::process {
namespace {

constexpr std::uint64_t read_file = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE;
constexpr std::uint64_t read_folder = read_file | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t write_file = read_file | LANDLOCK_ACCESS_FS_WRITE_FILE;
/// All rights of the first version, which every kernel with Landlock knows.
constexpr std::uint64_t everything = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1U) - 1;

void allow(int ruleset, const std::filesystem::path& path, std::uint64_t of_file,
           std::uint64_t of_folder) {
    const FileDescriptor opened{::open(path.c_str(), O_PATH | O_CLOEXEC)};
    struct stat found{};
    if (opened.get() < 0 || ::fstat(opened.get(), &found) != 0) {
        return;
    }
    const landlock_path_beneath_attr rule{
        .allowed_access = S_ISDIR(found.st_mode) ? of_folder : of_file, .parent_fd = opened.get()};
    ::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
}

}  // namespace

FileDescriptor make_ruleset(const Sandbox& sandbox) {
    if (sandbox.readable.empty() && sandbox.writable.empty()) {
        return {};
    }
    landlock_ruleset_attr attributes{};
    attributes.handled_access_fs = everything;
    FileDescriptor ruleset{static_cast<int>(
        ::syscall(SYS_landlock_create_ruleset, &attributes, sizeof(attributes), 0))};
    if (ruleset.get() < 0) {
        return {};
    }
    for (const auto& path : sandbox.readable) {
        allow(ruleset.get(), path, read_file, read_folder);
    }
    for (const auto& path : sandbox.writable) {
        allow(ruleset.get(), path, write_file, everything);
    }
    return ruleset;
}

bool confine(int ruleset) noexcept {
    return ::syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
}

}  // namespace merpati::connector::process
