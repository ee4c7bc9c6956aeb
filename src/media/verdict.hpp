// Decides whether a file may be sent, by its declared type and its content.
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
    std::string_view media_type;  // Sent to the platform; set if acceptable.
};

/// First, a declared type outside the revision's list is refused. If the content is then sure, it
/// must be of a type of the list; that type is sent, even if another one was declared. A magic
/// number that raw samples may have by chance does not count if raw samples are declared. If the
/// content is not sure, the declared type is sent; plain text is accepted only under a text type,
/// and nothing is accepted if no type was declared.
[[nodiscard]] TypeVerdict verdict_on(const DeclaredType& declared, const SniffedType& content,
                                     model::Revision revision);

}  // namespace merpati::media
