// Records of comma-separated values (RFC 4180).
#pragma once

#include <string>
#include <string_view>

#include <boost/json/value.hpp>

namespace merpati::api::manage {

inline constexpr std::string_view csv_type = "text/csv; charset=utf-8";

/// Appends one cell, with its comma, to the record that `csv` ends with. A record is on one line:
/// control characters become spaces. A text that spreadsheets would take for a formula has an
/// apostrophe before it.
void add_cell(std::string& csv, std::string_view text);

/// The same of a field of a JSON answer: null is an empty cell.
void add_field(std::string& csv, const boost::json::value& field);

/// Ends the record, which has a cell at least.
void end_record(std::string& csv);

}  // namespace merpati::api::manage
