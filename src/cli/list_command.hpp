// Commands that list or export messages and callbacks, which can be millions: newest first,
// filtered by account and state.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/program.hpp"
#include "cli/table.hpp"

namespace merpati::cli {

/// An option that filters the list: a query parameter of the operation.
struct FilterOption {
    std::string_view name;  // "--to"
    std::string_view field;
    std::string_view help;
    std::string_view shape;
    ArgumentCheck check;
};

struct ListCommand {
    CommandText text;
    std::string path;  // Of the operation: "/messages".
    std::initializer_list<std::string_view> states;
    std::vector<FilterOption> filters{};
    std::span<const Column> columns;  // Must live as long as the program.
    std::string_view when_empty;      // Must live as long as the program.
};

/// Adds the command with the options --account, --state and --limit, and the filters.
void add_list_command(Program& program, CLI::App& group, const ListCommand& list);

struct ExportCommand {
    CommandText text;
    std::string path;  // Of an operation with a streamed answer: "/messages/export".
    std::initializer_list<std::string_view> states;
    std::vector<FilterOption> filters{};
    std::initializer_list<std::string_view> formats;  // The first is JSON, one record a line.
};

/// Adds the command with the options --account, --state and --format, and the filters. An export
/// has no limit.
void add_export_command(Program& program, CLI::App& group, const ExportCommand& exported);

}  // namespace merpati::cli
