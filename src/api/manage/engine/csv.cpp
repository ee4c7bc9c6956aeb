#include "api/manage/engine/csv.hpp"

#include <boost/json/serialize.hpp>

#include "base/formula_text.hpp"

namespace merpati::api::manage {
namespace {

/// Where lists are separated by ";", a spreadsheet splits a cell there, whatever is quoted.
constexpr char other_separator = ';';
constexpr std::string_view quoted = ",;\"\r\n";

}  // namespace

void add_cell(std::string& csv, std::string_view text) {
    const bool quotes = text.find_first_of(quoted) != std::string_view::npos;
    csv += quotes ? "\"" : "";
    csv += is_formula(text) ? "'" : "";
    for (std::size_t place = 0; place < text.size(); ++place) {
        const char c = text[place];
        const auto byte = static_cast<unsigned char>(c);
        csv += byte < 0x20 || byte == 0x7f ? ' ' : c;
        csv += c == '"' ? "\"" : "";
        csv += c == other_separator && is_formula(text.substr(place + 1)) ? "'" : "";
    }
    csv += quotes ? "\"," : ",";
}

void add_field(std::string& csv, const boost::json::value& field) {
    if (const auto* text = field.if_string()) {
        add_cell(csv, *text);
    } else {
        add_cell(csv, field.is_null() ? "" : boost::json::serialize(field));
    }
}

void add_fields(std::string& csv, const boost::json::object& fields,
                std::span<const std::string_view> names) {
    for (const auto name : names) {
        add_field(csv, fields.at(name));
    }
}

void end_record(std::string& csv) {
    csv.pop_back();
    csv += "\r\n";
}

}  // namespace merpati::api::manage
