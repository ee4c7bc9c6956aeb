#include "connector/process/program/call_filter.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <fcntl.h>
#include <initializer_list>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace merpati::connector::process {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t machine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t machine = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t machine = 0;
#endif

// Numbers that headers of older kernels lack; they are the same on all machines.
#if !defined(SYS_fchmodat2)
#define SYS_fchmodat2 452  // Since Linux 6.6.
#endif
#if !defined(SYS_setxattrat)
#define SYS_setxattrat 463  // Since Linux 6.13.
#endif
#if !defined(SYS_removexattrat)
#define SYS_removexattrat 466  // Since Linux 6.13.
#endif
#if !defined(SYS_file_setattr)
#define SYS_file_setattr 469  // Since Linux 6.17.
#endif

constexpr std::uint32_t x32_bit = 0x4000'0000;  // Marks system calls of the x32 ABI.
constexpr std::uint32_t refused = SECCOMP_RET_ERRNO | (EPERM & SECCOMP_RET_DATA);
/// C libraries then call clone, whose flags a filter can see.
constexpr std::uint32_t unknown = SECCOMP_RET_ERRNO | (ENOSYS & SECCOMP_RET_DATA);

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
    SYS_process_madvise,
    SYS_sched_setscheduler,
    SYS_sched_setparam,
    SYS_sched_setattr,
    SYS_sched_setaffinity,
    SYS_setpriority,
    SYS_ioprio_set,
    SYS_migrate_pages,
    SYS_move_pages,
    // What leaves the session escapes the count of its memory and the kill.
    SYS_setsid,
    SYS_unshare,
    SYS_setns,
    // They change files that Landlock does not let it open: contents (before Landlock's third
    // version), owners, modes, times and attributes.
    SYS_truncate,
    SYS_fchmod,
    SYS_fchmodat,
    SYS_fchmodat2,
    SYS_fchown,
    SYS_fchownat,
    SYS_utimensat,
    SYS_setxattr,
    SYS_lsetxattr,
    SYS_fsetxattr,
    SYS_setxattrat,
    SYS_removexattr,
    SYS_lremovexattr,
    SYS_fremovexattr,
    SYS_removexattrat,
    SYS_file_setattr,
#if defined(__x86_64__)
    SYS_chmod,
    SYS_chown,
    SYS_lchown,
    SYS_utime,
    SYS_utimes,
    SYS_futimesat,
#endif
};

constexpr std::uint32_t name_spaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                                      CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
constexpr std::uint32_t type_of_socket = 0xf;    // Without SOCK_CLOEXEC and SOCK_NONBLOCK.
constexpr std::uint32_t set_signal = 10;         // F_SETSIG, which needs _GNU_SOURCE, as the next.
constexpr std::uint32_t set_owner_of_kind = 15;  // F_SETOWN_EX

/// The low half of an argument, which comes first, because the machines above are little-endian.
/// All arguments that are looked at have 32 bits.
constexpr std::uint32_t argument_at(std::uint32_t index) {
    return static_cast<std::uint32_t>(offsetof(seccomp_data, args)) + index * 8;
}

/// A program for the kernel's filter, made in an array, because after a fork nothing may be
/// allocated. Between two rules the accumulator holds the call's number.
class Filter {
public:
    using Values = std::initializer_list<std::uint32_t>;

    void begin() {
        load(offsetof(seccomp_data, arch));
        skip_if(machine, 1);
        answer(refused);
        load(offsetof(seccomp_data, nr));
        add({.code = BPF_JMP | BPF_JGE | BPF_K, .jt = 0, .jf = 1, .k = x32_bit});
        answer(refused);
    }
    void answer_always(long call, std::uint32_t what) {
        skip_unless(static_cast<std::uint32_t>(call), 1);
        answer(what);
    }
    /// Refuses the call if the argument is one of the values.
    void refuse_if(long call, std::uint32_t index, Values values) {
        const auto end = begin_rule(call, index);
        for (const auto value : values) {
            skip_unless(value, 1);
            answer(refused);
        }
        end_rule(end);
    }
    /// Refuses the call unless the argument, masked, is one of the values.
    void refuse_unless(long call, std::uint32_t index, Values values,
                       std::uint32_t mask = ~std::uint32_t{0}) {
        const auto end = begin_rule(call, index);
        add({.code = BPF_ALU | BPF_AND | BPF_K, .jt = 0, .jf = 0, .k = mask});
        auto left = static_cast<std::uint8_t>(values.size());
        for (const auto value : values) {
            skip_if(value, left--);
        }
        answer(refused);
        end_rule(end);
    }
    [[nodiscard]] bool install() {
        answer(SECCOMP_RET_ALLOW);
        const sock_fprog program{.len = static_cast<decltype(sock_fprog::len)>(count_),
                                 .filter = code_.data()};
        return count_ < code_.size() && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
    }

private:
    void add(sock_filter instruction) {
        code_.at(count_) = instruction;
        count_ += count_ + 1 < code_.size() ? 1 : 0;  // `install` notices that it is full.
    }
    void load(std::size_t at) {
        add({.code = BPF_LD | BPF_W | BPF_ABS,
             .jt = 0,
             .jf = 0,
             .k = static_cast<std::uint32_t>(at)});
    }
    /// Skips `count` instructions if the loaded value equals `value`.
    void skip_if(std::uint32_t value, std::uint8_t count) {
        add({.code = BPF_JMP | BPF_JEQ | BPF_K, .jt = count, .jf = 0, .k = value});
    }
    void skip_unless(std::uint32_t value, std::uint8_t count) {
        add({.code = BPF_JMP | BPF_JEQ | BPF_K, .jt = 0, .jf = count, .k = value});
    }
    void answer(std::uint32_t action) {
        add({.code = BPF_RET | BPF_K, .jt = 0, .jf = 0, .k = action});
    }
    /// Returns where the jump over the rule is, for `end_rule`.
    std::size_t begin_rule(long call, std::uint32_t index) {
        skip_unless(static_cast<std::uint32_t>(call), 0);
        const auto jump = count_ - 1;
        load(argument_at(index));
        return jump;
    }
    void end_rule(std::size_t jump) {
        load(offsetof(seccomp_data, nr));
        code_.at(jump).jf = static_cast<std::uint8_t>(count_ - jump - 1);
    }

    std::array<sock_filter, 256> code_{};
    std::size_t count_ = 0;
};

}  // namespace

bool forbid_calls() noexcept {
    if (machine == 0) {
        return false;
    }
    const auto own = static_cast<std::uint32_t>(::getpid());
    Filter filter;
    filter.begin();
    for (const auto call : forbidden) {
        filter.answer_always(call, refused);
    }
    filter.answer_always(SYS_clone3, unknown);
    filter.refuse_unless(SYS_clone, 0, {0}, name_spaces);
    filter.refuse_if(SYS_socket, 0, {AF_UNIX});
    filter.refuse_unless(SYS_socketpair, 1, {SOCK_STREAM}, type_of_socket);
    // 0 is its own process, or its own group.
    filter.refuse_unless(SYS_kill, 0, {own, 0});
    filter.refuse_unless(SYS_tgkill, 0, {own, 0});
    filter.refuse_unless(SYS_prlimit64, 0, {own, 0});
    filter.refuse_if(SYS_fcntl, 1, {F_SETOWN, set_signal, set_owner_of_kind});
    filter.refuse_if(SYS_ioctl, 1, {FIOSETOWN, SIOCSPGRP, TIOCSTI});
    return filter.install();
}

}  // namespace merpati::connector::process
