// The commands that list or export what there is by the million: newest first, by account and
// state.
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

/// An option that chooses among what there is: a parameter of the operation.
struct FilterOption {
    std::string_view name;  // "--to"
    std::string_view field;
    std::string_view help;
    std::string_view shape;
    ArgumentCheck check;
};

struct ListCommand {
    CommandText text;
    std::string path;  // Of the catalogue: "/messages".
    std::initializer_list<std::string_view> states;
    std::vector<FilterOption> filters{};
    std::span<const Column> columns;  // Must live as long as the program.
    std::string_view when_empty;
};

/// Adds it with the options --account, --state and --limit, and the filters.
void add_list_command(Program& program, CLI::App& group, const ListCommand& list);

struct ExportCommand {
    CommandText text;
    std::string path;  // Of an operation that is streamed: "/messages/export".
    std::initializer_list<std::string_view> states;
    std::vector<FilterOption> filters{};
    std::initializer_list<std::string_view> formats;  // The first is JSON, one record a line.
};

/// Adds it with the options --account, --state and --format, and the filters. Without a limit.
void add_export_command(Program& program, CLI::App& group, const ExportCommand& exported);

}  // namespace merpati::cli
