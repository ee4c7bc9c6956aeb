// Reads the settings of a TOML file as text, each with its line.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace merpati::config {

/// One key of a file, with the names of its tables joined by dots. Items of a list are joined by
/// commas.
struct FileEntry {
    enum class Form : std::uint8_t { text, bare, list, other };

    std::string key;
    std::string value;
    Form form = Form::text;  // `bare`: number or boolean; `other`: no setting has this form.
    std::size_t line = 0;
};

/// Reads the file. Errors: io_failed (missing, unreadable, over 1 MiB), invalid_argument (not TOML;
/// the detail begins with file and line).
[[nodiscard]] Result<std::vector<FileEntry>> read_file(const std::filesystem::path& file);

/// The same for text in memory; errors name it `name`.
[[nodiscard]] Result<std::vector<FileEntry>> read_toml(std::string_view text,
                                                       std::string_view name);

/// `text` as a quoted TOML string.
[[nodiscard]] std::string toml_string(std::string_view text);

}  // namespace merpati::config
