#include "media/media_types.hpp"

#include <algorithm>
#include <array>

#include "base/ascii.hpp"

namespace merpati::media {
namespace {

using enum Evidence;

constexpr std::string_view opus = "audio/ogg; codecs=opus";

constexpr auto table = std::to_array<MediaType>({
    {"text/vcard", true, text},
    {"text/x-vcard", true, text},
    {"text/csv", true, text},
    {"text/rtf", true, text},
    {"text/richtext", true, text},
    {"text/calendar", true, text},
    {"text/directory", true, text},

    {"application/pdf", true, magic_number},
    {"application/vcard", true, text},
    {"application/msword", true, magic_number},
    {"application/vnd.ms-excel", true, magic_number},
    {"application/vnd.ms-powerpoint", true, magic_number},
    {"application/vnd.apple.pkpass", true, magic_number},
    {"application/vnd.openxmlformats-officedocument.presentationml.presentation", true,
     magic_number},
    {"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", true, magic_number},
    {"application/vnd.openxmlformats-officedocument.wordprocessingml.document", true, magic_number},

    {"image/jpeg", true, magic_number},
    {"image/jpg", true, magic_number},
    {"image/png", true, magic_number},
    {"image/webp", true, magic_number},
    {"image/bmp", true, magic_number},
    {"image/tiff", true, magic_number},
    {"image/gif", false, magic_number},

    {"audio/basic", true, none},
    {"audio/l24", true, none},
    {"audio/mp4", true, magic_number},
    {"audio/mpeg", true, magic_number},
    {"audio/ogg", true, magic_number},
    {"audio/aac", true, magic_number},
    {"audio/vnd.rn-realaudio", true, magic_number},
    {opus, true, magic_number},
    {"audio/vnd.wave", true, magic_number},
    {"audio/3gpp", true, magic_number},
    {"audio/3gpp2", true, magic_number},
    {"audio/ac3", true, magic_number},
    {"audio/webm", true, magic_number},
    {"audio/amr-nb", true, magic_number},
    {"audio/amr", true, magic_number},

    {"video/mpeg4", false, magic_number},
    {"video/mp4", false, magic_number},
    {"video/mpeg", false, magic_number},
    {"video/webm", false, magic_number},
    {"video/quicktime", false, magic_number},
    {"video/3gpp", false, magic_number},
    {"video/3gpp2", false, magic_number},
    {"video/3gpp-tt", false, magic_number},
    {"video/h261", false, none},
    {"video/h263", false, none},
    {"video/h263-1998", false, none},
    {"video/h263-2000", false, none},
    {"video/h264", false, none},
    {"video/h265", false, none},
});

constexpr std::string_view word = "application/msword";
constexpr std::string_view excel = "application/vnd.ms-excel";
constexpr std::string_view powerpoint = "application/vnd.ms-powerpoint";
constexpr std::string_view document =
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
constexpr std::string_view sheet =
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
constexpr std::string_view presentation =
    "application/vnd.openxmlformats-officedocument.presentationml.presentation";

constexpr auto sniffed_types = std::to_array<SniffedAs>({
    {.sniffed = "text/vcard", .usual = "text/vcard"},
    {.sniffed = "text/x-vcard", .usual = "text/vcard"},
    {.sniffed = "text/calendar", .usual = "text/calendar"},
    {.sniffed = "text/rtf", .usual = "text/rtf"},
    {.sniffed = "application/rtf", .usual = "text/rtf"},

    {.sniffed = "application/pdf", .usual = "application/pdf"},
    {.sniffed = word, .usual = word},
    {.sniffed = excel, .usual = excel},
    {.sniffed = powerpoint, .usual = powerpoint},
    // The container of old office files, if the part that distinguishes the three is beyond the
    // first bytes.
    {.sniffed = "application/x-ole-storage", .others = {word, excel, powerpoint}},
    {.sniffed = "application/cdfv2", .others = {word, excel, powerpoint}},
    {.sniffed = "application/vnd.ms-office", .others = {word, excel, powerpoint}},
    {.sniffed = document, .usual = document},
    {.sniffed = sheet, .usual = sheet},
    {.sniffed = presentation, .usual = presentation},
    // A ZIP whose first entry belongs to an office file or to a pass (sniffer.cpp).
    {.sniffed = "application/x-office-package", .others = {document, sheet, presentation}},
    {.sniffed = "application/x-pass-package", .usual = "application/vnd.apple.pkpass"},

    {.sniffed = "image/jpeg", .usual = "image/jpeg"},
    {.sniffed = "image/png", .usual = "image/png"},
    {.sniffed = "image/webp", .usual = "image/webp"},
    {.sniffed = "image/bmp", .usual = "image/bmp", .distinct = false},
    {.sniffed = "image/x-ms-bmp", .usual = "image/bmp", .distinct = false},
    {.sniffed = "image/tiff", .usual = "image/tiff"},
    {.sniffed = "image/gif", .usual = "image/gif"},

    {.sniffed = "audio/basic", .usual = "audio/basic"},
    {.sniffed = "audio/mpeg", .usual = "audio/mpeg", .distinct = false},
    {.sniffed = "audio/ogg", .usual = "audio/ogg"},
    {.sniffed = opus, .usual = opus},
    {.sniffed = "application/ogg", .others = {"audio/ogg", opus}},
    {.sniffed = "audio/aac", .usual = "audio/aac", .distinct = false},
    {.sniffed = "audio/x-hx-aac-adts", .usual = "audio/aac", .distinct = false},
    {.sniffed = "audio/x-hx-aac-adif", .usual = "audio/aac"},
    {.sniffed = "audio/x-mp4a-latm", .usual = "audio/aac", .distinct = false},
    {.sniffed = "audio/ac3", .usual = "audio/ac3", .distinct = false},
    {.sniffed = "audio/vnd.dolby.dd-raw", .usual = "audio/ac3", .distinct = false},
    {.sniffed = "audio/x-pn-realaudio", .usual = "audio/vnd.rn-realaudio"},
    {.sniffed = "audio/vnd.rn-realaudio", .usual = "audio/vnd.rn-realaudio"},
    // RealMedia contains RealAudio or RealVideo, which is not in the list.
    {.sniffed = "application/vnd.rn-realmedia", .others = {"audio/vnd.rn-realaudio"}},
    {.sniffed = "audio/x-wav", .usual = "audio/vnd.wave"},
    {.sniffed = "audio/wav", .usual = "audio/vnd.wave"},
    {.sniffed = "audio/vnd.wave", .usual = "audio/vnd.wave"},
    {.sniffed = "audio/amr", .usual = "audio/amr"},

    // ISO base media (MP4, 3GP, 3G2): libmagic decides by the first brand, and software that writes
    // one type may use the brand of another. audio/mp4 is its name for audio books and for Sony's
    // video.
    {.sniffed = "video/mp4",
     .usual = "video/mp4",
     .where_audio = "audio/mp4",
     .others = {"video/3gpp", "video/3gpp2", "audio/3gpp", "audio/3gpp2"}},
    {.sniffed = "video/x-m4v", .usual = "video/mp4"},
    {.sniffed = "audio/mp4", .usual = "audio/mp4", .others = {"video/mp4"}},
    {.sniffed = "audio/x-m4a", .usual = "audio/mp4"},
    {.sniffed = "video/3gpp",
     .usual = "video/3gpp",
     .where_audio = "audio/3gpp",
     .others = {"video/3gpp-tt", "video/mp4", "audio/mp4"}},
    {.sniffed = "video/3gpp2",
     .usual = "video/3gpp2",
     .where_audio = "audio/3gpp2",
     .others = {"video/3gpp-tt", "video/mp4", "audio/mp4"}},
    {.sniffed = "video/quicktime", .usual = "video/quicktime"},
    {.sniffed = "video/webm", .usual = "video/webm", .where_audio = "audio/webm"},

    {.sniffed = "video/mpeg", .usual = "video/mpeg"},
    {.sniffed = "video/mp2p", .usual = "video/mpeg"},
    {.sniffed = "video/mp2t", .others = {"video/mpeg"}},
    // MPEG-4 video without a container.
    {.sniffed = "video/mpeg4-generic", .others = {"video/mpeg4"}},
    {.sniffed = "video/h264", .usual = "video/h264", .distinct = false},
    {.sniffed = "video/h265", .usual = "video/h265", .distinct = false},
});

constexpr std::string_view never_raw[] = {
    "application/gzip",
    "application/java-archive",
    "application/vnd.android.package-archive",
    "application/vnd.microsoft.portable-executable",
    "application/x-7z-compressed",
    "application/x-bzip2",
    "application/x-dosexec",
    "application/x-empty",
    "application/x-executable",
    "application/x-mach-binary",
    "application/x-object",
    "application/x-pie-executable",
    "application/x-rar",
    "application/x-sharedlib",
    "application/x-tar",
    "application/x-xz",
    "application/zip",
    "application/zstd",
    "image/svg+xml",
    "inode/x-empty",
};

constexpr bool is_blank(char c) noexcept {
    return c == ' ' || c == '\t';
}

std::string_view trimmed(std::string_view text) noexcept {
    while (!text.empty() && is_blank(text.front())) {
        text.remove_prefix(1);
    }
    while (!text.empty() && is_blank(text.back())) {
        text.remove_suffix(1);
    }
    return text;
}

/// Removes the part before the next `;`, and the `;`, from `rest`, and returns the part.
std::string_view take_part(std::string_view& rest) noexcept {
    const auto end = std::min(rest.find(';'), rest.size());
    const auto part = trimmed(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return part;
}

bool names_opus(std::string_view parameters) noexcept {
    while (!parameters.empty()) {
        const auto part = take_part(parameters);
        if (equals_ignoring_case(part, "codecs=opus") ||
            equals_ignoring_case(part, "codecs=\"opus\"")) {
            return true;
        }
    }
    return false;
}

}  // namespace

std::span<const MediaType> media_types() noexcept {
    return table;
}

const MediaType* find_media_type(std::string_view content_type) noexcept {
    auto rest = content_type;
    auto name = take_part(rest);
    if (equals_ignoring_case(name, "audio/ogg") && names_opus(rest)) {
        name = opus;
    }
    const auto* found = std::ranges::find_if(
        table, [name](const MediaType& type) { return equals_ignoring_case(type.name, name); });
    return found == table.end() ? nullptr : found;
}

DeclaredType DeclaredType::of(std::string_view content_type) noexcept {
    return {.stated = !trimmed(content_type).empty(), .type = find_media_type(content_type)};
}

bool is_allowed(const MediaType& type, model::Revision revision) noexcept {
    return revision == model::Revision::a || type.in_revision_b;
}

bool is_allowed(std::string_view content_type, model::Revision revision) noexcept {
    const auto* type = find_media_type(content_type);
    return type != nullptr && is_allowed(*type, revision);
}

const SniffedAs* find_sniffed(std::string_view sniffed) noexcept {
    const auto* found = std::ranges::find(sniffed_types, sniffed, &SniffedAs::sniffed);
    return found == sniffed_types.end() ? nullptr : found;
}

bool is_never_raw(std::string_view sniffed) noexcept {
    return sniffed.starts_with("text/") ||
           std::ranges::find(never_raw, sniffed) != std::end(never_raw);
}

}  // namespace merpati::media
