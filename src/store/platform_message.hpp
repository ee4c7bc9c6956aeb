// A message that its platform took, and what is known of it since.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "model/message.hpp"
#include "model/outcome.hpp"

namespace merpati::store {

struct PlatformMessage {
    model::Message message;
    std::string platform_id;
    std::uint32_t attempts = 0;
    /// In queue time, while the message is handed over; empty once it has ended.
    std::optional<Timestamp> decide_by;
    /// How far it has come, as far as was reported.
    std::optional<model::PlatformStatus> status;
};

}  // namespace merpati::store
