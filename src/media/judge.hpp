// Whether a file may be sent, by what its host and its content say.
#pragma once

#include <cstdint>
#include <string_view>

#include "media/sniffer.hpp"
#include "media/types.hpp"
#include "model/account.hpp"

namespace merpati::media {

struct Judgement {
    enum class Kind : std::uint8_t { acceptable, declared_type_refused, content_type_refused };
    Kind kind = Kind::content_type_refused;
    std::string_view mime;  // What the platform is told; only of an acceptable file.
};

/// The declared type is judged first (decisions.md, "Media"). Then the content, where it is sure:
/// it may be what was declared, or another type of the list, which then is the one told; all else
/// is refused. Where it is not sure the declared type counts, save that a type with a mark is not
/// text; and where no type was stated the content is refused.
[[nodiscard]] Judgement judge(const Declared& declared, const Sniffed& content,
                              model::Revision revision);

}  // namespace merpati::media
