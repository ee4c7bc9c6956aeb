// Formats results for people: lists as tables, records as lines.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace merpati::cli {

/// A field of the record's JSON, and its title. Without a title of its own it has its name: "next
/// attempt" for "next_attempt_at", in a table "NEXT ATTEMPT".
struct Column {
    constexpr Column(const char* name, std::string_view shown = {}) : field(name), title(shown) {}

    std::string_view field;
    std::string_view title;  // In lower case; tables change it. Empty: see above.
};

/// Makes of a record what people read: other fields, with texts for objects.
using RecordView = boost::json::object(const boost::json::object& record);

/// A table with a line of titles; each column is as wide as its widest cell. Cells are cut at 100
/// characters, with an ellipsis. An empty list is the sentence `when_empty`.
[[nodiscard]] std::string render_table(const boost::json::array& rows,
                                       std::span<const Column> columns,
                                       std::string_view when_empty);

/// One field a line, with aligned titles and whole values. A column whose field is missing is left
/// out.
[[nodiscard]] std::string render_record(const boost::json::object& record,
                                        std::span<const Column> columns);

}  // namespace merpati::cli
