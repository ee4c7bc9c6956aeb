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

/// A command's name and help. `example` is one or more whole lines.
struct CommandText {
    std::string_view name;
    std::string_view summary;  // One line, for the list and the top of its help.
    std::string_view details;  // Lines of at most 80 columns; may be empty.
    std::string_view example;
    std::string_view section;  // The heading in the program's own help; empty for subcommands.
};

/// Runs a command, and returns the exit code.
using Action = std::function<int(Session&)>;

/// Whether a command has a result to print as JSON.
enum class Output : std::uint8_t { result, none };

/// Operation: commands are added in the order in which the help lists them. `run` parses, destroys
/// the parser, and runs the chosen command. Call it once.
///
/// Errors: a usage error prints one sentence and a hint to `console.err`, exit code 2. If the
/// result cannot be written, the exit code is 1.
class Program {
public:
    explicit Program(Console console);
    ~Program();
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    /// A command that only groups others ("account").
    CLI::App& add_group(CLI::App& parent, const CommandText& text);
    /// A command that does something; the caller adds its arguments and options.
    CLI::App& add_command(CLI::App& parent, const CommandText& text, Action action,
                          Output output = Output::result);
    /// Lets one of these words follow the flag as its value ("--code sms", as "--code=sms"). In
    /// no command may such a word be anything else after that flag. Static texts.
    void let_follow(std::string_view flag, std::vector<std::string_view> words) {
        following_.emplace_back(flag, std::move(words));
    }
    [[nodiscard]] CLI::App& root() noexcept { return *root_; }

    [[nodiscard]] int run(const std::vector<std::string>& arguments);

private:
    void add_global_options(CLI::App& app, std::string_view group);
    [[nodiscard]] int parse(std::vector<std::string> arguments);
    [[nodiscard]] std::vector<std::string> joined(const std::vector<std::string>& arguments) const;
    void forget_commands();
    [[nodiscard]] int flush(int code);

    Console console_;
    GlobalOptions options_;
    std::unique_ptr<CLI::App> root_;
    Action* chosen_ = nullptr;
    std::vector<std::unique_ptr<Action>> actions_;
    std::vector<std::pair<std::string_view, std::vector<std::string_view>>> following_;
};

/// The whole program with every command.
[[nodiscard]] std::unique_ptr<Program> make_program(Console console);

/// The text of docs/cli.md, made from the commands' help.
[[nodiscard]] std::string reference_page(const CLI::App& root);

}  // namespace merpati::cli
