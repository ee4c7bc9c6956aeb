// Reads uploads of any form row by row.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "campaign/audience/upload.hpp"
#include "model/ids.hpp"

namespace merpati::campaign {

struct UploadRow {
    std::optional<model::PhoneNumber> number;  // Empty: it is invalid.
    bool is_rounded = false;                   // NumberText::is_rounded
    std::string original;                      // Of the number: its first original_bytes_max.
    /// By UploadReader::columns, as they are when the row is given. Control characters are blanks,
    /// but for line ends and tabs.
    std::vector<std::string> values;
};

/// Operation: takes an upload in pieces of any size, and gives each row to the sink as soon as it
/// is complete. How it is cut makes no difference. An error of the sink ends the reading.
///
/// Threads: one at a time. Errors: invalid_argument (the upload; the detail says where and what to
/// do), io_failed, those of the sink. Call nothing after an error.
class UploadReader {
public:
    using Sink = std::function<Result<void>(UploadRow&&)>;

    virtual ~UploadReader() = default;

    [[nodiscard]] virtual Result<void> take(std::string_view piece, const Sink& sink) = 0;
    /// Call after the last piece.
    [[nodiscard]] virtual Result<void> finish(const Sink& sink) = 0;

    /// Names in the order of the upload, all different (column_key). Grows while rows are
    /// read, to upload_columns_max at most.
    [[nodiscard]] virtual const std::vector<std::string>& columns() const noexcept = 0;
    /// Which of the columns has the numbers; empty: none of them.
    [[nodiscard]] virtual std::optional<std::size_t> number_place() const noexcept = 0;
    /// The tags of an upload that names tags instead of numbers. Complete after `finish`.
    [[nodiscard]] virtual const std::vector<std::string>& tags() const noexcept = 0;
};

/// `takes_tags`: the upload may name tags.
[[nodiscard]] std::unique_ptr<UploadReader> make_upload_reader(UploadOptions options,
                                                               bool takes_tags);

/// A text as values hold it: control characters become blanks, but for line ends and tabs.
[[nodiscard]] std::string value_text(std::string text);

}  // namespace merpati::campaign
