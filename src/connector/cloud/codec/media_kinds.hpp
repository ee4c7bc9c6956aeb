// How the platform takes files: which types as what kind of message, and up to which size.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace merpati::connector::cloud {

/// A type that the platform takes.
struct MediaKind {
    std::string_view type;     // As the gateway names it (media/media_types.hpp).
    std::string_view sent_as;  // As the platform names it.
    std::string_view kind;     // The `type` of the message, and the field with its id.
    std::uint64_t bytes_max = 0;
    bool takes_caption = false;
    std::string_view extension;  // Of a document whose URL has no file name.
};

/// Null: the platform takes no files of the type.
[[nodiscard]] const MediaKind* find_media_kind(std::string_view type) noexcept;

/// Whether a template's header takes it.
[[nodiscard]] bool fits_header(const MediaKind& kind) noexcept;

/// All types that it takes.
[[nodiscard]] std::set<std::string, std::less<>> media_types();

/// The largest file of any kind.
[[nodiscard]] std::uint64_t media_bytes_max() noexcept;

/// The largest size of this file. An animated sticker may be larger than a static one, so the
/// file's first bytes are read.
[[nodiscard]] std::uint64_t bytes_max_of(const MediaKind& kind, const std::filesystem::path& file);

}  // namespace merpati::connector::cloud
