// The media types that may be sent: the interface's list (4.3), one row each.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "model/account.hpp"

namespace merpati::media {

/// How content of a type is recognised, and so which content contradicts the declared type.
enum class Evidence : std::uint8_t {
    magic_number,  // It has a magic number: content that is only text is not of this type.
    text,          // Often no magic number: any text without one may be of this type.
    none,          // Raw samples or frames, which may have a short magic number by chance.
};

struct MediaType {
    std::string_view name;  // In lower case; only Opus has a parameter.
    bool in_revision_b;     // Revision A accepts all types.
    Evidence evidence;
};

[[nodiscard]] std::span<const MediaType> media_types() noexcept;

/// The row of a Content-Type. Case and parameters are ignored, except that `audio/ogg; codecs=opus`
/// has its own row. Null if the type is not in the list.
[[nodiscard]] const MediaType* find_media_type(std::string_view content_type) noexcept;

/// The type that a host declares: none, one of the list, or another.
struct DeclaredType {
    bool stated = false;
    const MediaType* type = nullptr;  // Null: not stated, or not in the list.

    /// From a Content-Type header; empty means not stated.
    [[nodiscard]] static DeclaredType of(std::string_view content_type) noexcept;
};

[[nodiscard]] bool is_allowed(const MediaType& type, model::Revision revision) noexcept;
[[nodiscard]] bool is_allowed(std::string_view content_type, model::Revision revision) noexcept;

/// The types that content with a magic number may be sent as.
struct SniffedAs {
    std::string_view sniffed;
    /// Sent unless one of the others applies. Empty: only a declared type of `others` is sent.
    std::string_view usual;
    /// Sent if any audio type is declared: the same container, whose first bytes do not show
    /// whether it has video.
    std::string_view where_audio;
    /// Types with the same magic number, sent if declared.
    std::array<std::string_view, 4> others;
    /// False: the magic number is so short that raw samples may begin with it by chance.
    bool distinct = true;
};

/// The row with this SniffedType::name. Null: the content is none of the interface's types.
[[nodiscard]] const SniffedAs* find_sniffed(std::string_view sniffed) noexcept;

/// Whether content of this type is refused even if the declared type has no magic number: programs,
/// archives, markup, scripts, and an empty file. Any other name that libmagic gives to raw samples
/// counts as chance.
[[nodiscard]] bool is_never_raw(std::string_view sniffed) noexcept;

}  // namespace merpati::media
