#include "cli/list_command.hpp"

#include <memory>

#include <CLI/App.hpp>
#include <fmt/ranges.h>

#include "cli/arguments.hpp"

namespace merpati::cli {
namespace {

constexpr std::int64_t list_max = 10'000'000;

struct Wish {
    std::string account;
    std::string state;
    std::string limit = "50";
};

std::string target_of(std::string target, const Wish& wish) {
    if (!wish.account.empty()) {
        target += "?account=" + percent_encode(wish.account);
    }
    if (!wish.state.empty()) {
        target += (target.contains('?') ? "&state=" : "?state=") + wish.state;
    }
    return target;
}

void add_filters(CLI::App& command, Wish& wish, std::initializer_list<std::string_view> states) {
    command.add_option("--account", wish.account, "Only of this account: acc_1, or 1")
        ->option_text("ID")
        ->check(not_empty());
    command.add_option("--state", wish.state, "Only in this state")
        ->option_text(fmt::format("{}", fmt::join(states, "|")))
        ->check(one_of(states));
}

}  // namespace

void add_list_command(Program& program, CLI::App& group, const ListCommand& list) {
    auto wish = std::make_shared<Wish>();
    auto& command = program.add_command(
        group, list.text,
        [wish, path = list.path, columns = list.columns,
         when_empty = list.when_empty](Session& session) {
            const auto most = static_cast<std::size_t>(number_of(wish->limit));
            return session.show_list(session.ask_newest(target_of(path, *wish), most), columns,
                                     when_empty);
        });
    add_filters(command, *wish, list.states);
    command.add_option("--limit", wish->limit, "How many at most (50)")
        ->option_text("N")
        ->check(whole_number(1, list_max));
}

void add_export_command(Program& program, CLI::App& group, const ExportCommand& exported) {
    auto wish = std::make_shared<Wish>();
    auto& command =
        program.add_command(group, exported.text, [wish, path = exported.path](Session& session) {
            return session.print_lines(target_of(path, *wish));
        });
    add_filters(command, *wish, exported.states);
}

}  // namespace merpati::cli
