#include "cli/list_command.hpp"

#include <deque>
#include <memory>

#include <CLI/App.hpp>
#include <fmt/ranges.h>

namespace merpati::cli {
namespace {

constexpr std::int64_t list_max = 10'000'000;

struct Filters {
    std::string account;
    std::string state;
    std::string limit = "50";
    std::string format;
    struct Other {
        std::string field;
        std::string value;
    };
    std::deque<Other> others;  // Not a vector: the parser keeps references to the values.
};

std::string target_of(std::string target, const Filters& filters) {
    char joint = '?';
    const auto add = [&](std::string_view field, const std::string& value) {
        if (!value.empty()) {
            target += joint;
            target.append(field).append("=").append(percent_encode(value));
            joint = '&';
        }
    };
    add("account", filters.account);
    add("state", filters.state);
    for (const auto& [field, value] : filters.others) {
        add(field, value);
    }
    add("format", filters.format);
    return target;
}

void add_filters(CLI::App& command, Filters& filters,
                 std::initializer_list<std::string_view> states,
                 const std::vector<FilterOption>& options) {
    command.add_option("--account", filters.account, "Only of this account: acc_1, or 1")
        ->option_text("ID")
        ->check(not_empty());
    command.add_option("--state", filters.state, "Only in this state")
        ->option_text(fmt::format("{}", fmt::join(states, "|")))
        ->check(one_of(states));
    for (const auto& option : options) {
        auto& other = filters.others.emplace_back(std::string{option.field});
        command.add_option(std::string{option.name}, other.value, std::string{option.help})
            ->option_text(std::string{option.shape})
            ->check(option.check);
    }
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
    add_filters(command, *filters, list.states, list.filters);
    command.add_option("--limit", filters->limit, "How many at most (50)")
        ->option_text("N")
        ->check(whole_number(1, list_max));
}

void add_export_command(Program& program, CLI::App& group, const ExportCommand& exported) {
    auto filters = std::make_shared<Filters>();
    const std::string json{*exported.formats.begin()};
    auto& command = program.add_command(
        group, exported.text, [filters, json, path = exported.path](Session& session) {
            const auto target = target_of(path, *filters);
            return filters->format.empty() || filters->format == json
                       ? session.print_lines(target)
                       : session.print_text_lines(target);
        });
    add_filters(command, *filters, exported.states, exported.filters);
    command.add_option("--format", filters->format, fmt::format("The format ({})", json))
        ->option_text(fmt::format("{}", fmt::join(exported.formats, "|")))
        ->check(one_of(exported.formats));
}

}  // namespace merpati::cli
