// The options of `merpati campaign create` and `edit`: what a campaign sends, to whom, and when.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/request_command.hpp"

namespace merpati::cli {

enum class PlanUse : std::uint8_t { create, edit };

/// `first`, the account or the campaign, and the options, in the order of the help.
///
/// Limits: a file of a text has at most 16,384 bytes, as the text.
[[nodiscard]] std::vector<Parameter> with_plan_options(Parameter first, PlanUse use);

/// "--per-minute"
[[nodiscard]] Parameter pace_option(std::string help);

/// "FILE", or "FILE=WEIGHT" with a weight from 1 to 1,000.
struct VariantFile {
    std::string path;
    int weight = 1;
};
[[nodiscard]] VariantFile parse_variant_file(const std::string& text);

}  // namespace merpati::cli
