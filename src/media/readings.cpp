#include "media/readings.hpp"

#include <algorithm>

namespace merpati::media {
namespace {

constexpr std::string_view word = "application/msword";
constexpr std::string_view excel = "application/vnd.ms-excel";
constexpr std::string_view powerpoint = "application/vnd.ms-powerpoint";
constexpr std::string_view document =
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
constexpr std::string_view sheet =
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
constexpr std::string_view presentation =
    "application/vnd.openxmlformats-officedocument.presentationml.presentation";
constexpr std::string_view opus = "audio/ogg; codecs=opus";

constexpr auto table = std::to_array<Reading>({
    {.sniffed = "text/vcard", .plain = "text/vcard"},
    {.sniffed = "text/x-vcard", .plain = "text/vcard"},
    {.sniffed = "text/calendar", .plain = "text/calendar"},
    {.sniffed = "text/rtf", .plain = "text/rtf"},
    {.sniffed = "application/rtf", .plain = "text/rtf"},

    {.sniffed = "application/pdf", .plain = "application/pdf"},
    {.sniffed = word, .plain = word},
    {.sniffed = excel, .plain = excel},
    {.sniffed = powerpoint, .plain = powerpoint},
    // The old office container, when what tells the three apart lies beyond the first bytes.
    {.sniffed = "application/x-ole-storage", .also = {word, excel, powerpoint}},
    {.sniffed = "application/cdfv2", .also = {word, excel, powerpoint}},
    {.sniffed = "application/vnd.ms-office", .also = {word, excel, powerpoint}},
    {.sniffed = document, .plain = document},
    {.sniffed = sheet, .plain = sheet},
    {.sniffed = presentation, .plain = presentation},
    // marks.hpp: a ZIP whose first entry is one of an office file, or of a pass.
    {.sniffed = "application/x-office-package", .also = {document, sheet, presentation}},
    {.sniffed = "application/x-pass-package", .plain = "application/vnd.apple.pkpass"},

    {.sniffed = "image/jpeg", .plain = "image/jpeg"},
    {.sniffed = "image/png", .plain = "image/png"},
    {.sniffed = "image/webp", .plain = "image/webp"},
    {.sniffed = "image/bmp", .plain = "image/bmp", .strong = false},
    {.sniffed = "image/x-ms-bmp", .plain = "image/bmp", .strong = false},
    {.sniffed = "image/tiff", .plain = "image/tiff"},
    {.sniffed = "image/gif", .plain = "image/gif"},

    {.sniffed = "audio/basic", .plain = "audio/basic"},
    {.sniffed = "audio/mpeg", .plain = "audio/mpeg", .strong = false},
    {.sniffed = "audio/ogg", .plain = "audio/ogg"},
    {.sniffed = opus, .plain = opus},
    {.sniffed = "application/ogg", .also = {"audio/ogg", opus}},
    {.sniffed = "audio/aac", .plain = "audio/aac", .strong = false},
    {.sniffed = "audio/x-hx-aac-adts", .plain = "audio/aac", .strong = false},
    {.sniffed = "audio/x-hx-aac-adif", .plain = "audio/aac"},
    {.sniffed = "audio/x-mp4a-latm", .plain = "audio/aac", .strong = false},
    {.sniffed = "audio/ac3", .plain = "audio/ac3", .strong = false},
    {.sniffed = "audio/vnd.dolby.dd-raw", .plain = "audio/ac3", .strong = false},
    {.sniffed = "audio/x-pn-realaudio", .plain = "audio/vnd.rn-realaudio"},
    {.sniffed = "audio/vnd.rn-realaudio", .plain = "audio/vnd.rn-realaudio"},
    // RealMedia holds RealAudio, and RealVideo, which is in no list.
    {.sniffed = "application/vnd.rn-realmedia", .also = {"audio/vnd.rn-realaudio"}},
    {.sniffed = "audio/x-wav", .plain = "audio/vnd.wave"},
    {.sniffed = "audio/wav", .plain = "audio/vnd.wave"},
    {.sniffed = "audio/vnd.wave", .plain = "audio/vnd.wave"},
    {.sniffed = "audio/amr", .plain = "audio/amr"},

    // ISO base media (MP4, 3GP, 3G2): libmagic goes by the first brand, and writers of one type
    // name others' brands. The brands of Sony's and of audio books share a name.
    {.sniffed = "video/mp4",
     .plain = "video/mp4",
     .audio = "audio/mp4",
     .also = {"video/3gpp", "video/3gpp2", "audio/3gpp", "audio/3gpp2"}},
    {.sniffed = "video/x-m4v", .plain = "video/mp4"},
    {.sniffed = "audio/mp4", .plain = "audio/mp4", .also = {"video/mp4"}},
    {.sniffed = "audio/x-m4a", .plain = "audio/mp4"},
    {.sniffed = "video/3gpp",
     .plain = "video/3gpp",
     .audio = "audio/3gpp",
     .also = {"video/3gpp-tt", "video/mp4", "audio/mp4"}},
    {.sniffed = "video/3gpp2",
     .plain = "video/3gpp2",
     .audio = "audio/3gpp2",
     .also = {"video/3gpp-tt", "video/mp4", "audio/mp4"}},
    {.sniffed = "video/quicktime", .plain = "video/quicktime"},
    {.sniffed = "video/webm", .plain = "video/webm", .audio = "audio/webm"},

    {.sniffed = "video/mpeg", .plain = "video/mpeg"},
    {.sniffed = "video/mp2p", .plain = "video/mpeg"},
    {.sniffed = "video/mp2t", .also = {"video/mpeg"}},
    // MPEG-4 video without a container.
    {.sniffed = "video/mpeg4-generic", .also = {"video/mpeg4"}},
    {.sniffed = "video/h264", .plain = "video/h264", .strong = false},
    {.sniffed = "video/h265", .plain = "video/h265", .strong = false},
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

}  // namespace

const Reading* find_reading(std::string_view sniffed) noexcept {
    const auto* found = std::ranges::find(table, sniffed, &Reading::sniffed);
    return found == table.end() ? nullptr : found;
}

bool is_never_raw(std::string_view sniffed) noexcept {
    return sniffed.starts_with("text/") ||
           std::ranges::find(never_raw, sniffed) != std::end(never_raw);
}

}  // namespace merpati::media
