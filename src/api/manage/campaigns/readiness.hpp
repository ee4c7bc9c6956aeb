// Whether a campaign can start.
#pragma once

#include <vector>

#include "api/manage/engine/call.hpp"
#include "api/manage/engine/context.hpp"
#include "campaign/check.hpp"

namespace merpati::api::manage {

/// The devices of the campaign's plan that its account has.
[[nodiscard]] std::vector<campaign::CheckedDevice> devices_of(const Context& context,
                                                              const model::Campaign& campaign);

/// Reads the whole audience, and probes files. Errors: those of campaign::check.
[[nodiscard]] Result<campaign::CheckReport> check_now(const Context& context,
                                                      const model::Campaign& campaign);

/// The refusal of a campaign that is not ready: conflict, with the blocking problems of the report
/// (AnswerHead::problems).
[[nodiscard]] std::unexpected<Error> not_ready(Call& call, const model::Campaign& campaign,
                                               const campaign::CheckReport& report);

}  // namespace merpati::api::manage
