// The types that media may have: the interface's list (4.3), one row each.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "model/account.hpp"

namespace merpati::media {

/// What a file of the type shows of itself, and so what may contradict its declared type.
enum class Evidence : std::uint8_t {
    mark,  // Begins with a mark of its own: content that is only text is not of this type.
    text,  // Text, often without any mark: what only looks like another kind of text may be it.
    none,  // Raw samples or frames: their first bytes may by chance be another type's short mark.
};

struct Type {
    std::string_view name;  // Lower case; with `codecs` for Opus alone.
    bool in_revision_b;     // Revision A takes all.
    Evidence evidence;
};

[[nodiscard]] std::span<const Type> types() noexcept;

/// The row of a Content-Type as servers write it: case and parameters do not matter, save that
/// `audio/ogg; codecs=opus` has its own row. Null when the type is not in the list.
[[nodiscard]] const Type* find_type(std::string_view content_type) noexcept;

/// What a host says of a file: nothing, a type of the list, or another.
struct Declared {
    bool stated = false;
    const Type* type = nullptr;  // Null: not stated, or not in the list.

    /// Of a Content-Type header; empty is the same as none.
    [[nodiscard]] static Declared of(std::string_view content_type) noexcept;
};

[[nodiscard]] bool is_allowed(const Type& type, model::Revision revision) noexcept;
[[nodiscard]] bool is_allowed(std::string_view content_type, model::Revision revision) noexcept;

}  // namespace merpati::media
