#include "campaign/audience/file_shape.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/ascii.hpp"
#include "campaign/audience/column_names.hpp"
#include "campaign/audience/contact_columns.hpp"
#include "campaign/audience/csv_reader.hpp"
#include "campaign/audience/number_text.hpp"
#include "campaign/audience/text_decoder.hpp"
#include "campaign/text/column_name.hpp"

namespace merpati::campaign {
namespace {

constexpr std::size_t sample_rows_max = 200;
constexpr std::size_t header_digits_max = 3;

// In the order of preference.
constexpr std::string_view delimiters = ";\t,|";

Result<void> check_is_text(std::string_view sample) {
    if (sample.starts_with("PK\x03\x04") || sample.starts_with("\xD0\xCF\x11\xE0")) {
        return fail(ErrorCode::invalid_argument,
                    "this is a workbook (.xlsx, .xls or .ods), not a CSV file: save it as \"CSV "
                    "UTF-8\" in the spreadsheet program and upload that");
    }
    if (sample.contains('\0') || sample.starts_with("%PDF-") || sample.starts_with("\x1F\x8B")) {
        return fail(ErrorCode::invalid_argument,
                    "this is not a text file: upload a CSV file in UTF-8, or in UTF-16 with a "
                    "byte-order mark");
    }
    return {};
}

/// Reads a first line "sep=;", also in quotes.
std::optional<char> take_separator_line(std::string_view sample, FileShape& shape) {
    const auto end = sample.find_first_of("\r\n");
    auto line = sample.substr(0, end);
    if (line.starts_with('"') && line.ends_with('"') && line.size() > 1) {
        line = line.substr(1, line.size() - 2);
    }
    constexpr std::string_view words = "sep=";
    const bool is_one = line.size() == words.size() + 1 &&
                        equals_ignoring_case(line.substr(0, words.size()), words) &&
                        delimiters.contains(line.back());
    if (!is_one) {
        return std::nullopt;
    }
    shape.skipped_bytes = std::min(end, sample.size());
    if (end != std::string_view::npos) {
        shape.skipped_bytes += sample.substr(end).starts_with("\r\n") ? 2 : 1;
    }
    shape.first_line = 2;
    return line.back();
}

/// Gives the first rows to `sink`, until one has a mistake. Answers the mistake.
Result<void> read_first_rows(std::string_view text, bool is_whole, char delimiter,
                             std::uint64_t first_line, const CsvReader::Sink& sink) {
    std::size_t count = 0;
    CsvReader reader{delimiter, first_line};
    const auto take = [&](const CsvReader::Row& row) -> Result<void> {
        return ++count <= sample_rows_max ? sink(row) : Result<void>{};
    };
    auto read = reader.take(text, take);
    return read && is_whole ? reader.finish(take) : read;
}

char find_delimiter(std::string_view text, bool is_whole) {
    char best = ',';
    std::pair<std::size_t, std::size_t> best_score{0, 1};
    for (const auto delimiter : delimiters) {
        std::size_t first = 0;
        std::size_t alike = 0;
        (void)read_first_rows(text, is_whole, delimiter, 1,
                              [&](const CsvReader::Row& row) -> Result<void> {
                                  first = first == 0 ? row.cells.size() : first;
                                  alike += row.cells.size() == first ? 1U : 0U;
                                  return {};
                              });
        const std::pair score{first > 1 ? alike : 0, first};
        if (score > best_score) {
            best_score = score;
            best = delimiter;
        }
    }
    return best;
}

/// What the cells of a column are.
struct ColumnTally {
    std::size_t filled = 0;
    std::size_t possible = 0;
    std::size_t rounded = 0;
    std::size_t points = 0;

