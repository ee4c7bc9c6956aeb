// The command line as a whole: which commands there are, which one was asked for.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/console.hpp"
#include "cli/session.hpp"

namespace CLI {
class App;
}

namespace merpati::cli {

/// How a command is introduced. `example` is a whole line, or several.
struct CommandText {
    std::string_view name;
    std::string_view summary;  // One line, for the list and the top of its help.
    std::string_view details;  // Lines of at most 80 columns; may be empty.
    std::string_view example;
    std::string_view section;  // Under which head the program's own help lists it; only there.
};

/// Runs a command; answers the exit code.
using Action = std::function<int(Session&)>;

/// Whether a command has a result to print as JSON.
enum class Output : std::uint8_t { result, none };

/// Operation: the files of commands add themselves in the order of the help; `run`, called once,
/// parses, forgets the commands and calls the chosen action.
///
/// Errors: usage errors are one sentence and a hint on `console.err`, exit code 2. A result that
/// could not be written is a failure, exit code 1.
class Program {
public:
    explicit Program(Console console);
    ~Program();
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    /// A command that only holds others ("account").
    CLI::App& add_group(CLI::App& parent, const CommandText& text);
    /// A command that does something; the caller adds its arguments and options.
    CLI::App& add_command(CLI::App& parent, const CommandText& text, Action action,
                          Output output = Output::result);
    [[nodiscard]] CLI::App& root() noexcept { return *root_; }

    [[nodiscard]] int run(const std::vector<std::string>& arguments);

private:
    void add_global_options(CLI::App& app, std::string_view group);
    [[nodiscard]] int parse(std::vector<std::string> arguments);
    void forget_commands();
    [[nodiscard]] int flush(int code);

    Console console_;
    GlobalOptions options_;
    std::unique_ptr<CLI::App> root_;
    Action* chosen_ = nullptr;
    std::vector<std::unique_ptr<Action>> actions_;
};

/// The whole program with every command.
[[nodiscard]] std::unique_ptr<Program> make_program(Console console);

/// docs/cli.md, made from the commands' own help.
[[nodiscard]] std::string reference_page(const CLI::App& root);

}  // namespace merpati::cli
