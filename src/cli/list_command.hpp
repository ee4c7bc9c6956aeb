// Commands that list or export records which can be millions, such as messages: filtered by account
// and state.
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

/// Whose records they are.
struct Subject {
    std::string_view name{};  // An argument that replaces "{}" in the path; empty: --account.
    std::string_view help{};
    bool needs_account = false;  // Whether --account must be given.
};

struct ListCommand {
    CommandText text;
    std::string path;                                // Of the operation: "/messages".
    std::initializer_list<std::string_view> states;  // Empty: there is no --state.
    std::vector<FilterOption> filters{};
    std::span<const Column> columns;  // Must live as long as the program.
    std::string_view when_empty;      // Must live as long as the program.
    Subject subject{};
    RecordView* view = nullptr;  // Null: people read the answer's fields as they are.
};

/// Adds the command with its subject, the options --state and --limit, and the filters.
void add_list_command(Program& program, CLI::App& group, const ListCommand& list);

struct ExportCommand {
    CommandText text;
    std::string path;  // Of an operation with a streamed answer: "/messages/export".
    std::initializer_list<std::string_view> states;
    std::vector<FilterOption> filters{};
    std::initializer_list<std::string_view> formats;  // "ndjson", "csv"; the first is the default.
    Subject subject{};
};

/// Adds the command with its subject, the options --state and --format, and the filters. An export
/// has no limit.
void add_export_command(Program& program, CLI::App& group, const ExportCommand& exported);

}  // namespace merpati::cli
