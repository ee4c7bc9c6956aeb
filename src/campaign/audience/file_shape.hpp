// How the rows of an uploaded file are written, found from its beginning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "campaign/audience/upload.hpp"

namespace merpati::campaign {

struct FileShape {
    std::size_t skipped_bytes = 0;  // A line "sep=;" that spreadsheets write for each other.
    std::uint64_t first_line = 1;   // The line behind it.
    char delimiter = ',';
    bool has_header = false;
    std::size_t number_column = 0;  // From 0.
    bool is_export = false;         // contact_columns.hpp
    /// The first rows, the header included, as UTF-8.
    std::vector<std::vector<std::string>> rows;
};

/// How much of a file decides. As long as the longest row, so that one row is in it.
inline constexpr std::size_t sample_bytes = upload_row_bytes_max + 1'024;

/// Delimiter: of `,` `;` `|` and the tab, the one that gives most rows as many cells as the first
/// one, then the one that gives most cells; "," if none occurs.
///
/// Column of the numbers, if the options do not name it: first by its name (number_name), if it has
/// possible numbers; else the one with most numbers, if at least half of its cells are some; else
/// by its name alone. Of an export it is the first one (contact_columns.hpp).
///
/// Header, if the options do not say: the first row is one if its cell in that column has fewer
/// than four digits.
///
/// `sample`: the first `sample_bytes` of the decoded file, or all of it if `is_whole`. Errors:
/// invalid_argument (no text file, no rows, no column of numbers; CsvReader's if the first row has
/// a mistake), io_failed.
[[nodiscard]] Result<FileShape> shape_of(std::string_view sample, bool is_whole,
                                         const UploadOptions& options);

}  // namespace merpati::campaign
