#include "campaign/audience/csv_upload.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/formula_text.hpp"
#include "base/utf8.hpp"
#include "campaign/audience/column_names.hpp"
#include "campaign/audience/number_text.hpp"

namespace merpati::campaign {
namespace {

/// A piece of any size is read in parts of this size, so that memory is bounded.
constexpr std::size_t part_bytes = 16'384;

/// Removes the apostrophe that an export sets before what a spreadsheet takes for a formula, at the
/// beginning and after ";".
void without_guards(std::string& text) {
    for (std::size_t place = 0; place < text.size(); ++place) {
        const bool begins = place == 0 || text[place - 1] == ';';
        if (begins && text[place] == '\'' && is_formula(std::string_view{text}.substr(place + 1))) {
            text.erase(place, 1);
        }
    }
}

}  // namespace

Result<void> CsvUpload::take(std::string_view piece, const Sink& sink) {
    while (!piece.empty()) {
        const auto part = piece.substr(0, part_bytes);
        piece.remove_prefix(part.size());
        if (auto decoded = decoder_.take(part, text_); !decoded) {
            return decoded;
        }
        if (!reader_ && text_.size() < sample_bytes) {
            continue;
        }
        if (auto taken = reader_ ? read(text_, sink) : begin(false, sink); !taken) {
            return taken;
        }
        text_.clear();
    }
    return {};
}

Result<void> CsvUpload::finish(const Sink& sink) {
    if (auto decoded = decoder_.finish(text_); !decoded) {
        return decoded;
    }
    const bool is_whole = text_.size() <= sample_bytes;
    if (auto taken = reader_ ? read(text_, sink) : begin(is_whole, sink); !taken) {
        return taken;
    }
    return reader_->finish([&](const CsvReader::Row& row) { return take_row(row, sink); });
}

Result<void> CsvUpload::begin(bool is_whole, const Sink& sink) {
    const std::string_view text = text_;
    auto shape = shape_of(text.substr(0, sample_bytes), is_whole, options_);
    if (!shape) {
        return pass(shape);
    }
    reader_.emplace(shape->delimiter, shape->first_line);
    number_column_ = shape->number_column;
    skips_row_ = shape->has_header;
    is_export_ = shape->is_export;
    name_columns(*shape);
    return read(text.substr(shape->skipped_bytes), sink);
}

Result<void> CsvUpload::read(std::string_view text, const Sink& sink) {
    return reader_->take(text, [&](const CsvReader::Row& row) { return take_row(row, sink); });
}

void CsvUpload::name_columns(const FileShape& shape) {
    places_.resize(upload_columns_max);
    for (std::size_t cell = 0; cell < upload_columns_max; ++cell) {
        bool is_used = cell == number_column_;
        for (std::size_t row = shape.has_header ? 1 : 0; row < shape.rows.size(); ++row) {
            is_used = is_used || (cell < shape.rows[row].size() && !shape.rows[row][cell].empty());
        }
        const auto& header = shape.rows.front();
        auto name =
            shape.has_header && cell < header.size() ? column_name(header[cell]) : std::string{};
        if (!name.empty()) {
            places_[cell] = columns_.size();
            append_column(columns_, std::move(name));
        } else if (is_used) {
            (void)place_of(cell);
        }
    }
}

/// Where the values of a cell are, which may need a new column.
std::size_t CsvUpload::place_of(std::size_t cell) {
    if (!places_[cell]) {
        places_[cell] = columns_.size();
        append_column(columns_, std::to_string(cell + 1));
    }
    return *places_[cell];
}

Result<void> CsvUpload::take_row(const CsvReader::Row& row, const Sink& sink) {
    if (std::exchange(skips_row_, false)) {
        return {};
    }
    UploadRow taken;
    taken.values.resize(columns_.size());
    for (std::size_t cell = 0; cell < row.cells.size(); ++cell) {
        auto text = cells_.text_of(row.cells[cell]);
        if (!text) {
            return pass(text);
        }
        if (text->size() > upload_cell_bytes_max) {
            return fail(ErrorCode::invalid_argument,
                        fmt::format("line {}: a cell has more than {} bytes in UTF-8: shorten it",
                                    row.line, upload_cell_bytes_max));
        }
        if (cell == number_column_) {
            const auto read = read_number(*text, options_.country);
            taken.number = read.number;
            taken.is_rounded = read.is_rounded;
            taken.original = utf8_prefix(*text, original_bytes_max);
        }
        if (is_export_) {
            without_guards(*text);
        }
        if (text->empty()) {
            continue;
        }
        const auto place = place_of(cell);
        taken.values.resize(columns_.size());
        taken.values[place] = value_text(std::move(*text));
    }
    return sink(std::move(taken));
}

}  // namespace merpati::campaign
