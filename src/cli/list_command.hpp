// The commands that list or export what there is by the million: newest first, by account and
// state.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "cli/program.hpp"
#include "cli/table.hpp"

namespace merpati::cli {

struct ListCommand {
    CommandText text;
    std::string path;  // Of the catalogue: "/messages".
    std::initializer_list<std::string_view> states;
    std::span<const Column> columns;  // Must live as long as the program.
    std::string_view when_empty;
};

/// Adds it with the options --account, --state and --limit.
void add_list_command(Program& program, CLI::App& group, const ListCommand& list);

struct ExportCommand {
    CommandText text;
    std::string path;  // Of an operation that is streamed: "/messages/export".
    std::initializer_list<std::string_view> states;
};

/// Adds it with the options --account and --state. Prints JSON, one record a line, without a limit.
void add_export_command(Program& program, CLI::App& group, const ExportCommand& exported);

}  // namespace merpati::cli
