// Checks the values of a campaign's options, and turns them into fields of the catalogue.
#pragma once

#include <string>

#include <boost/json/value.hpp>

#include "cli/arguments.hpp"

namespace merpati::cli {

/// "20:00-08:00"
[[nodiscard]] ArgumentCheck quiet_hours();
[[nodiscard]] boost::json::value as_quiet_hours(const std::string& text);

/// "3/7d": 3 messages in 7 days.
[[nodiscard]] ArgumentCheck message_frequency();
[[nodiscard]] boost::json::value as_frequency(const std::string& text);

/// "cmp_1,cmp_2,30d": who got a message of these campaigns, or of any within 30 days.
[[nodiscard]] ArgumentCheck exclusion();
[[nodiscard]] boost::json::value as_exclusion(const std::string& text);

/// "failures=20,unregistered=30,opt-outs=5"
[[nodiscard]] ArgumentCheck stop_rules();
[[nodiscard]] boost::json::value as_stop_rules(const std::string& text);

/// "NAME/LANGUAGE"
[[nodiscard]] ArgumentCheck template_name();

}  // namespace merpati::cli
