// merpati launch-worker
#include <filesystem>
#include <sys/socket.h>

#include <CLI/App.hpp>
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/linked_program.hpp"
#include "connector/process/program/launcher.hpp"
#include "daemon/worker_programs.hpp"

namespace merpati::cli {
namespace {

using WorkerProgram = connector::process::Program;

constexpr int given_connection = 3;  // sd_listen_fds(3)

struct Wish {
    std::vector<std::string> command;  // Empty: the worker of linked devices.
    std::vector<std::string> open;
    std::vector<std::string> write;
};

/// The connection that systemd accepted and passed as descriptor 3. Errors: invalid_argument.
Result<FileDescriptor> take_connection(const Console& console) {
    const auto count = console.environment.find("LISTEN_FDS");
    int type = 0;
    socklen_t size = sizeof(type);
    if (count == console.environment.end() || count->second != "1" ||
        ::getsockopt(given_connection, SOL_SOCKET, SO_TYPE, &type, &size) != 0 ||
        type != SOCK_SEQPACKET) {
        return fail(ErrorCode::invalid_argument,
                    "descriptor 3 is no connection: systemd starts this command, for "
                    "merpati-worker.socket");
    }
    return FileDescriptor{given_connection};
}

Result<WorkerProgram> program_of(const Wish& wish) {
    WorkerProgram program{.command = wish.command,
                          .path = daemon::search_path(),
                          .folder = std::filesystem::current_path()};
    if (!wish.command.empty()) {
        return program;
    }
    auto command = daemon::linked_command({});
    if (!command) {
        return pass(command);
    }
    program.command = std::move(*command);
    program.environment = daemon::linked_environment();
    program.sandbox = daemon::linked_sandbox(program.command, {});
    for (const auto& path : wish.open) {
        program.sandbox.readable.emplace_back(path);
    }
    for (const auto& path : wish.write) {
        program.sandbox.writable.emplace_back(path);
    }
    return program;
}

Result<std::string> examine(const Wish& wish) {
    if (!wish.command.empty()) {
        return connector::process::find_program(wish.command[0], daemon::search_path());
    }
    auto linked = examine_linked({});
    if (linked.good) {
        return fmt::format("{}, {}", linked.found, linked.confinement.text());
    }
    return fail(ErrorCode::not_found, linked.remedy.empty()
                                          ? linked.found
                                          : fmt::format("{}: {}", linked.found, linked.remedy));
}

int run(Session& session, const Wish& wish) {
    const auto connection = take_connection(session.console());
    if (!connection) {
        return session.fail(connection.error());
    }
    const auto launched =
        connector::process::launch(*connection, {.program = [&wish] { return program_of(wish); },
                                                 .examine = [&wish] { return examine(wish); }});
    return launched ? exit_done : session.fail(launched.error());
}

}  // namespace

void add_launch_worker(Program& program) {
    const auto wish = std::make_shared<Wish>();
    auto& command = program.add_command(
        program.root(),
        {.name = "launch-worker",
         .summary = "Run a worker for the server that connects; for systemd",
         .details = "merpati-worker@.service runs it as a user other than the server's, with "
                    "a\nconnection as descriptor 3. It reads no settings. The worker ends when "
                    "the\nserver does, when it takes too much memory, or when it is told to.",
         .example = "merpati launch-worker --open /var/lib/merpati\n"
                    "merpati launch-worker -- python3 /opt/merpati/worker.py",
         .section = section::operation},
        [wish](Session& session) { return run(session, *wish); }, Output::none);
    command
        .add_option("--open", wish->open,
                    "A path that the worker of linked devices may read too; repeatable")
        ->option_text("PATH");
    command
        .add_option("--write", wish->write,
                    "A path below which it may write to files that exist; repeatable")
        ->option_text("PATH");
    command
        .add_option("COMMAND", wish->command,
                    "Another worker and its arguments; default: the worker of linked devices")
        ->option_text(" ");
}

}  // namespace merpati::cli
