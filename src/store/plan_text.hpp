// Plans of campaigns, and lists of texts, as the JSON that engines store.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/campaign.hpp"
#include "model/message.hpp"

namespace merpati::store {

/// Limits: what is read back was written by this program, or by damage: a text that is larger than
/// `plan_bytes_max`, that is no JSON, or that has other fields or types than the functions here
/// write, is refused.
inline constexpr std::size_t plan_bytes_max = 1'048'576;

[[nodiscard]] std::string plan_text(const model::CampaignPlan& plan);
[[nodiscard]] std::optional<model::CampaignPlan> plan_of(std::string_view text);

[[nodiscard]] std::string list_text(std::span<const std::string> texts);
[[nodiscard]] std::optional<std::vector<std::string>> list_of(std::string_view text);

/// As a list of name, language and values where it fills nothing but its body, which most do and
/// earlier versions wrote.
[[nodiscard]] std::string template_text(const model::FilledTemplate& filled);
[[nodiscard]] std::optional<model::FilledTemplate> template_of(std::string_view text);

using NamedTexts = std::vector<std::pair<std::string, std::string>>;
[[nodiscard]] std::string named_text(const NamedTexts& values);
[[nodiscard]] std::optional<NamedTexts> named_of(std::string_view text);

}  // namespace merpati::store
