// An uploaded list of people: what is asked of it, and what became of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "campaign/audience/uploads.hpp"
#include "store/reader_pool.hpp"
#include "store/tables.hpp"

namespace merpati::campaign {

enum class UploadForm : std::uint8_t { csv, json };

/// The parameters of an upload.
struct UploadOptions {
    UploadForm form = UploadForm::csv;
    /// Name or 1-based position of the column with the numbers; empty: it is detected.
    std::optional<std::string> number_column{};
    /// The country code of numbers with a leading 0 (admission::is_country_code): the one given,
    /// else the account's.
    std::string country = "62";
    std::optional<char> delimiter{};  // Empty: it is detected.
    std::optional<bool> header{};     // Whether the first row has names; empty: it is detected.
};

/// "," ";" "|" or a tab, also "\t" in two characters, or as a word: comma, semicolon, pipe, tab.
[[nodiscard]] std::optional<char> parse_delimiter(std::string_view text);

/// Errors: invalid_argument (the country is none, the delimiter is another character).
[[nodiscard]] Result<void> check_options(const UploadOptions& options);

/// What became of the rows of an upload. `rows` is the sum of added, changed, invalid, duplicate
/// and suppressed.
struct Imported {
    std::uint64_t rows = 0;
    std::uint64_t added = 0;
    std::uint64_t changed = 0;         // Contacts that existed.
    std::uint64_t invalid = 0;         // Their number is none.
    std::uint64_t duplicate = 0;       // Their number was there already, and nothing changed.
    std::uint64_t suppressed = 0;      // Of an audience: they are skipped.
    std::uint64_t rounded = 0;         // Of `invalid`: a spreadsheet has rounded them (6.28E+12).
    std::vector<std::string> columns;  // Names in the upload's order, the number's included.
    friend bool operator==(const Imported&, const Imported&) = default;
};

/// What an import works with. All must outlive it.
struct ImportRooms {
    /// Runs one change and returns when it is durable, as api::manage::Context::change does.
    using Change =
        std::function<Result<void>(std::move_only_function<Result<void>(store::Tables&)>)>;

    const Clock& clock;
    Change change;
    store::ReaderPool& readers;
    Uploads& uploads;
    /// How many operations all have committed so far. Empty: there are no others.
    std::function<std::uint64_t()> operations{};
};

// Sizes of an upload. Files of any length are read; JSON is bounded by its reader.
inline constexpr std::size_t upload_columns_max = 64;
inline constexpr std::size_t upload_cell_bytes_max = 4'096;
inline constexpr std::size_t upload_row_bytes_max = 65'536;
inline constexpr std::size_t upload_json_bytes_max = 8'388'608;
inline constexpr std::size_t original_bytes_max = 256;

}  // namespace merpati::campaign
