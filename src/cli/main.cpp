#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <iostream>
#include <map>
#include <optional>
#include <poll.h>
#include <string>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>
#include <vector>

#ifdef MERPATI_MIMALLOC
#include <mimalloc.h>
#endif

#include "cli/program.hpp"

namespace {

/// The allocator returns unused memory to the kernel after 10 to 25 ms, and under load needs it
/// again at once: each page costs a fault, and is cleared.
void keep_unused_memory_longer() {
#ifdef MERPATI_MIMALLOC
    constexpr long milliseconds = 500;
#if MI_MALLOC_VERSION >= 210
    mi_option_set(mi_option_purge_delay, milliseconds);
#else
    mi_option_set(mi_option_decommit_delay, milliseconds);
#endif
#endif
}

std::map<std::string, std::string> environment() {
    std::map<std::string, std::string> variables;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view line{*entry};
        const auto equals = line.find('=');
        if (equals != std::string_view::npos) {
            variables.emplace(line.substr(0, equals), line.substr(equals + 1));
        }
    }
    return variables;
}

/// Opens /dev/null in place of a standard descriptor that was closed (`merpati … >&-`). Otherwise
/// the next opened file would get its number, and output could be written into the store. Reading
/// from the replaced input and writing to the replaced output fail.
void occupy_standard_descriptors() {
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
        if (::fcntl(descriptor, F_GETFD) < 0) {
            // `open` returns the lowest free number, which is this one.
            (void)::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        }
    }
}

/// Columns of the terminal on standard output; 0: it is no terminal, or a dumb one.
std::size_t columns(const std::map<std::string, std::string>& environment) {
    const auto terminal = environment.find("TERM");
    const bool is_dumb = terminal == environment.end() || terminal->second == "dumb";
    winsize size{};
    if (is_dumb || ::isatty(STDOUT_FILENO) == 0 || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) {
        return 0;
    }
    return size.ws_col;
}

/// The first line of standard input, unless that is a terminal. A pipe that nobody writes to and
/// nobody closes must not block a command, so it waits 2 s for the first byte. Once that came it
/// waits for the whole line: half a password must not become one.
std::optional<std::string> piped_line() {
    constexpr int patience_ms = 2'000;
    constexpr std::size_t bytes_max = 4'096;
    std::string line;
    while (::isatty(STDIN_FILENO) == 0 && line.size() < bytes_max) {
        pollfd readable{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
        const int ready = ::poll(&readable, 1, line.empty() ? patience_ms : -1);
        char byte = 0;
        const auto count = ready > 0 ? ::read(STDIN_FILENO, &byte, 1) : ready;
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0 || byte == '\n') {
            break;
        }
        line += byte;
    }
    if (line.ends_with('\r')) {
        line.pop_back();
    }
    return line.empty() ? std::nullopt : std::optional{line};
}

}  // namespace

int main(int count, char** arguments) {
    keep_unused_memory_longer();
    occupy_standard_descriptors();
    // If the reader of a pipe ends early (`| head -1`), writing fails instead of ending the
    // process.
    std::signal(SIGPIPE, SIG_IGN);
    auto variables = environment();
    const auto terminal_columns = columns(variables);
    const auto program = merpati::cli::make_program({.out = std::cout,
                                                     .err = std::cerr,
                                                     .environment = std::move(variables),
                                                     .in = &std::cin,
                                                     .piped_line = piped_line,
                                                     .columns = terminal_columns});
    return program->run(std::vector<std::string>(arguments + 1, arguments + count));
}
