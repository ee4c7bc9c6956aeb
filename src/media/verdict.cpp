#include "media/verdict.hpp"

#include <algorithm>

namespace merpati::media {
namespace {

using enum TypeVerdict::Kind;

constexpr TypeVerdict refused{.kind = content_type_refused};

/// The type that content is sent as; empty if it cannot be sent.
std::string_view sent_as(const SniffedAs& content, const MediaType* declared) {
    if (declared == nullptr || declared->name == content.usual) {
        return content.usual;
    }
    if (declared->name == content.where_audio ||
        std::ranges::find(content.others, declared->name) != content.others.end()) {
        return declared->name;
    }
    const bool as_audio = declared->name.starts_with("audio/") && !content.where_audio.empty();
    return as_audio ? content.where_audio : content.usual;
}

TypeVerdict verdict_on_sure(const MediaType* declared, const SniffedType& content,
                            model::Revision revision) {
    const auto* known = find_sniffed(content.name);
    if (declared != nullptr && declared->evidence == Evidence::none) {
        const bool by_chance = known != nullptr ? !known->distinct : !is_never_raw(content.name);
        if (by_chance) {
            return {.kind = acceptable, .media_type = declared->name};
        }
    }
    const auto media_type = known == nullptr ? std::string_view{} : sent_as(*known, declared);
    return is_allowed(media_type, revision)
               ? TypeVerdict{.kind = acceptable, .media_type = media_type}
               : refused;
}

}  // namespace

TypeVerdict verdict_on(const DeclaredType& declared, const SniffedType& content,
                       model::Revision revision) {
    const MediaType* type = declared.type;
    if (declared.stated && (type == nullptr || !is_allowed(*type, revision))) {
        return {.kind = declared_type_refused};
    }
    switch (content.certainty) {
        case Certainty::nothing:
            return type == nullptr ? refused
                                   : TypeVerdict{.kind = acceptable, .media_type = type->name};
        case Certainty::text: {
            const bool may_be_text = type != nullptr && type->evidence == Evidence::text;
            return may_be_text ? TypeVerdict{.kind = acceptable, .media_type = type->name}
                               : refused;
        }
        case Certainty::sure:
            return verdict_on_sure(type, content, revision);
    }
    return refused;
}

}  // namespace merpati::media
