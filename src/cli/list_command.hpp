// The commands that list what there is by the million: newest first, by account and state.
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
    std::string path;  // Of the management API: "/messages".
    std::initializer_list<std::string_view> states;
    std::span<const Column> columns;  // Must live as long as the program.
    std::string_view when_empty;
};

/// Adds it with the options --account, --state and --limit.
void add_list_command(Program& program, CLI::App& group, const ListCommand& list);

}  // namespace merpati::cli
