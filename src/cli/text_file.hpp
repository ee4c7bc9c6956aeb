// A text that a person wrote to a file.
#pragma once

#include <cstddef>
#include <string>

#include "base/error.hpp"

namespace merpati::cli {

/// The file's text without a byte-order mark and without the line end that editors add to the last
/// line. "-": standard input. Errors: not_found, io_failed, invalid_argument (more than `bytes_max`
/// bytes, or no UTF-8).
[[nodiscard]] Result<std::string> read_text_file(const std::string& path, std::size_t bytes_max);

}  // namespace merpati::cli
