// Records of comma-separated values (RFC 4180).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace merpati::api::manage {

inline constexpr std::string_view csv_type = "text/csv; charset=utf-8";

/// Appends one cell and a comma to the record at the end of `csv`. A record is one line, so control
/// characters become spaces. A text that a spreadsheet would take for a formula gets an apostrophe
/// before it, also after ";", where some spreadsheets begin a cell.
void add_cell(std::string& csv, std::string_view text);

/// The same for a field of a JSON answer; null is an empty cell.
void add_field(std::string& csv, const boost::json::value& field);

/// A cell for each of the texts.
template <class Texts>
void add_cells(std::string& csv, const Texts& texts) {
    for (const auto& text : texts) {
        add_cell(csv, text);
    }
}

/// A cell for each of the names: the field of this name, which must be there.
void add_fields(std::string& csv, const boost::json::object& fields,
                std::span<const std::string_view> names);

/// Ends the record, which must have at least one cell.
void end_record(std::string& csv);

}  // namespace merpati::api::manage
