// Chance that depends on campaign and number alone.
#pragma once

#include <cstdint>

#include "model/ids.hpp"

namespace merpati::campaign {

/// A number below `count` (at least 1): uniform, and independent of the draws of other campaigns,
/// numbers and indexes. The same arguments give the same number, in each version of the program.
[[nodiscard]] std::uint64_t draw(model::CampaignId campaign, model::PhoneNumber number,
                                 std::uint32_t index, std::uint64_t count);

}  // namespace merpati::campaign
