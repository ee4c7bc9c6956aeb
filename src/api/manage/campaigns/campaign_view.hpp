// Campaigns and their recipients as the catalogue shows them.
#pragma once

#include <optional>
#include <span>
#include <string>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "admission/principal.hpp"
#include "api/manage/engine/call.hpp"
#include "api/manage/engine/context.hpp"
#include "api/texts/language.hpp"
#include "campaign/control.hpp"
#include "campaign/problem.hpp"
#include "model/campaign.hpp"

namespace merpati::api::manage {

/// For a viewer (sees_masked), the texts and the addresses are null. `speed`: of a running one, if
/// it is known.
[[nodiscard]] boost::json::object view(const model::Campaign& campaign,
                                       const admission::Principal& viewer,
                                       const std::optional<campaign::Speed>& speed = {});

/// As the caller sees it now, with the speed that the running server knows.
[[nodiscard]] boost::json::object view_now(const Context& context, const Call& call,
                                           const model::Campaign& campaign);

/// `{"total","pending",…}`
[[nodiscard]] boost::json::object view(const model::CampaignCounts& counts);

/// `columns`: of its campaign. For a viewer, the number is masked, and what was uploaded is null.
[[nodiscard]] boost::json::object view(const model::Recipient& recipient,
                                       std::span<const std::string> columns,
                                       bool is_masked = false);

/// `[{"code","detail","count"}]`, with the details in the language.
[[nodiscard]] boost::json::array view(std::span<const campaign::Problem> problems,
                                      Language language);

/// For the log of changes: without the texts that people get.
[[nodiscard]] boost::json::object log_view(const model::Campaign& campaign);
[[nodiscard]] bool have_same_texts(const model::CampaignPlan& one,
                                   const model::CampaignPlan& other);

}  // namespace merpati::api::manage
