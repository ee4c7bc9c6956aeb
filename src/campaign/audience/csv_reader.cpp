#include "campaign/audience/csv_reader.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "campaign/audience/upload.hpp"

namespace merpati::campaign {
namespace {

constexpr bool is_blank(char byte) noexcept {
    return byte == ' ' || byte == '\t';
}

constexpr bool is_line_end(char byte) noexcept {
    return byte == '\n' || byte == '\r';
}

}  // namespace

std::string_view without_blanks(std::string_view text) noexcept {
    constexpr std::string_view blanks = " \t\r\n";
    const auto first = std::min(text.find_first_not_of(blanks), text.size());
    text.remove_prefix(first);
    return text.substr(0, text.find_last_not_of(blanks) + 1);
}

Result<void> CsvReader::take(std::string_view text, const Sink& sink) {
    while (!text.empty()) {
        const auto length = plain_length(text);
        if (length > 0) {
            after_return_ = false;
            row_bytes_ += length;
            if (auto appended = append(text.substr(0, length)); !appended) {
                return appended;
            }
            text.remove_prefix(length);
            continue;
        }
        if (auto taken = take_byte(text.front(), sink); !taken) {
            return taken;
        }
        text.remove_prefix(1);
    }
    return {};
}

Result<void> CsvReader::finish(const Sink& sink) {
    if (place_ == Place::quoted) {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("line {}: a quote opens a cell and is never closed: close it, or "
                                "put the whole cell in quotes and double those within it",
                                cell_line_));
    }
    return end_row(sink);
}

/// How many bytes at the beginning continue a plain or quoted cell.
std::size_t CsvReader::plain_length(std::string_view text) const {
    if (place_ != Place::plain && place_ != Place::quoted) {
        return 0;
    }
    const auto quoted = place_ == Place::quoted;
    const auto* end = std::ranges::find_if(text, [&](char byte) {
        return is_line_end(byte) || (quoted ? byte == '"' : byte == delimiter_);
    });
    return static_cast<std::size_t>(end - text.begin());
}

Result<void> CsvReader::take_byte(char byte, const Sink& sink) {
    if (is_line_end(byte)) {
        const bool is_second = byte == '\n' && after_return_;
        after_return_ = byte == '\r';
        if (is_second) {
            return {};
        }
        ++line_;
        if (place_ == Place::quoted) {
            spans_lines_ = true;
            ++row_bytes_;
            return append("\n");
        }
        return end_row(sink);
    }
    after_return_ = false;
    ++row_bytes_;
    if (place_ == Place::quoted) {  // Then it is a quote.
        place_ = Place::closing;
        return {};
    }
    if (byte == delimiter_) {
        return end_cell();
    }
    if (byte == '"' && place_ == Place::closing) {
        place_ = Place::quoted;
        return append("\"");
    }
    if (byte == '"' && place_ == Place::beginning) {
        row_.resize(cell_begin_);
        cell_line_ = line_;
        place_ = Place::quoted;
        return {};
    }
    if (is_blank(byte)) {
        place_ = place_ == Place::closing ? Place::trailing : place_;
        return append({&byte, 1});
    }
    if (spans_lines_) {
        return fail(
            ErrorCode::invalid_argument,
            fmt::format("line {}: a quote opens a cell that does not end at a closing quote "
                        "in line {}: close it before the end of its line, or double the "
                        "quotes within the cell",
                        cell_line_, line_));
    }
    place_ = Place::plain;
    return append({&byte, 1});
}

Result<void> CsvReader::append(std::string_view text) {
    if (row_.size() - cell_begin_ + text.size() > upload_cell_bytes_max) {
        return fail(
            ErrorCode::invalid_argument,
            fmt::format("line {}: a cell has more than {} bytes: shorten it; perhaps a quote is "
                        "not closed",
                        place_ == Place::quoted ? cell_line_ : line_, upload_cell_bytes_max));
    }
    row_ += text;
    return {};
}

Result<void> CsvReader::end_cell() {
    if (row_bytes_ > upload_row_bytes_max) {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("line {}: the row has more than {} bytes: remove columns that no "
                                "message needs",
                                row_line_, upload_row_bytes_max));
    }
    if (ends_.size() < upload_columns_max) {
        ends_.push_back(row_.size());
    } else if (without_blanks(std::string_view{row_}.substr(cell_begin_)).empty()) {
        row_.resize(cell_begin_);
    } else {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("line {}: the row has more than {} columns: remove those that no "
                                "message needs",
                                row_line_, upload_columns_max));
    }
    cell_begin_ = row_.size();
    place_ = Place::beginning;
    spans_lines_ = false;
    return {};
}

Result<void> CsvReader::end_row(const Sink& sink) {
    if (auto ended = end_cell(); !ended) {
        return ended;
    }
    cells_.clear();
    std::size_t begin = 0;
    for (const auto end : ends_) {
        cells_.push_back(without_blanks(std::string_view{row_}.substr(begin, end - begin)));
        begin = end;
    }
    const bool has_text = std::ranges::any_of(cells_, [](auto cell) { return !cell.empty(); });
    auto taken = has_text ? sink(Row{.line = row_line_, .cells = cells_}) : Result<void>{};
    row_.clear();
    ends_.clear();
    cell_begin_ = 0;
    row_bytes_ = 0;
    row_line_ = line_;
    return taken;
}

}  // namespace merpati::campaign
