// Reads delimited rows as spreadsheets and people write them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace merpati::campaign {

/// Operation: takes text in pieces of any size, and gives each row that is complete to the sink. A
/// row ends with LF, CR or CRLF. A cell that begins with a quote, perhaps after blanks, may hold
/// delimiters and line ends (given as LF), and its quotes are doubled. A quote elsewhere is text,
/// as in `pipe 5"`; so is what follows a closing quote, as in `"Budi" S`. Blanks around a cell are
/// removed. Rows without any text are left out. Any byte that is not mentioned here is text, NUL
/// included.
///
/// A quote that is never closed would join rows and lose recipients. So a cell that spans lines and
/// goes on after its closing quote is an error, too.
///
/// Limits: upload_columns_max (empty cells beyond them are ignored), upload_cell_bytes_max and
/// upload_row_bytes_max, which also bound memory.
///
/// Threads: one at a time. Errors: invalid_argument, with the line; those of the sink. Call nothing
/// after an error.
class CsvReader {
public:
    struct Row {
        std::uint64_t line = 0;  // Where it begins, from 1.
        std::span<const std::string_view> cells;
    };
    using Sink = std::function<Result<void>(const Row&)>;

    /// `first_line`: the number of the first line.
    explicit CsvReader(char delimiter, std::uint64_t first_line = 1)
        : delimiter_(delimiter), line_(first_line), row_line_(first_line) {}

    [[nodiscard]] Result<void> take(std::string_view text, const Sink& sink);
    /// Call after the last piece.
    [[nodiscard]] Result<void> finish(const Sink& sink);

private:
    enum class Place : std::uint8_t {
        beginning,  // Of a cell: nothing or blanks so far.
        plain,
        quoted,
        closing,   // After a quote in a quoted cell: the end, or the first of two.
        trailing,  // In blanks after a closing quote.
    };

    [[nodiscard]] Result<void> take_byte(char byte, const Sink& sink);
    [[nodiscard]] Result<void> append(std::string_view text);
    [[nodiscard]] Result<void> end_cell();
    [[nodiscard]] Result<void> end_row(const Sink& sink);
    [[nodiscard]] std::size_t plain_length(std::string_view text) const;

    char delimiter_;
    Place place_ = Place::beginning;
    bool after_return_ = false;    // The last byte was CR: an LF belongs to it.
    bool spans_lines_ = false;     // The cell,
    std::uint64_t line_;           // the line of the next byte,
    std::uint64_t cell_line_ = 0;  // and that of the cell's quote.
    std::uint64_t row_line_;
    std::size_t row_bytes_ = 0;  // Delimiters and quotes included.
    std::string row_;            // The texts of its cells, one after the other.
    std::size_t cell_begin_ = 0;
    std::vector<std::size_t> ends_;  // Of the cells in `row_`.
    std::vector<std::string_view> cells_;
};

/// Without the blanks at both ends.
[[nodiscard]] std::string_view without_blanks(std::string_view text) noexcept;

}  // namespace merpati::campaign
