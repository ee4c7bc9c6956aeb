#include "connector/process/program/child.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include "connector/process/program/call_filter.hpp"
#include "connector/process/program/ends.hpp"

namespace merpati::connector::process {
namespace {

constexpr int protocol_descriptor = 3;
constexpr int first_spare = 10;  // Above all descriptors that the program gets.
constexpr int exit_not_started = 127;
// RLIMIT_DATA counts reserved addresses too, which are not memory in use. It is therefore set far
// above the watched limit, to stop a program that grows fast between two checks.
constexpr std::uint64_t data_limit_factor = 4;

std::string why(int error) {
    return std::generic_category().message(error);
}

/// What the child needs, prepared before the fork, because the child must not allocate.
struct Prepared {
    std::string file;
    std::string folder;
    std::vector<std::string> command;
    std::vector<char*> arguments;
    std::vector<std::string> variables;
    std::vector<char*> environment;
    FileDescriptor socket, output, nothing, failure, ruleset;
    pid_t parent = 0;
    rlimit data{};
    rlimit file_size{};
    bool is_confined = false;
    int landlock = 0;  // The version of the ruleset.
};

/// What the child reports before it becomes the program, and again if it cannot.
struct Begun {
    int error = 0;  // Why the program cannot be started; 0: it begins.
    bool has_landlock = false;
    bool is_filtered = false;
};

bool move_to(int from, int to) {
    return ::dup2(from, to) == to;
}

/// Runs in the child. Makes only calls that are safe after the fork of a program with threads.
[[noreturn]] void become(Prepared& prepared) {
    Begun begun;
    const auto report = [&] {
        [[maybe_unused]] const auto written =
            ::write(prepared.failure.get(), &begun, sizeof(begun));
    };
    const auto give_up = [&] {
        begun.error = errno;
        report();
        ::_exit(exit_not_started);
    };
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != prepared.parent) {
        ::_exit(exit_not_started);  // The gateway died in between.
    }
    ::setsid();
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    for (int signal = 1; signal < SIGRTMIN; ++signal) {
        ::signal(signal, SIG_DFL);
    }
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::umask(077);  // NOLINT(concurrency-mt-unsafe): the child has one thread.
    const rlimit no_core{};
    ::setrlimit(RLIMIT_CORE, &no_core);
    if (prepared.data.rlim_cur > 0) {
        ::setrlimit(RLIMIT_DATA, &prepared.data);
    }
    if (prepared.file_size.rlim_cur > 0) {
        ::setrlimit(RLIMIT_FSIZE, &prepared.file_size);
    }
    if (::chdir(prepared.folder.c_str()) != 0 || !move_to(prepared.nothing.get(), STDIN_FILENO) ||
        !move_to(prepared.output.get(), STDOUT_FILENO) ||
        !move_to(prepared.output.get(), STDERR_FILENO) ||
        !move_to(prepared.socket.get(), protocol_descriptor) ||
        ::close_range(protocol_descriptor + 1, ~0U, CLOSE_RANGE_CLOEXEC) != 0) {
        give_up();
    }
    // A system that refuses one of these has a weaker worker, and its operator is told so.
    begun.has_landlock = prepared.ruleset.get() >= 0 && confine(prepared.ruleset.get());
    begun.is_filtered = prepared.is_confined && forbid_calls();
    report();
    ::execve(prepared.file.c_str(), prepared.arguments.data(), prepared.environment.data());
    give_up();
    ::_exit(exit_not_started);
}

/// Replaces `copy` by a copy of `number` above the numbers that the program gets, so that dup2 to
/// them closes no other. Errors: io_failed.
Result<void> copy_above(int number, FileDescriptor& copy) {
    copy = FileDescriptor{::fcntl(number, F_DUPFD_CLOEXEC, first_spare)};
    return copy ? Result<void>{}
                : fail(ErrorCode::io_failed, "a descriptor for it cannot be copied: " + why(errno));
}

/// The child's last report. It has ended, or become the program, when the pipe ends.
Begun last_report(int pipe) {
    Begun last{.error = EIO};
    for (;;) {
        Begun next;
        const auto count = ::read(pipe, &next, sizeof(next));
        if (count == static_cast<ssize_t>(sizeof(next))) {
            last = next;
        } else if (count >= 0 || errno != EINTR) {
            return last;
        }
    }
}

/// Opens what the child needs besides the ends of the socket and the pipes. Errors: io_failed.
Result<void> open_files(const Sandbox& sandbox, Prepared& prepared) {
    const FileDescriptor nothing{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
    if (!nothing) {
        return fail(ErrorCode::io_failed, "/dev/null cannot be opened: " + why(errno));
    }
    if (auto copied = copy_above(nothing.get(), prepared.nothing); !copied) {
        return copied;
    }
    errno = 0;
    const auto ruleset = make_ruleset(sandbox);
    if (!ruleset && (errno == EMFILE || errno == ENFILE || errno == ENOMEM)) {
        return fail(ErrorCode::io_failed, "it cannot be confined: " + why(errno));
    }
    prepared.landlock = ruleset ? landlock_version() : 0;
    return ruleset ? copy_above(ruleset.get(), prepared.ruleset) : Result<void>{};
}

/// Prepares all except the ends of the socket and the pipes. Errors: not_found, io_failed.
Result<Prepared> prepare(const Program& program) {
    if (program.command.empty()) {
        return fail(ErrorCode::not_found, "its command is empty");
    }
    auto file = find_program(program.command[0], program.path);
    if (!file) {
        return pass(file);
    }
    Prepared prepared;
    prepared.file = std::move(*file);
    prepared.folder = program.folder;
    prepared.command = program.command;
    for (auto& argument : prepared.command) {
        prepared.arguments.push_back(argument.data());
    }
    prepared.arguments.push_back(nullptr);
    prepared.variables = program.environment;
    prepared.variables.push_back("PATH=" + program.path);
    prepared.variables.emplace_back("LANG=C.UTF-8");
    for (auto& variable : prepared.variables) {
        prepared.environment.push_back(variable.data());
    }
    prepared.environment.push_back(nullptr);
    prepared.parent = ::getpid();
    prepared.data.rlim_cur = prepared.data.rlim_max = program.memory_max * data_limit_factor;
    prepared.is_confined = !program.sandbox.is_empty();
    if (prepared.is_confined) {
        prepared.file_size.rlim_cur = prepared.file_size.rlim_max = program.file_bytes_max;
    }
    if (auto opened = open_files(program.sandbox, prepared); !opened) {
        return pass(opened);
    }
    return prepared;
}

}  // namespace

Result<std::string> find_program(const std::string& name, const std::string& path) {
    const auto is_program = [](const std::string& file) {
        struct stat found{};
        return ::stat(file.c_str(), &found) == 0 && S_ISREG(found.st_mode) &&
               ::access(file.c_str(), X_OK) == 0;
    };
    if (name.contains('/')) {
        return is_program(name) ? Result<std::string>{name}
                                : fail(ErrorCode::not_found,
                                       fmt::format("{} is no program that can be started", name));
    }
    for (std::size_t begin = 0; begin <= path.size();) {
        const auto end = std::min(path.find(':', begin), path.size());
        auto file = path.substr(begin, end - begin) + '/' + name;
        if (end > begin && is_program(file)) {
            return file;
        }
        begin = end + 1;
    }
    return fail(ErrorCode::not_found, fmt::format("the program {} is not found in PATH", name));
}

Result<Child> Child::start(const Program& program) {
    auto ends = worker_ends();
    if (!ends) {
        return pass(ends);
    }
    auto child = start(program, std::move(ends->socket.its), std::move(ends->output.its));
    if (child) {
        child->socket_ = std::move(ends->socket.ours);
        child->output_ = std::move(ends->output.ours);
    }
    return child;
}

Result<Child> Child::start(const Program& program, FileDescriptor socket, FileDescriptor output) {
    auto prepared = prepare(program);
    if (!prepared) {
        return pass(prepared);
    }
    for (const auto& [end, copy] :
         {std::pair{socket.get(), &prepared->socket}, std::pair{output.get(), &prepared->output}}) {
        if (auto copied = copy_above(end, *copy); !copied) {
            return pass(copied);
        }
    }
    std::array<int, 2> failure{};
    if (::pipe2(failure.data(), O_CLOEXEC) != 0) {
        return fail(ErrorCode::io_failed, "a pipe for it cannot be made: " + why(errno));
    }
    const FileDescriptor own_failure{failure[0]};
    FileDescriptor its_failure{failure[1]};
    if (auto copied = copy_above(its_failure.get(), prepared->failure); !copied) {
        return pass(copied);
    }
    its_failure = FileDescriptor{};  // The pipe ends when the child has become the program.

    const pid_t pid = ::fork();
    if (pid == 0) {
        become(*prepared);
    }
    if (pid < 0) {
        return fail(ErrorCode::io_failed, "a process for it cannot be made: " + why(errno));
    }
    prepared->failure = FileDescriptor{};
    const auto begun = last_report(own_failure.get());
    if (begun.error != 0) {
        ::waitpid(pid, nullptr, 0);
        return fail(ErrorCode::io_failed,
                    fmt::format("{} cannot be started: {}", prepared->file, why(begun.error)));
    }
    return Child{pid,
                 {.wanted = prepared->is_confined,
                  .landlock = begun.has_landlock ? prepared->landlock : 0,
                  .filtered = begun.is_filtered},
                 descriptor_of(pid)};
}

Child::~Child() {
    if (pid_ > 0) {
        kill();
        ::waitpid(pid_, nullptr, 0);
    }
}

void Child::kill() noexcept {
    if (pid_ > 0) {
        ::kill(-pid_, SIGKILL);
        ::kill(pid_, SIGKILL);  // In case it has no process group of its own yet.
        kill_session(pid_);
    }
}

std::string Child::reap() {
    siginfo_t ended{};
    if (pid_ <= 0 ||
        ::waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT) != 0 ||
        ended.si_pid != pid_) {
        return {};
    }
    kill();  // Ends what it left behind. Its process id cannot be reused before the wait below.
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
    if (ended.si_code == CLD_EXITED) {
        exit_code_ = ended.si_status;
        return fmt::format("it ended with exit code {}", exit_code_);
    }
    return fmt::format("it was ended by signal {}", ended.si_status);
}

}  // namespace merpati::connector::process
