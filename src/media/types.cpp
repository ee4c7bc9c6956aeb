#include "media/types.hpp"

#include <algorithm>
#include <array>

namespace merpati::media {
namespace {

using enum Evidence;

constexpr std::string_view opus = "audio/ogg; codecs=opus";

constexpr auto table = std::to_array<Type>({
    {"text/vcard", true, text},
    {"text/x-vcard", true, text},
    {"text/csv", true, text},
    {"text/rtf", true, text},
    {"text/richtext", true, text},
    {"text/calendar", true, text},
    {"text/directory", true, text},

    {"application/pdf", true, mark},
    {"application/vcard", true, text},
    {"application/msword", true, mark},
    {"application/vnd.ms-excel", true, mark},
    {"application/vnd.ms-powerpoint", true, mark},
    {"application/vnd.apple.pkpass", true, mark},
    {"application/vnd.openxmlformats-officedocument.presentationml.presentation", true, mark},
    {"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", true, mark},
    {"application/vnd.openxmlformats-officedocument.wordprocessingml.document", true, mark},

    {"image/jpeg", true, mark},
    {"image/jpg", true, mark},
    {"image/png", true, mark},
    {"image/webp", true, mark},
    {"image/bmp", true, mark},
    {"image/tiff", true, mark},
    {"image/gif", false, mark},

    {"audio/basic", true, none},
    {"audio/l24", true, none},
    {"audio/mp4", true, mark},
    {"audio/mpeg", true, mark},
    {"audio/ogg", true, mark},
    {"audio/aac", true, mark},
    {"audio/vnd.rn-realaudio", true, mark},
    {opus, true, mark},
    {"audio/vnd.wave", true, mark},
    {"audio/3gpp", true, mark},
    {"audio/3gpp2", true, mark},
    {"audio/ac3", true, mark},
    {"audio/webm", true, mark},
    {"audio/amr-nb", true, mark},
    {"audio/amr", true, mark},

    {"video/mpeg4", false, mark},
    {"video/mp4", false, mark},
    {"video/mpeg", false, mark},
    {"video/webm", false, mark},
    {"video/quicktime", false, mark},
    {"video/3gpp", false, mark},
    {"video/3gpp2", false, mark},
    {"video/3gpp-tt", false, mark},
    {"video/h261", false, none},
    {"video/h263", false, none},
    {"video/h263-1998", false, none},
    {"video/h263-2000", false, none},
    {"video/h264", false, none},
    {"video/h265", false, none},
});

constexpr bool is_blank(char c) noexcept {
    return c == ' ' || c == '\t';
}

std::string_view trimmed(std::string_view text) noexcept {
    while (!text.empty() && is_blank(text.front())) {
        text.remove_prefix(1);
    }
    while (!text.empty() && is_blank(text.back())) {
        text.remove_suffix(1);
    }
    return text;
}

/// Without locale: a header is ASCII.
bool equal_in_any_case(std::string_view left, std::string_view right) noexcept {
    const auto lower = [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
    };
    return std::ranges::equal(left, right, {}, lower, lower);
}

/// Takes what stands before the next `;` off the front of `rest`.
std::string_view take_part(std::string_view& rest) noexcept {
    const auto end = std::min(rest.find(';'), rest.size());
    const auto part = trimmed(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return part;
}

bool names_opus(std::string_view parameters) noexcept {
    while (!parameters.empty()) {
        const auto part = take_part(parameters);
        if (equal_in_any_case(part, "codecs=opus") || equal_in_any_case(part, "codecs=\"opus\"")) {
            return true;
        }
    }
    return false;
}

}  // namespace

std::span<const Type> types() noexcept {
    return table;
}

const Type* find_type(std::string_view content_type) noexcept {
    auto rest = content_type;
    auto name = take_part(rest);
    if (equal_in_any_case(name, "audio/ogg") && names_opus(rest)) {
        name = opus;
    }
    const auto* found = std::ranges::find_if(
        table, [name](const Type& type) { return equal_in_any_case(type.name, name); });
    return found == table.end() ? nullptr : found;
}

Declared Declared::of(std::string_view content_type) noexcept {
    return {.stated = !trimmed(content_type).empty(), .type = find_type(content_type)};
}

bool is_allowed(const Type& type, model::Revision revision) noexcept {
    return revision == model::Revision::a || type.in_revision_b;
}

bool is_allowed(std::string_view content_type, model::Revision revision) noexcept {
    const auto* type = find_type(content_type);
    return type != nullptr && is_allowed(*type, revision);
}

}  // namespace merpati::media
