// Names of the columns of an upload.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace merpati::campaign {

/// A name that a placeholder can hold: without control characters, braces and "|", with single
/// blanks, at most 64 bytes. May be empty. `text`: UTF-8.
[[nodiscard]] std::string column_name(std::string_view text);

/// Appends a name, with "_2", "_3" … behind it if the list has it already.
void append_column(std::vector<std::string>& columns, std::string name);

/// How likely a column with this name holds phone numbers, by the words that people use in
/// Indonesian and English.
enum class NumberName : std::uint8_t {
    none,
    weak,    // "No": it may also count the rows.
    plain,   // "Nomor"
    part,    // "HP orang tua"
    strong,  // "Nomor HP"
};
[[nodiscard]] NumberName number_name(std::string_view name);

}  // namespace merpati::campaign
