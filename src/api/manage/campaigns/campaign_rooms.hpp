// What handlers of campaigns use in addition to the store.
#pragma once

#include <cstdint>
#include <functional>

namespace merpati::campaign {
class Control;
class OptOutLinks;
class Uploads;
}  // namespace merpati::campaign

namespace merpati::api::manage {

struct CampaignRooms {
    campaign::Control& control;
    campaign::Uploads& uploads;
    /// Their address is known once the server listens.
    std::function<const campaign::OptOutLinks&()> links;
    std::function<std::uint64_t()> operations{};  // As campaign::ImportMeans::operations.
};

}  // namespace merpati::api::manage
