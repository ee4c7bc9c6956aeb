// Reads a delimited file as an upload.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "campaign/audience/csv_reader.hpp"
#include "campaign/audience/file_shape.hpp"
#include "campaign/audience/text_decoder.hpp"
#include "campaign/audience/upload_reader.hpp"

namespace merpati::campaign {

/// Operation: the beginning of the file (file_shape.hpp) decides how it is read. Columns have the
/// names of the header; columns without a name have their position as name, and are left out as
/// long as no row has a text there.
///
/// Memory: some `sample_bytes` and one row.
class CsvUpload final : public UploadReader {
public:
    explicit CsvUpload(UploadOptions options) : options_(std::move(options)) {}

    [[nodiscard]] Result<void> take(std::string_view piece, const Sink& sink) override;
    [[nodiscard]] Result<void> finish(const Sink& sink) override;
    [[nodiscard]] const std::vector<std::string>& columns() const noexcept override {
        return columns_;
    }
    [[nodiscard]] std::optional<std::size_t> number_place() const noexcept override {
        return number_column_ < places_.size() ? places_[number_column_] : std::nullopt;
    }
    [[nodiscard]] const std::vector<std::string>& tags() const noexcept override { return tags_; }

private:
    [[nodiscard]] Result<void> begin(bool is_whole, const Sink& sink);
    [[nodiscard]] Result<void> read(std::string_view text, const Sink& sink);
    [[nodiscard]] Result<void> take_row(const CsvReader::Row& row, const Sink& sink);
    void name_columns(const FileShape& shape);
    [[nodiscard]] std::size_t place_of(std::size_t cell);

    UploadOptions options_;
    TextDecoder decoder_;
    CellDecoder cells_;
    std::string text_;  // Before `reader_` is there: the beginning. Later: of one piece.
    std::optional<CsvReader> reader_;
    bool skips_row_ = false;  // The next row is the header.
    bool is_export_ = false;
    std::size_t number_column_ = 0;
    std::vector<std::string> columns_;
    std::vector<std::optional<std::size_t>> places_;  // In `columns_`, of each cell of a row.
    const std::vector<std::string> tags_;
};

}  // namespace merpati::campaign
