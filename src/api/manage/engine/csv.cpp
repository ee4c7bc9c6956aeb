#include "api/manage/engine/csv.hpp"

#include <algorithm>
#include <array>

#include <boost/json/serialize.hpp>

namespace merpati::api::manage {
namespace {

/// What makes a text a formula in a spreadsheet, if it comes first; also as full-width signs.
constexpr auto formula_begins = std::to_array<std::string_view>(
    {"=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20"});
/// Where lists are separated by ";", a spreadsheet splits a cell there, whatever is quoted.
constexpr char other_separator = ';';
constexpr std::string_view quoted = ",;\"\r\n";

bool begins_formula(std::string_view text) {
    return std::ranges::any_of(formula_begins,
                               [text](std::string_view one) { return text.starts_with(one); });
}

/// Blanks and quotes may be dropped by the reader of the cell that begins here.
std::string_view without_wrapping(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \""), text.size()));
    return text;
}

}  // namespace

void add_cell(std::string& csv, std::string_view text) {
    const bool quotes = text.find_first_of(quoted) != std::string_view::npos;
    csv += quotes ? "\"" : "";
    csv += begins_formula(text) || begins_formula(without_wrapping(text)) ? "'" : "";
    for (std::size_t place = 0; place < text.size(); ++place) {
        const char c = text[place];
        const auto byte = static_cast<unsigned char>(c);
        csv += byte < 0x20 || byte == 0x7f ? ' ' : c;
        csv += c == '"' ? "\"" : "";
        const auto rest = text.substr(place + 1);
        const bool begins = begins_formula(rest) || begins_formula(without_wrapping(rest));
        csv += c == other_separator && begins ? "'" : "";
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

void end_record(std::string& csv) {
    csv.pop_back();
    csv += "\r\n";
}

}  // namespace merpati::api::manage
