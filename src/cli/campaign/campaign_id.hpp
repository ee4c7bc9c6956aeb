// The argument that names a campaign, and its path.
#pragma once

#include <string>

#include <CLI/App.hpp>

#include "cli/arguments.hpp"
#include "cli/gateway.hpp"
#include "cli/request_command.hpp"

namespace merpati::cli {

inline const Parameter campaign_id{.name = "ID", .help = "The campaign: cmp_1, or 1"};

/// Adds it to a command that is no row.
inline void add_campaign_id(CLI::App& command, std::string& id) {
    command.add_option("ID", id, campaign_id.help)
        ->option_text(" ")
        ->required()
        ->check(not_empty());
}

/// Of the operations on it.
[[nodiscard]] inline std::string campaign_path(const std::string& id) {
    return "/campaigns/" + percent_encode(id);
}

}  // namespace merpati::cli
