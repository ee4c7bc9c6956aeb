#include "api/manage/engine/entity_tag.hpp"

#include <algorithm>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "base/digest.hpp"
#include "base/encoding.hpp"

namespace merpati::api::manage {
namespace {

constexpr std::size_t part_bytes = 8;

std::string digest_of(std::string_view text) {
    const auto digest = sha256(text);
    return to_hex(std::span{digest}.first(part_bytes));
}

/// Whether the list has "*", or a tag for which `test` answers true.
template <class Test>
bool any_tag(std::string_view list, Test test) {
    while (!list.empty()) {
        const auto end = std::min(list.find(','), list.size());
        auto tag = list.substr(0, end);
        list.remove_prefix(std::min(end + 1, list.size()));
        while (!tag.empty() && (tag.front() == ' ' || tag.front() == '\t')) {
            tag.remove_prefix(1);
        }
        while (!tag.empty() && (tag.back() == ' ' || tag.back() == '\t')) {
            tag.remove_suffix(1);
        }
        if (tag == "*" || test(tag)) {
            return true;
        }
    }
    return false;
}

std::string_view edited_part(std::string_view tag) {
    return tag.substr(0, tag.find('.'));
}

}  // namespace

std::string entity_tag(const boost::json::object& shown, std::span<const std::string_view> edited) {
    boost::json::object changeable;
    for (const auto name : edited) {
        if (const auto* value = shown.if_contains(name)) {
            changeable[name] = *value;
        }
    }
    return fmt::format("\"{}.{}\"", digest_of(boost::json::serialize(changeable)),
                       digest_of(boost::json::serialize(shown)));
}

bool is_unmodified(std::string_view header, std::string_view tag) {
    return any_tag(header, [tag](std::string_view one) {
        return (one.starts_with("W/") ? one.substr(2) : one) == tag;
    });
}

Result<void> check_match(const Call& call, const boost::json::object& shown) {
    if (!call.head.if_match) {
        return {};
    }
    const auto tag = entity_tag(shown, call.edited);
    const bool matches = any_tag(*call.head.if_match, [&tag](std::string_view one) {
        return one.size() == tag.size() && one.ends_with('"') &&
               edited_part(one) == edited_part(tag);
    });
    if (!matches) {
        return fail(ErrorCode::precondition_failed,
                    "it was changed since: read it again, and decide anew");
    }
    return {};
}

}  // namespace merpati::api::manage
