#include "cli/table.hpp"

#include <algorithm>
#include <vector>

#include <boost/algorithm/string/case_conv.hpp>
#include <boost/json/serialize.hpp>

#include "base/printable.hpp"
#include "base/utf8.hpp"

namespace merpati::cli {
namespace {

constexpr std::size_t cell_characters_max = 100;  // Of a table; a record is shown whole.

/// The text of one cell; "-" for null, an empty string or a missing field.
std::string cell(const boost::json::value* value) {
    if (value == nullptr || value->is_null()) {
        return "-";
    }
    if (const auto* string = value->if_string()) {
        return string->empty() ? "-" : printable({string->data(), string->size()});
    }
    if (const auto* boolean = value->if_bool()) {
        return *boolean ? "yes" : "no";
    }
    if (const auto* list = value->if_array(); list != nullptr && !list->empty()) {
        std::string joined;
        for (const auto& one : *list) {
            joined.append(joined.empty() ? "" : ", ").append(cell(&one));
        }
        return joined;
    }
    return printable_json(boost::json::serialize(*value));
}

std::string title_of(const Column& column) {
    if (!column.title.empty()) {
        return std::string{column.title};
    }
    std::string title{column.field};
    if (title.ends_with("_at")) {
        title.resize(title.size() - 3);
    }
    std::ranges::replace(title, '_', ' ');
    return title;
}

const boost::json::value* field(const boost::json::object& record, const Column& column) {
    return record.if_contains({column.field.data(), column.field.size()});
}

/// `text` as a table shows it. One long cell would make every line of the table as long.
std::string shortened(std::string text) {
    if (utf8_characters(text) <= cell_characters_max) {
        return text;
    }
    std::size_t characters = 0;
    const auto end = std::ranges::find_if(text, [&characters](char c) {
        return (static_cast<unsigned char>(c) & 0xc0) != 0x80 &&
               ++characters == cell_characters_max;
    });
    text.erase(end, text.end());
    return text + "…";
}

void append_padded(std::string& out, std::string_view text, std::size_t to) {
    out += text;
    out.append(to - std::min(to, utf8_characters(text)), ' ');
}

using Line = std::vector<std::string>;

std::string join(const std::vector<Line>& lines) {
    std::vector<std::size_t> widths(lines.front().size());
    for (const auto& line : lines) {
        for (std::size_t place = 0; place < line.size(); ++place) {
            widths[place] = std::max(widths[place], utf8_characters(line[place]));
        }
    }
    std::string out;
    for (const auto& line : lines) {
        for (std::size_t place = 0; place + 1 < line.size(); ++place) {
            append_padded(out, line[place], widths[place] + 2);
        }
        out += line.back() + "\n";
    }
    return out;
}

}  // namespace

std::string render_table(const boost::json::array& rows, std::span<const Column> columns,
                         std::string_view when_empty) {
    if (rows.empty()) {
        return std::string{when_empty} + "\n";
    }
    std::vector<Line> lines(1);
    for (const auto& column : columns) {
        lines.front().push_back(boost::algorithm::to_upper_copy(title_of(column)));
    }
    for (const auto& row : rows) {
        auto& line = lines.emplace_back();
        for (const auto& column : columns) {
            line.push_back(row.is_object() ? shortened(cell(field(row.get_object(), column)))
                                           : "-");
        }
    }
    return join(lines);
}

std::string render_record(const boost::json::object& record, std::span<const Column> columns) {
    std::vector<Line> lines;
    for (const auto& column : columns) {
        if (const auto* value = field(record, column)) {
            lines.push_back({title_of(column), cell(value)});
        }
    }
    return lines.empty() ? std::string{} : join(lines);
}

}  // namespace merpati::cli