    [[nodiscard]] bool is_mostly_numbers() const {
        return filled > 0 && (possible + rounded) * 2 >= filled;
    }
    [[nodiscard]] double score() const {
        return filled == 0 ? 0.0 : static_cast<double>(points) / static_cast<double>(filled);
    }
};

std::vector<ColumnTally> tallies_of(const FileShape& shape, const UploadOptions& options) {
    std::vector<ColumnTally> tallies(upload_columns_max);
    const bool skips_first = options.header.value_or(shape.rows.size() > 1);
    for (std::size_t row = skips_first ? 1 : 0; row < shape.rows.size(); ++row) {
        for (std::size_t column = 0; column < shape.rows[row].size(); ++column) {
            const auto& cell = shape.rows[row][column];
            const auto read = read_number(cell, options.country);
            auto& tally = tallies[column];
            tally.filled += cell.empty() ? 0U : 1U;
            tally.possible += read.number ? 1U : 0U;
            tally.rounded += read.is_rounded ? 1U : 0U;
            tally.points += read.is_typical ? 4U : read.number || read.is_rounded ? 1U : 0U;
        }
    }
    return tallies;
}

Result<std::size_t> named_column(const FileShape& shape, const UploadOptions& options) {
    const auto& wanted = *options.number_column;
    if (options.header.value_or(true)) {
        if (const auto found = find_column(shape.rows.front(), wanted)) {
            return *found;
        }
    }
    std::size_t widest = 0;
    for (const auto& row : shape.rows) {
        widest = std::max(widest, row.size());
    }
    std::size_t position = 0;
    const auto* end = wanted.data() + wanted.size();
    const auto read = std::from_chars(wanted.data(), end, position);
    if (read.ec != std::errc{} || read.ptr != end || position == 0 || position > widest) {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("the upload has no column '{}': `number_column` is a name of its "
                                "first row, or a position from 1",
                                wanted));
    }
    return position - 1;
}

/// The column that `rank` puts highest, the leftmost of equals; empty: no rank is above Rank{}.
template <class Rank, class RankOf>
std::optional<std::size_t> best_column(RankOf rank_of) {
    std::optional<std::size_t> best;
    Rank highest{};
    for (std::size_t column = 0; column < upload_columns_max; ++column) {
        if (const auto rank = rank_of(column); rank > highest) {
            highest = rank;
            best = column;
        }
    }
    return best;
}

Result<std::size_t> find_number_column(const FileShape& shape, const UploadOptions& options) {
    const auto tallies = tallies_of(shape, options);
    const auto& first = shape.rows.front();
    const auto name_of = [&](std::size_t column) {
        const bool has_name = options.header.value_or(true) && column < first.size();
        return has_name ? number_name(first[column]) : NumberName::none;
    };
    using Rank = std::pair<NumberName, double>;
    const auto by_name = [&](std::size_t column) -> Rank {
        const auto& tally = tallies[column];
        const auto name = name_of(column);
        const bool is_enough =
            name > NumberName::plain ? tally.possible > 0 : tally.is_mostly_numbers();
        return is_enough && name != NumberName::none ? Rank{name, tally.score()} : Rank{};
    };
    const auto by_content = [&](std::size_t column) {
        return tallies[column].is_mostly_numbers() ? tallies[column].score() : 0.0;
    };
    const auto by_name_alone = [&](std::size_t column) {
        const auto name = name_of(column);
        return name > NumberName::weak ? name : NumberName::none;
    };
    auto found = best_column<Rank>(by_name);
    if (!found) {
        found = best_column<double>(by_content);
    }
    if (!found) {
        found = best_column<NumberName>(by_name_alone);
    }
    if (!found) {
        return fail(ErrorCode::invalid_argument,
                    "no column has phone numbers: say in `number_column` which one it is, by its "
                    "name or its position");
    }
    return *found;
}

Result<void> read_sample(std::string_view text, bool is_whole, FileShape& shape) {
    CellDecoder decoder;
    auto read = read_first_rows(text, is_whole, shape.delimiter, shape.first_line,
                                [&](const CsvReader::Row& row) -> Result<void> {
                                    auto& cells = shape.rows.emplace_back();
                                    for (const auto cell : row.cells) {
                                        auto decoded = decoder.text_of(cell);
                                        if (!decoded) {
                                            return pass(decoded);
                                        }
                                        cells.push_back(std::move(*decoded));
                                    }
                                    return {};
                                });
    if (!shape.rows.empty()) {
        return {};
    }
    if (!read) {
        return read;
    }
    return fail(ErrorCode::invalid_argument, "the upload has no rows");
}

bool is_header(const FileShape& shape, std::string_view country) {
    const auto& first = shape.rows.front();
    return shape.number_column >= first.size() ||
           read_number(first[shape.number_column], country).digits <= header_digits_max;
}

bool begins_as_export(const std::vector<std::string>& first) {
    return first.size() >= exported_columns.size() &&
           std::ranges::equal(exported_columns, std::span{first}.first(exported_columns.size()));
}

}  // namespace

Result<FileShape> shape_of(std::string_view sample, bool is_whole, const UploadOptions& options) {
    if (auto checked = check_is_text(sample); !checked) {
        return pass(checked);
    }
    FileShape shape;
    const auto separator = take_separator_line(sample, shape);
    const auto text = sample.substr(shape.skipped_bytes);
    shape.delimiter = options.delimiter ? *options.delimiter
                      : separator       ? *separator
                                        : find_delimiter(text, is_whole);
    if (auto read = read_sample(text, is_whole, shape); !read) {
        return pass(read);
    }
    shape.is_export = options.header.value_or(true) && begins_as_export(shape.rows.front());
    auto found = options.number_column ? named_column(shape, options)
                 : shape.is_export     ? Result<std::size_t>{0}
                                       : find_number_column(shape, options);
    if (!found) {
        return pass(found);
    }
    shape.number_column = *found;
    shape.has_header = options.header.value_or(is_header(shape, options.country));
    return shape;
}

}  // namespace merpati::campaign
