#include "connector/process/program/session.hpp"

#include <array>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <string_view>
#include <sys/syscall.h>
#include <unistd.h>

#include <fmt/format.h>

namespace merpati::connector::process {
namespace {

/// The beginning of a file of /proc/PROCESS, null-terminated; empty: the process is gone.
template <std::size_t size>
std::string_view read(pid_t process, const char* name, std::array<char, size>& text) {
    std::array<char, 64> path{};
    std::snprintf(path.data(), path.size(), "/proc/%d/%s", process, name);
    const FileDescriptor file{::open(path.data(), O_RDONLY | O_CLOEXEC)};
    const auto count = ::read(file.get(), text.data(), text.size() - 1);
    text.at(count > 0 ? static_cast<std::size_t>(count) : 0) = '\0';
    return text.data();
}

/// The session of a process; 0: the process is gone.
pid_t session_of(pid_t process) {
    std::array<char, 512> text{};
    const auto stat = read(process, "stat", text);
    // The process's name may hold any characters, blanks and brackets too.
    const auto end = stat.rfind(')');
    pid_t session = 0;
    if (end == std::string_view::npos ||
        std::sscanf(stat.data() + end + 1, " %*c %*d %*d %d", &session) != 1) {
        return 0;
    }
    return session;
}

template <typename Action>
void for_each_member(pid_t leader, const Action& action) {
    const std::unique_ptr<DIR, int (*)(DIR*)> folder{::opendir("/proc"), ::closedir};
    if (folder == nullptr) {
        return;
    }
    // NOLINTNEXTLINE(concurrency-mt-unsafe): each call has a folder of its own.
    while (const auto* entry = ::readdir(folder.get())) {
        pid_t process = 0;
        const auto* const end = entry->d_name + std::strlen(entry->d_name);
        const auto parsed = std::from_chars(entry->d_name, end, process);
        if (parsed.ec == std::errc{} && parsed.ptr == end && session_of(process) == leader) {
            action(process);
        }
    }
}

std::uint64_t resident(pid_t process) {
    std::array<char, 128> text{};
    std::uint64_t pages = 0;
    if (std::sscanf(read(process, "statm", text).data(), "%*u %lu", &pages) != 1) {
        return 0;
    }
    return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

/// The proportional share (Pss) of the process's memory; all of it if the system does not tell.
std::uint64_t proportional(pid_t process) {
    std::array<char, 512> text{};
    const auto rollup = read(process, "smaps_rollup", text);
    const auto line = rollup.find("\nPss:");
    std::uint64_t kib = 0;
    if (line == std::string_view::npos ||
        std::sscanf(rollup.data() + line, "\nPss: %lu kB", &kib) != 1) {
        return resident(process);
    }
    return kib << 10U;
}

}  // namespace

// System calls by number, because not every C library declares them.
FileDescriptor descriptor_of(pid_t process) noexcept {
    return FileDescriptor{static_cast<int>(::syscall(SYS_pidfd_open, process, 0))};
}

std::uint64_t session_memory(pid_t leader, std::uint64_t enough) {
    std::uint64_t sum = 0;
    std::size_t members = 0;
    for_each_member(leader, [&](pid_t process) {
        sum += resident(process);
        ++members;
    });
    if (sum <= enough || members < 2) {
        return sum;
    }
    sum = 0;
    for_each_member(leader, [&](pid_t process) { sum += proportional(process); });
    return sum;
}

std::string excess_of(std::uint64_t bytes, std::uint64_t allowed) {
    return bytes <= allowed ? ""
                            : fmt::format("it has {} MiB in memory, {} are allowed", bytes >> 20U,
                                          allowed >> 20U);
}

void kill_session(pid_t leader) noexcept {
    for_each_member(leader, [&](pid_t process) {
        // The descriptor excludes that another process has taken the number meanwhile.
        const auto held = descriptor_of(process);
        if (held.get() >= 0 && session_of(process) == leader) {
            ::syscall(SYS_pidfd_send_signal, held.get(), SIGKILL, nullptr, 0);
        }
    });
}

}  // namespace merpati::connector::process
