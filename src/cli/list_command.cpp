#include "cli/list_command.hpp"

#include <deque>
#include <memory>

#include <CLI/App.hpp>
#include <fmt/ranges.h>

namespace merpati::cli {
namespace {

constexpr std::int64_t list_max = 10'000'000;

constexpr std::string_view json_lines = "ndjson";

struct Filters {
    std::string subject;
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
    if (!filters.subject.empty()) {
        target.replace(target.find("{}"), 2, percent_encode(filters.subject));
    }
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

void add_subject(CLI::App& command, Filters& filters, const Subject& subject) {
    if (subject.name.empty()) {
        command.add_option("--account", filters.account, "Only of this account: acc_1, or 1")
            ->option_text("ID")
            ->check(not_empty())
            ->required(subject.needs_account);
    } else {
        command.add_option(std::string{subject.name}, filters.subject, std::string{subject.help})
            ->option_text(" ")
            ->check(not_empty())
            ->required();
    }
}

void add_filters(CLI::App& command, Filters& filters,
                 std::initializer_list<std::string_view> states,
                 const std::vector<FilterOption>& options) {
    if (states.size() > 0) {
        command.add_option("--state", filters.state, "Only in this state")
            ->option_text(fmt::format("{}", fmt::join(states, "|")))
            ->check(one_of(states));
    }
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
        [filters, path = list.path, columns = list.columns, view = list.view,
         when_empty = list.when_empty](Session& session) {
            const auto most = static_cast<std::size_t>(number_of(filters->limit));
            auto found = session.ask_newest(target_of(path, *filters), most);
            if (found && view != nullptr && !session.json()) {
                for (auto& record : *found) {
                    record = view(record.as_object());
                }
            }
            return session.show_list(found, columns, when_empty);
        });
    add_subject(command, *filters, list.subject);
    add_filters(command, *filters, list.states, list.filters);
    command.add_option("--limit", filters->limit, "How many at most (50)")
        ->option_text("N")
        ->check(whole_number(1, list_max));
}

void add_export_command(Program& program, CLI::App& group, const ExportCommand& exported) {
    auto filters = std::make_shared<Filters>();
    const std::string standard{*exported.formats.begin()};
    filters->format = standard;
    auto& command = program.add_command(
        group, exported.text, [filters, path = exported.path](Session& session) {
            const auto target = target_of(path, *filters);
            return filters->format == json_lines ? session.print_lines(target)
                                                 : session.print_text_lines(target);
        });
    add_subject(command, *filters, exported.subject);
    add_filters(command, *filters, exported.states, exported.filters);
    command.add_option("--format", filters->format, fmt::format("The format ({})", standard))
        ->option_text(fmt::format("{}", fmt::join(exported.formats, "|")))
        ->check(one_of(exported.formats));
}

}  // namespace merpati::cli
