// Whether a file may be sent, by what its host and its content say.
#pragma once

#include <cstdint>
#include <string_view>

#include "media/media_types.hpp"
#include "media/sniffer.hpp"
#include "model/account.hpp"

namespace merpati::media {

struct TypeVerdict {
    enum class Kind : std::uint8_t { acceptable, declared_type_refused, content_type_refused };
    Kind kind = Kind::content_type_refused;
    std::string_view media_type;  // Sent to the platform; only of an acceptable file.
};

/// The declared type is judged first (decisions.md, "Media"). Then the content, where it is sure:
/// it may be what was declared, or another type of the list, which is then sent; all else is
/// refused. Where it is not sure the declared type counts, save that a type with a magic number is
/// not text; where no type was stated the content is refused.
[[nodiscard]] TypeVerdict verdict_on(const DeclaredType& declared, const SniffedType& content,
                                     model::Revision revision);

}  // namespace merpati::media
