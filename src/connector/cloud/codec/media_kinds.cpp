#include "connector/cloud/codec/media_kinds.hpp"

#include <algorithm>
#include <array>
#include <fstream>

namespace merpati::connector::cloud {
namespace {

constexpr std::uint64_t kib = 1'024;
constexpr std::uint64_t mib = kib * kib;
constexpr std::uint64_t image_max = 5 * mib;
constexpr std::uint64_t video_max = 16 * mib;
constexpr std::uint64_t audio_max = 16 * mib;
constexpr std::uint64_t document_max = 100 * mib;
constexpr std::uint64_t sticker_max = 100 * kib;
constexpr std::uint64_t animated_sticker_max = 500 * kib;

constexpr MediaKind image(std::string_view type, std::string_view sent_as) {
    return {.type = type,
            .sent_as = sent_as,
            .kind = "image",
            .bytes_max = image_max,
            .takes_caption = true,
            .extension = {}};
}
constexpr MediaKind video(std::string_view type) {
    return {.type = type,
            .sent_as = type,
            .kind = "video",
            .bytes_max = video_max,
            .takes_caption = true,
            .extension = {}};
}
constexpr MediaKind audio(std::string_view type, std::string_view sent_as) {
    return {
        .type = type, .sent_as = sent_as, .kind = "audio", .bytes_max = audio_max, .extension = {}};
}
constexpr MediaKind document(std::string_view type, std::string_view extension) {
    return {.type = type,
            .sent_as = type,
            .kind = "document",
            .bytes_max = document_max,
            .takes_caption = true,
            .extension = extension};
}

constexpr std::array media_kinds{
    image("image/jpeg", "image/jpeg"),
    image("image/jpg", "image/jpeg"),
    image("image/png", "image/png"),
    MediaKind{.type = "image/webp",
              .sent_as = "image/webp",
              .kind = "sticker",
              .bytes_max = animated_sticker_max,
              .extension = {}},
    video("video/mp4"),
    video("video/3gpp"),
    audio("audio/aac", "audio/aac"),
    audio("audio/amr", "audio/amr"),
    audio("audio/amr-nb", "audio/amr"),
    audio("audio/mpeg", "audio/mpeg"),
    audio("audio/mp4", "audio/mp4"),
    // The platform takes no other codec in this container.
    audio("audio/ogg; codecs=opus", "audio/ogg; codecs=opus"),
    document("application/pdf", "pdf"),
    document("application/msword", "doc"),
    document("application/vnd.ms-excel", "xls"),
    document("application/vnd.ms-powerpoint", "ppt"),
    document("application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx"),
    document("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"),
    document("application/vnd.openxmlformats-officedocument.presentationml.presentation", "pptx"),
};

/// RIFF....WEBPVP8X, four bytes of size, then the flags, of which one says "animated".
bool is_animated(const std::filesystem::path& file) {
    constexpr std::size_t flags_at = 20;
    constexpr unsigned animation = 0x02;
    std::array<char, flags_at + 1> head{};
    std::ifstream in{file, std::ios::binary};
    in.read(head.data(), head.size());
    const std::string_view bytes{head.data(), static_cast<std::size_t>(in.gcount())};
    return bytes.size() == head.size() && bytes.starts_with("RIFF") &&
           bytes.substr(8).starts_with("WEBPVP8X") &&
           (static_cast<unsigned char>(bytes[flags_at]) & animation) != 0;
}

}  // namespace

const MediaKind* find_media_kind(std::string_view type) noexcept {
    const auto* const found = std::ranges::find(media_kinds, type, &MediaKind::type);
    return found == media_kinds.end() ? nullptr : found;
}

bool fits_header(const MediaKind& kind) noexcept {
    return kind.kind == "image" || kind.kind == "video" || kind.kind == "document";
}

std::set<std::string, std::less<>> media_types() {
    std::set<std::string, std::less<>> types;
    for (const auto& kind : media_kinds) {
        types.emplace(kind.type);
    }
    return types;
}

std::uint64_t media_bytes_max() noexcept {
    return document_max;
}

std::uint64_t bytes_max_of(const MediaKind& kind, const std::filesystem::path& file) {
    return kind.kind == "sticker" && !is_animated(file) ? sticker_max : kind.bytes_max;
}

}  // namespace merpati::connector::cloud
