#include "cli/list_command.hpp"

#include <memory>

#include <CLI/App.hpp>
#include <fmt/ranges.h>

#include "cli/arguments.hpp"

namespace merpati::cli {
namespace {

constexpr std::int64_t list_max = 10'000'000;

struct Filters {
    std::string account;
    std::string state;
    std::string limit = "50";
};

std::string target_of(std::string target, const Filters& filters) {
    if (!filters.account.empty()) {
        target += "?account=" + percent_encode(filters.account);
    }
    if (!filters.state.empty()) {
        target += (target.contains('?') ? "&state=" : "?state=") + filters.state;
    }
    return target;
}

void add_filters(CLI::App& command, Filters& filters,
                 std::initializer_list<std::string_view> states) {
    command.add_option("--account", filters.account, "Only of this account: acc_1, or 1")
        ->option_text("ID")
        ->check(not_empty());
    command.add_option("--state", filters.state, "Only in this state")
        ->option_text(fmt::format("{}", fmt::join(states, "|")))
        ->check(one_of(states));
}

}  // namespace

void add_list_command(Program& program, CLI::App& group, const ListCommand& list) {
    auto filters = std::make_shared<Filters>();
    auto& command = program.add_command(
        group, list.text,
        [filters, path = list.path, columns = list.columns,
         when_empty = list.when_empty](Session& session) {
            const auto most = static_cast<std::size_t>(number_of(filters->limit));
            return session.show_list(session.ask_newest(target_of(path, *filters), most), columns,
                                     when_empty);
        });
    add_filters(command, *filters, list.states);
    command.add_option("--limit", filters->limit, "How many at most (50)")
        ->option_text("N")
        ->check(whole_number(1, list_max));
}

void add_export_command(Program& program, CLI::App& group, const ExportCommand& exported) {
    auto filters = std::make_shared<Filters>();
    auto& command = program.add_command(group, exported.text,
                                        [filters, path = exported.path](Session& session) {
                                            return session.print_lines(target_of(path, *filters));
                                        });
    add_filters(command, *filters, exported.states);
}

}  // namespace merpati::cli
