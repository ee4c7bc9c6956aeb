#include "media/judge.hpp"

#include <algorithm>

#include "media/readings.hpp"

namespace merpati::media {
namespace {

using enum Judgement::Kind;

constexpr Judgement refused{.kind = content_type_refused};

/// What content of this reading is told as; empty when it cannot be told as anything.
std::string_view told_as(const Reading& reading, const Type* declared) {
    if (declared == nullptr || declared->name == reading.plain) {
        return reading.plain;
    }
    if (declared->name == reading.audio ||
        std::ranges::find(reading.also, declared->name) != reading.also.end()) {
        return declared->name;
    }
    const bool as_audio = declared->name.starts_with("audio/") && !reading.audio.empty();
    return as_audio ? reading.audio : reading.plain;
}

Judgement judge_sure(const Type* declared, const Sniffed& content, model::Revision revision) {
    const auto* reading = find_reading(content.type);
    if (declared != nullptr && declared->evidence == Evidence::none) {
        const bool by_chance = reading != nullptr ? !reading->strong : !is_never_raw(content.type);
        if (by_chance) {
            return {.kind = acceptable, .mime = declared->name};
        }
    }
    const auto mime = reading == nullptr ? std::string_view{} : told_as(*reading, declared);
    return is_allowed(mime, revision) ? Judgement{.kind = acceptable, .mime = mime} : refused;
}

}  // namespace

Judgement judge(const Declared& declared, const Sniffed& content, model::Revision revision) {
    const Type* type = declared.type;
    if (declared.stated && (type == nullptr || !is_allowed(*type, revision))) {
        return {.kind = declared_type_refused};
    }
    switch (content.certainty) {
        case Certainty::nothing:
            return type == nullptr ? refused : Judgement{.kind = acceptable, .mime = type->name};
        case Certainty::text: {
            const bool may_be_text = type != nullptr && type->evidence == Evidence::text;
            return may_be_text ? Judgement{.kind = acceptable, .mime = type->name} : refused;
        }
        case Certainty::sure:
            return judge_sure(type, content, revision);
    }
    return refused;
}

}  // namespace merpati::media
