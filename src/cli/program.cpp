#include "cli/program.hpp"

#include <algorithm>
#include <cerrno>
#include <ostream>
#include <set>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <boost/algorithm/string/replace.hpp>
#include <boost/system/system_error.hpp>
#include <fmt/format.h>

#include "base/assert.hpp"
#include "base/printable.hpp"
#include "cli/arguments.hpp"
#include "cli/version.hpp"
#include "config/suggest.hpp"

namespace merpati::cli {
namespace {

constexpr std::size_t column_width = 28;

/// "merpati account create": the path of the deepest command that the parser recognised.
std::string path_of(const CLI::App& app) {
    std::string path = app.get_name();
    for (const auto* at = &app; !at->get_subcommands().empty();) {
        at = at->get_subcommands().front();
        path += " " + at->get_name();
    }
    return path;
}

/// Puts the names of `others` in `text` into their own order: CLI11 lists them by address, and so
/// differently from run to run.
void sort_names(std::string& text, const std::set<CLI::Option*>& others) {
    std::vector<std::string> names;
    names.reserve(others.size());
    for (const auto* other : others) {
        names.push_back(other->get_name());
    }
    const auto listed = fmt::format("{}", fmt::join(names, " "));
    std::ranges::sort(names);
    boost::algorithm::replace_last(text, listed, fmt::format("{}", fmt::join(names, " ")));
}

/// CLI11's help without its double blank lines, and the same in each run.
class HelpFormatter final : public CLI::Formatter {
public:
    std::string make_help(const CLI::App* app, std::string name,
                          CLI::AppFormatMode mode) const override {
        auto help = CLI::Formatter::make_help(app, std::move(name), mode);
        for (auto gap = help.find("\n\n\n"); gap != std::string::npos; gap = help.find("\n\n\n")) {
            help.erase(gap, 1);
        }
        return help;
    }

