// The types that media may have: the interface's list (4.3), one row each.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "model/account.hpp"

namespace merpati::media {

/// What a file of the type shows of itself, and so what may contradict its declared type.
enum class Evidence : std::uint8_t {
    magic_number,  // Has one of its own: content that is only text is not of this type.
    text,          // Often without any: what only looks like another kind of text may be it.
    none,  // Raw samples or frames, which may by chance begin with another type's short one.
};

struct MediaType {
    std::string_view name;  // Lower case; with `codecs` for Opus alone.
    bool in_revision_b;     // Revision A takes all.
    Evidence evidence;
};

[[nodiscard]] std::span<const MediaType> media_types() noexcept;

/// The row of a Content-Type as servers write it: case and parameters do not matter, save that
/// `audio/ogg; codecs=opus` has its own row. Null when the type is not in the list.
[[nodiscard]] const MediaType* find_media_type(std::string_view content_type) noexcept;

/// What a host says of a file: nothing, a type of the list, or another.
struct DeclaredType {
    bool stated = false;
    const MediaType* type = nullptr;  // Null: not stated, or not in the list.

    /// Of a Content-Type header; empty is the same as none.
    [[nodiscard]] static DeclaredType of(std::string_view content_type) noexcept;
};

[[nodiscard]] bool is_allowed(const MediaType& type, model::Revision revision) noexcept;
[[nodiscard]] bool is_allowed(std::string_view content_type, model::Revision revision) noexcept;

/// What content with a magic number may be sent as.
struct SniffedAs {
    std::string_view sniffed;
    std::string_view usual;        // Unless declared otherwise; empty: only what is declared.
    std::string_view where_audio;  // Where any audio is declared: the same container, whose first
                                   // bytes do not show whether it has pictures.
    std::array<std::string_view, 4> others;  // Types of the same magic number, where declared.
    bool distinct = true;  // False: so short a magic number that raw samples may have it by chance.
};

/// By SniffedType::name. Null: none of the interface's types.
[[nodiscard]] const SniffedAs* find_sniffed(std::string_view sniffed) noexcept;

/// Whether content of this type is refused under a type without a magic number, too: programs,
/// archives, markup and scripts, and nothing at all. Other names that libmagic gives to raw samples
/// are taken for chance.
[[nodiscard]] bool is_never_raw(std::string_view sniffed) noexcept;

}  // namespace merpati::media
