// The character encoding of an upload.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "campaign/audience/charset.hpp"

namespace merpati::campaign {

/// First stage: bytes in which line ends, quotes and delimiters are those of ASCII. UTF-16 with a
/// byte-order mark becomes UTF-8; all else stays as it is, but for the mark of UTF-8. The second
/// stage, `cell_text`, decides for each cell, because lists that people have put together from
/// several sources mix encodings.
///
/// Threads: one at a time. Errors: io_failed (CharsetConverter::open).
class TextDecoder {
public:
    /// Appends the text of a piece. Cut characters wait for the next piece.
    [[nodiscard]] Result<void> take(std::string_view piece, std::string& text);
    /// Call after the last piece.
    [[nodiscard]] Result<void> finish(std::string& text);

private:
    [[nodiscard]] Result<void> choose();
    void append(std::string_view piece, std::string& text);

    bool chosen_ = false;
    std::optional<CharsetConverter> utf16_;
    std::string waiting_;  // Before the choice: the first bytes. Later: a part of a character.
};

/// Second stage: the cell as UTF-8, if need be read as Windows-1252. Errors: io_failed.
class CellDecoder {
public:
    [[nodiscard]] Result<std::string> text_of(std::string_view cell);

private:
    std::optional<CharsetConverter> windows_;
};

}  // namespace merpati::campaign
