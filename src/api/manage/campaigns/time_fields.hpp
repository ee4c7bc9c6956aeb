// Times as people write them for a campaign.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace merpati::api::manage {

/// "20:00", as minutes after midnight. Empty: it has another form.
[[nodiscard]] std::optional<std::chrono::minutes> parse_time_of_day(std::string_view text) noexcept;

/// "20:00"
[[nodiscard]] std::string time_of_day_text(std::chrono::minutes time);

}  // namespace merpati::api::manage
