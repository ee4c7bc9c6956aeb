// Campaigns and people of campaigns as people read them.
#pragma once

#include <array>
#include <string>

#include <boost/json/object.hpp>

#include "cli/table.hpp"

namespace merpati::cli {

/// A campaign, for `campaign_sheet`, `outcome_sheet` and `campaign_columns`.
[[nodiscard]] boost::json::object campaign_view(const boost::json::object& campaign);

/// A contact or a recipient, whose values are one text.
[[nodiscard]] boost::json::object person_view(const boost::json::object& person);

/// The texts of a campaign below its record, with their lines. Empty: it has none.
[[nodiscard]] std::string texts_of(const boost::json::object& campaign);

/// `text` with its lines, without what controls a terminal. Each line is indented by two blanks.
[[nodiscard]] std::string shown_text(std::string_view text);

inline constexpr std::array campaign_sheet{
    Column{"id", "id"},
    Column{"name", "name"},
    Column{"account", "account"},
    Column{"state", "status"},
    Column{"purpose", "purpose"},
    Column{"devices", "devices"},
    Column{"pace", "pace"},
    Column{"quiet hours", "quiet_hours"},
    Column{"time zone", "timezone"},
    Column{"begins at", "schedule_at"},
    Column{"finish by", "finish_by"},
    Column{"media", "media"},
    Column{"typing", "typing"},
    Column{"opt-out", "optout"},
    Column{"consent", "consent"},
    Column{"exclude", "exclude"},
    Column{"frequency", "frequency"},
    Column{"stop rules", "stop_rules"},
    Column{"callback", "callback"},
    Column{"columns", "columns"},
    Column{"recipients", "recipients"},
    Column{"sent", "sent"},
    Column{"not sent", "not_sent"},
    Column{"speed", "speed"},
    Column{"ends at", "ends_at"},
    Column{"created", "created_at"},
    Column{"started", "started_at"},
    Column{"finished", "finished_at"},
};

/// What became of a campaign by an act.
inline constexpr std::array outcome_sheet{
    Column{"id", "id"},
    Column{"name", "name"},
    Column{"state", "status"},
    Column{"begins at", "schedule_at"},
    Column{"recipients", "recipients"},
    Column{"sent", "sent"},
    Column{"not sent", "not_sent"},
};

inline constexpr std::array campaign_columns{
    Column{"ID", "id"},           Column{"NAME", "name"},          Column{"STATE", "status"},
    Column{"DONE", "done"},       Column{"SENT", "sent_count"},    Column{"FAILED", "failed"},
    Column{"ACCOUNT", "account"}, Column{"CREATED", "created_at"},
};

}  // namespace merpati::cli
