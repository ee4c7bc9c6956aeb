// Campaigns and people of campaigns as people read them.
#pragma once

#include <string>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "cli/table.hpp"

namespace merpati::cli {

/// A campaign, for `campaign_sheet`, `outcome_sheet` and `campaign_columns`.
[[nodiscard]] boost::json::object campaign_view(const boost::json::object& campaign);

/// A contact or a recipient, whose values are one text.
[[nodiscard]] boost::json::object person_view(const boost::json::object& person);

/// A field that is a text; empty: it is none.
[[nodiscard]] std::string word(const boost::json::value& field);

/// The texts of a campaign below its record, with their lines. Empty: it has none.
[[nodiscard]] std::string texts_of(const boost::json::object& campaign);

/// `text` with its lines, without what controls a terminal. Each line is indented by two blanks.
[[nodiscard]] std::string shown_text(std::string_view text);

inline constexpr Column campaign_sheet[]{
    "id",
    "name",
    "account",
    {"status", "state"},
    "purpose",
    "devices",
    "pace",
    "quiet_hours",
    {"timezone", "time zone"},
    {"schedule_at", "begins at"},
    "finish_by",
    "media",
    "typing",
    {"optout", "opt-out"},
    "consent",
    "exclude",
    "frequency",
    "stop_rules",
    "callback",
    "columns",
    "recipients",
    "sent",
    "not_sent",
    "speed",
    {"ends_at", "ends at"},
    "created_at",
    "started_at",
    "finished_at",
};

/// What became of a campaign by an act.
inline constexpr Column outcome_sheet[]{
    "id",         "name", {"status", "state"}, {"schedule_at", "begins at"},
    "recipients", "sent", "not_sent"};

inline constexpr Column campaign_columns[]{
    "id",     "name",    {"status", "state"}, "done", {"sent_count", "sent"},
    "failed", "account", "created_at"};

}  // namespace merpati::cli
