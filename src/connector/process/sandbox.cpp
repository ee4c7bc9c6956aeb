#include "connector/process/sandbox.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace merpati::connector::process {
namespace {

constexpr std::uint64_t read_file = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE;
constexpr std::uint64_t read_folder = read_file | LANDLOCK_ACCESS_FS_READ_DIR;
/// All rights of Landlock's first version, which every kernel with Landlock knows.
constexpr std::uint64_t first_version = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1U) - 1;
/// LANDLOCK_ACCESS_FS_TRUNCATE, since the third version; headers of older kernels lack it.
constexpr std::uint64_t truncate_file = 1U << 14U;
/// The rights that a rule for a file, not a folder, may name.
constexpr std::uint64_t of_files = read_file | LANDLOCK_ACCESS_FS_WRITE_FILE | truncate_file;

/// The rights that this kernel's Landlock can withhold.
std::uint64_t known_rights() noexcept {
    const auto version =
        ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
    return version >= 3 ? first_version | truncate_file : first_version;
}

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

#if defined(__x86_64__)
constexpr std::uint32_t machine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t machine = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t machine = 0;
#endif

// Offsets of what the filter loads. The low half of an argument comes first, because the machines
// above are little-endian.
constexpr std::uint32_t number_at = offsetof(seccomp_data, nr);
constexpr std::uint32_t machine_at = offsetof(seccomp_data, arch);
constexpr std::uint32_t first_argument_at = offsetof(seccomp_data, args);

constexpr std::uint32_t x32_bit = 0x4000'0000;  // Marks system calls of the x32 ABI.
constexpr std::uint32_t refused = SECCOMP_RET_ERRNO | (EPERM & SECCOMP_RET_DATA);

constexpr sock_filter load(std::uint32_t at) {
    return {.code = BPF_LD | BPF_W | BPF_ABS, .jt = 0, .jf = 0, .k = at};
}
/// Skips `count` instructions if the loaded value equals `value`.
constexpr sock_filter skip_if(std::uint32_t value, std::uint8_t count) {
    return {.code = BPF_JMP | BPF_JEQ | BPF_K, .jt = count, .jf = 0, .k = value};
}
constexpr sock_filter skip_unless(std::uint32_t value, std::uint8_t count) {
    return {.code = BPF_JMP | BPF_JEQ | BPF_K, .jt = 0, .jf = count, .k = value};
}
constexpr sock_filter answer(std::uint32_t action) {
    return {.code = BPF_RET | BPF_K, .jt = 0, .jf = 0, .k = action};
}

#if !defined(SYS_fchmodat2)
#define SYS_fchmodat2 452  // Since Linux 6.6.
#endif

/// Refused whatever their arguments are.
constexpr std::array forbidden{
    // They reach other processes. A filter does not see the operations of io_uring.
    SYS_io_uring_setup,
    SYS_pidfd_send_signal,
    SYS_pidfd_getfd,
    SYS_rt_sigqueueinfo,
    SYS_rt_tgsigqueueinfo,
    SYS_tkill,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    // They change files that Landlock does not let it open: contents (before Landlock's third
    // version), owners, modes and extended attributes.
    SYS_truncate,
    SYS_fchmod,
    SYS_fchmodat,
    SYS_fchmodat2,
    SYS_fchown,
    SYS_fchownat,
    SYS_setxattr,
    SYS_lsetxattr,
    SYS_fsetxattr,
    SYS_removexattr,
    SYS_lremovexattr,
    SYS_fremovexattr,
#if defined(__x86_64__)
    SYS_chmod,
    SYS_chown,
    SYS_lchown,
#endif
};

}  // namespace

bool forbid_calls() noexcept {
    if (machine == 0) {
        return false;
    }
    const auto own = static_cast<std::uint32_t>(::getpid());
    constexpr std::array head{
        load(machine_at),
        skip_if(machine, 1),
        answer(refused),
        load(number_at),
        sock_filter{.code = BPF_JMP | BPF_JGE | BPF_K, .jt = 0, .jf = 1, .k = x32_bit},
        answer(refused),
    };
    const std::array tail{
        // New Unix sockets.
        skip_unless(SYS_socket, 3),
        load(first_argument_at),
        skip_unless(AF_UNIX, 7),
        answer(refused),
        // Signals: only to its own process and process group.
        skip_if(SYS_kill, 1),
        skip_unless(SYS_tgkill, 4),
        load(first_argument_at),
        skip_if(own, 2),
        skip_if(0, 1),  // Its own group.
        answer(refused),
        answer(SECCOMP_RET_ALLOW),
    };
    // After a fork nothing may be allocated.
    std::array<sock_filter, head.size() + 2 * forbidden.size() + tail.size()> filter{};
    auto end = std::ranges::copy(head, filter.begin()).out;
    for (const auto number : forbidden) {
        *end++ = skip_unless(static_cast<std::uint32_t>(number), 1);
        *end++ = answer(refused);
    }
    std::ranges::copy(tail, end);
    const sock_fprog program{.len = filter.size(), .filter = filter.data()};
    return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

FileDescriptor make_ruleset(const Sandbox& sandbox) {
    if (sandbox.is_empty()) {
        return {};
    }
    landlock_ruleset_attr attributes{};
    const auto everything = known_rights();
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
        allow(ruleset.get(), path, everything & of_files, everything);
    }
    return ruleset;
}

bool confine(int ruleset) noexcept {
    return ::syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
}

}  // namespace merpati::connector::process
