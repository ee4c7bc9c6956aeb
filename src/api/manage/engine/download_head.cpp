#include "api/manage/engine/download_head.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/ascii.hpp"
#include "base/printable.hpp"
#include "base/utf8.hpp"

namespace merpati::api::manage {
namespace {

constexpr std::size_t name_bytes_max = 255;

struct TypeRow {
    std::string_view type;
    std::string_view ending;
};

constexpr std::array rows{
    TypeRow{"application/octet-stream", "bin"},
    TypeRow{"image/jpeg", "jpg"},
    TypeRow{"image/png", "png"},
    TypeRow{"image/webp", "webp"},
    TypeRow{"image/gif", "gif"},
    TypeRow{"video/mp4", "mp4"},
    TypeRow{"video/3gpp", "3gp"},
    TypeRow{"video/quicktime", "mov"},
    TypeRow{"video/webm", "webm"},
    TypeRow{"audio/ogg", "ogg"},
    TypeRow{"audio/mpeg", "mp3"},
    TypeRow{"audio/mp4", "m4a"},
    TypeRow{"audio/aac", "aac"},
    TypeRow{"audio/amr", "amr"},
    TypeRow{"audio/wav", "wav"},
    TypeRow{"application/pdf", "pdf"},
    TypeRow{"application/zip", "zip"},
    TypeRow{"application/msword", "doc"},
    TypeRow{"application/vnd.ms-excel", "xls"},
    TypeRow{"application/vnd.ms-powerpoint", "ppt"},
    TypeRow{"application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx"},
    TypeRow{"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"},
    TypeRow{"application/vnd.openxmlformats-officedocument.presentationml.presentation", "pptx"},
    TypeRow{"text/plain", "txt"},
    TypeRow{"text/csv", "csv"},
};

const TypeRow& row_of(std::string_view said) {
    const auto bare = lower_case(said.substr(0, said.find_first_of("; \t")));
    const auto found = std::ranges::find(rows, bare, &TypeRow::type);
    return found == rows.end() ? rows.front() : *found;
}

bool is_letter_or_digit(char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/// Without path separators, control characters and characters that change the writing direction.
std::string safe_name(std::string_view name) {
    auto safe = printable(utf8_prefix(name, name_bytes_max));
    std::ranges::replace_if(safe, [](char c) { return c == '/' || c == '\\' || c == '?'; }, '_');
    return safe;
}

/// For clients without support for `filename*`.
std::string ascii_name(std::string name) {
    constexpr std::string_view others = " ._-()";
    std::ranges::replace_if(
        name, [&](char c) { return !is_letter_or_digit(c) && !others.contains(c); }, '_');
    return name;
}

/// Percent-encodes all but the attr-chars of RFC 8187.
std::string encoded(std::string_view name) {
    constexpr std::string_view others = "!#$&+-.^_`|~";
    std::string text;
    for (const char c : name) {
        if (is_letter_or_digit(c) || others.contains(c)) {
            text += c;
        } else {
            text += fmt::format("%{:02X}", static_cast<unsigned char>(c));
        }
    }
    return text;
}

}  // namespace

std::string_view download_type(std::string_view said) {
    return row_of(said).type;
}

std::string download_headers(std::string_view name, std::string_view type) {
    const auto shown =
        name.empty() ? fmt::format("media.{}", row_of(type).ending) : safe_name(name);
    return fmt::format(
        "Content-Disposition: attachment; filename=\"{}\"; filename*=UTF-8''{}\r\n"
        "Content-Security-Policy: default-src 'none'; sandbox\r\n",
        ascii_name(shown), encoded(shown));
}

}  // namespace merpati::api::manage
