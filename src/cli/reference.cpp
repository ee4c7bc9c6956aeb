// Makes docs/cli.md from the commands' help.
#include <CLI/App.hpp>
#include <fmt/format.h>

#include "cli/program.hpp"

namespace merpati::cli {
namespace {

constexpr std::string_view head =
    "# The command line\n"
    "\n"
    "Made from the commands' own help (`merpati COMMAND --help`); a test holds the two together.\n"
    "What the settings mean is in [configuration.md](configuration.md); the same operations over\n"
    "HTTP are in [catalogue.md](catalogue.md).\n";

void append_help(std::string& page, const CLI::App& app, const std::string& parent) {
    const auto path = parent.empty() ? app.get_name() : parent + " " + app.get_name();
    const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
    page += fmt::format("\n## {}\n\n```\n{}```\n", path, app.help(parent));
    for (const auto* command : commands) {
        append_help(page, *command, path);
    }
}

}  // namespace

std::string reference_page(const CLI::App& root) {
    std::string page{head};
    append_help(page, root, "");
    return page;
}

}  // namespace merpati::cli
