// The argument that names a campaign, and its path.
#pragma once

#include <string>

#include "cli/gateway.hpp"
#include "cli/request_command.hpp"

namespace merpati::cli {

inline const Parameter campaign_id{.name = "ID", .help = "The campaign: cmp_1, or 1"};

/// Of the operations on it.
[[nodiscard]] inline std::string campaign_path(const std::string& id) {
    return "/campaigns/" + percent_encode(id);
}

}  // namespace merpati::cli
