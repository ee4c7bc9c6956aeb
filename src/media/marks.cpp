#include "media/marks.hpp"

#include <algorithm>

namespace merpati::media {
namespace {

constexpr std::string_view zip_mark = "PK\x03\x04";

std::string_view as_text(std::span<const std::byte> bytes) noexcept {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string_view without_byte_order_mark(std::string_view text) noexcept {
    for (const std::string_view mark : {"\xEF\xBB\xBF", "\xFF\xFE", "\xFE\xFF"}) {
        if (text.starts_with(mark)) {
            return text.substr(mark.size());
        }
    }
    return text;
}

/// The name in a ZIP's first local file header (APPNOTE 4.3.7).
std::string_view first_entry(std::string_view zip) noexcept {
    constexpr std::size_t header_size = 30;
    constexpr std::size_t name_size_at = 26;
    if (zip.size() < header_size || !zip.starts_with(zip_mark)) {
        return {};
    }
    const auto low = static_cast<unsigned char>(zip[name_size_at]);
    const auto high = static_cast<unsigned char>(zip[name_size_at + 1]);
    return zip.substr(header_size, low + 256U * high);
}

bool begins_with_any(std::string_view name, std::span<const std::string_view> starts) noexcept {
    return std::ranges::any_of(starts, [name](auto start) { return name.starts_with(start); });
}

/// What the parts of an office file may be called (ECMA-376 part 2), and the office suites' own.
constexpr std::string_view office_parts[] = {
    "[Content_Types].xml", "_rels/", "docProps/", "word/", "xl/", "ppt/", "customXml/",
};

/// The files a pass may have (PassKit).
constexpr std::string_view pass_parts[] = {
    "pass.json", "manifest.json", "signature", "personalization", "background",
    "footer",    "icon",          "logo",      "strip",           "thumbnail",
};

}  // namespace

bool begins_as_markup(std::span<const std::byte> head) noexcept {
    const auto text = without_byte_order_mark(as_text(head));
    constexpr std::string_view blanks{" \t\r\n\f\0", 6};  // With the other half of UTF-16.
    const auto first = text.find_first_not_of(blanks);
    return first != std::string_view::npos && text[first] == '<';
}

bool begins_as_script(std::span<const std::byte> head) noexcept {
    const auto text = without_byte_order_mark(as_text(head));
    return text.starts_with("#!") && !text.starts_with("#!AMR");
}

bool begins_as_wide_band_amr(std::span<const std::byte> head) noexcept {
    return as_text(head).starts_with("#!AMR-WB");
}

bool begins_as_opus(std::span<const std::byte> head) noexcept {
    constexpr std::size_t first_packet_at = 28;
    const auto text = as_text(head);
    return text.size() > first_packet_at && text.substr(first_packet_at).starts_with("OpusHead");
}

bool begins_as_zip(std::span<const std::byte> head) noexcept {
    return as_text(head).starts_with(zip_mark);
}

std::string_view package_of(std::span<const std::byte> head) noexcept {
    const auto name = first_entry(as_text(head));
    if (begins_with_any(name, office_parts)) {
        return office_package;
    }
    const bool localised = name.find(".lproj/") != std::string_view::npos;
    return localised || begins_with_any(name, pass_parts) ? pass_package : std::string_view{};
}

}  // namespace merpati::media