    std::string make_option_opts(const CLI::Option* option) const override {
        auto text = CLI::Formatter::make_option_opts(option);
        sort_names(text, option->get_needs());
        sort_names(text, option->get_excludes());
        return text;
    }
};

const CLI::App& deepest(const CLI::App& app) {
    const auto* at = &app;
    while (!at->get_subcommands().empty()) {
        at = at->get_subcommands().front();
    }
    return *at;
}

/// What is wrong with the command line, in one sentence.
std::string explain(const CLI::App& root, const CLI::ParseError& error) {
    const auto& app = deepest(root);
    const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
    if (commands.empty() || error.get_name() == "ArgumentMismatch") {
        return error.what();
    }
    std::vector<std::string_view> names;
    names.reserve(commands.size());
    for (const auto* command : commands) {
        names.push_back(command->get_name());
    }
    const auto extras = app.remaining();
    if (extras.empty()) {
        return fmt::format("a command is missing: {}", fmt::join(names, ", "));
    }
    if (extras.front().starts_with('-')) {
        return error.what();
    }
    const auto meant = config::suggest(extras.front(), names);
    return fmt::format("'{}' is not a command{}", extras.front(),
                       meant ? fmt::format("; did you mean {}?", *meant)
                             : fmt::format(": {}", fmt::join(names, ", ")));
}

/// The errno of a failed write. A stream does not keep it, and other calls may have changed errno
/// since, so this writes one more character, which fails for the same reason.
int write_error(std::ostream& out) {
    out.clear();
    errno = 0;
    out.put('\n').flush();
    const int reason = out ? 0 : errno;
    out.setstate(std::ios::badbit);
    return reason;
}

std::string footer_of(const CommandText& text) {
    std::string footer;
    if (!text.details.empty()) {
        footer += fmt::format("{}\n", text.details);
    }
    if (!text.example.empty()) {
        footer += fmt::format("{}Example:\n", footer.empty() ? "" : "\n");
        std::size_t from = 0;
        while (from < text.example.size()) {
            const auto end = std::min(text.example.find('\n', from), text.example.size());
            footer += fmt::format("  {}\n", text.example.substr(from, end - from));
            from = end + 1;
        }
    }
    if (!footer.empty()) {
        footer.pop_back();
    }
    return footer;
}

/// Reports what Boost.JSON throws if a member of an answer is missing or of another type.
int not_understood(Session& session, const std::exception& error) {
    return session.fail(
        ErrorCode::protocol,
        fmt::format("the server's answer is not understood ({}): has it another version than this "
                    "program?",
                    error.what()));
}

}  // namespace

Program::Program(Console console)
    : console_(std::move(console)),
      root_(std::make_unique<CLI::App>(
          "Merpati, a self-hosted messaging gateway that keeps every message it accepts.",
          "merpati")) {
    auto formatter = std::make_shared<HelpFormatter>();
    formatter->column_width(column_width);
    formatter->label("Positionals", "Arguments");
    formatter->label("SUBCOMMAND", "COMMAND");
    formatter->label("OPTIONS", "options");
    root_->formatter(formatter);
    root_->set_help_flag("-h,--help", "Explain the command, and exit");
    root_->set_version_flag("-V,--version", fmt::format("merpati  {}", version),
                            "Print the version, and exit");
    root_->require_subcommand(1);
    add_global_options(*root_, "Options");
    root_->footer(
        "Commands work on a running and on a stopped server's store alike: they ask the server\n"
        "through its Unix socket, or open the store themselves.\n"
        "`merpati COMMAND --help` explains each one. Exit codes: 0 done, 1 failed, 2 usage\n"
        "or settings.");
}

Program::~Program() = default;

CLI::App& Program::add_group(CLI::App& parent, const CommandText& text) {
    auto& app = *parent.add_subcommand(std::string{text.name}, std::string{text.summary});
    app.require_subcommand(1);
    app.group(text.section.empty() ? "Commands" : std::string{text.section});
    app.footer(footer_of(text));
    add_global_options(app, "");
    return app;
}

CLI::App& Program::add_command(CLI::App& parent, const CommandText& text, Action action,
                               Output output) {
    auto& app = *parent.add_subcommand(std::string{text.name}, std::string{text.summary});
    app.group(text.section.empty() ? "Commands" : std::string{text.section});
    app.footer(footer_of(text));
    add_global_options(app, "");
    if (output == Output::result) {
        app.add_flag("--json", options_.json, "Print the result as JSON");
    }
    auto* kept = actions_.emplace_back(std::make_unique<Action>(std::move(action))).get();
    app.callback([this, kept] { chosen_ = kept; });
    return app;
}

int Program::run(const std::vector<std::string>& arguments) {
    int code = parse(joined(arguments));
    if (code == exit_done && chosen_ != nullptr) {
        const auto action = std::move(*chosen_);
        forget_commands();
        Session session{console_, options_};
        try {
            code = action(session);
        } catch (const boost::system::system_error& error) {
            code = not_understood(session, error);
        } catch (const std::logic_error& error) {
            code = not_understood(session, error);
        } catch (const std::exception& error) {
            code = session.fail(ErrorCode::io_failed, error.what());
        }
    }
    return flush(code);
}

/// The parser knows no flag whose value may be left out.
std::vector<std::string> Program::joined(const std::vector<std::string>& arguments) const {
    std::vector<std::string> joined;
    for (const auto& argument : arguments) {
        const auto follows = [&](const auto& row) {
            return !joined.empty() && joined.back() == row.first &&
                   std::ranges::find(row.second, argument) != row.second.end();
        };
        if (std::ranges::any_of(following_, follows)) {
            joined.back() += "=" + argument;
        } else {
            joined.push_back(argument);
        }
    }
    return joined;
}

/// The parser takes half a MiB, which `serve` would otherwise keep as long as it runs.
void Program::forget_commands() {
    root_.reset();
    chosen_ = nullptr;
    actions_.clear();
}

/// A command whose result could not be written has failed, even if its work was done.
int Program::flush(int code) {
    if (console_.out.flush()) {
        return code;
    }
    const int reason = write_error(console_.out);
    if (reason != EPIPE) {  // The reader of a closed pipe has read enough, and knows it.
        console_.err << fmt::format("merpati: the result could not be written{}{}\n",
                                    reason != 0 ? ": " : "",
                                    reason != 0 ? std::generic_category().message(reason) : "");
    }
    return code == exit_done ? exit_failed : code;
}

/// If `chosen_` is null after success, the help or the version was printed.
int Program::parse(std::vector<std::string> arguments) {
    try {
        std::ranges::reverse(arguments);  // As CLI11 wants them.
        root_->parse(std::move(arguments));
        invariant(chosen_ != nullptr, "a parsed command line names a command");
        return exit_done;
    } catch (const CLI::Success& success) {
        chosen_ = nullptr;
        root_->exit(success, console_.out, console_.err);
        return exit_done;
    } catch (const CLI::ParseError& error) {
        console_.err << "merpati: " << printable(explain(*root_, error)) << "\nTry `"
                     << path_of(*root_) << " --help`.\n";
        return exit_usage;
    }
}

/// Every command accepts these options after its name too; only the program's own help lists them.
void Program::add_global_options(CLI::App& app, std::string_view group) {
    app.add_option_function<std::string>(
           "--config", [this](const std::string& file) { options_.config_file = file; },
           "Settings file (TOML); without one: defaults and ./merpati.db")
        ->check(not_empty())
        ->option_text("FILE")
        ->group(std::string{group});
    app.add_option_function<std::vector<std::string>>(
           "--set",
           [this](const std::vector<std::string>& sets) {
               options_.sets.insert(options_.sets.end(), sets.begin(), sets.end());
           },
           "Set one setting, for example http.listen=0.0.0.0:80; repeatable")
        ->option_text("KEY=VALUE")
        ->allow_extra_args(false)
        ->group(std::string{group});
}

}  // namespace merpati::cli
