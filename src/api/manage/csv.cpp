#include "api/manage/csv.hpp"

#include <boost/json/serialize.hpp>

namespace merpati::api::manage {
namespace {

constexpr std::string_view formula_begins = "=+-@\t\r";
constexpr std::string_view quoted = ",\"\r\n";

}  // namespace

void add_cell(std::string& csv, std::string_view text) {
    const bool is_formula = !text.empty() && formula_begins.contains(text.front());
    const bool quotes = text.find_first_of(quoted) != std::string_view::npos;
    csv += quotes ? "\"" : "";
    csv += is_formula ? "'" : "";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        csv += byte < 0x20 || byte == 0x7f ? ' ' : c;
        csv += c == '"' ? "\"" : "";
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
