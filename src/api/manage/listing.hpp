// Lists of what there is by the million: newest first, a page at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/manage/cursor.hpp"
#include "api/manage/handlers.hpp"
#include "api/manage/lookup.hpp"
#include "api/manage/views.hpp"
#include "base/uuid.hpp"

namespace merpati::api::manage {

constexpr std::int64_t page_max = 1'000;
constexpr std::int64_t page_default = 50;

/// Takes `cursor`, a position in the list, as `parse` reads it; and `limit`.
template <class Parse>
[[nodiscard]] auto take_cursor(Fields& fields, std::string_view list, Parse parse)
    -> decltype(parse(std::string_view{})) {
    const auto text = fields.text("cursor", 512);
    if (!text) {
        return std::nullopt;
    }
    const auto position = cursor_position(list, *text);
    auto parsed = position ? parse(std::string_view{*position}) : std::nullopt;
    if (!parsed) {
        fields.mistake("cursor", "must be what `next` of a page of this list was");
    }
    return parsed;
}

[[nodiscard]] inline std::size_t take_limit(Fields& fields) {
    return static_cast<std::size_t>(fields.integer("limit", 1, page_max).value_or(page_default));
}

/// Takes what every such list takes (account, cursor, limit), as the last fields of the call.
template <class Filter>
[[nodiscard]] Result<void> take_page(const Context& context, Call& call, std::string_view list,
                                     Filter& filter) {
    auto& fields = call.fields;
    const auto account = fields.text("account", 32);
    filter.before = take_cursor(fields, list, Uuid::parse);
    filter.limit = take_limit(fields);
    if (auto checked = fields.finish(); !checked) {
        return checked;
    }
    const auto owner = find_owner(context, call, account);
    if (!owner) {
        return pass(owner);
    }
    filter.account = *owner;
    return {};
}

/// The page of what was found: `show` makes an item of a record, `id_of` answers its id. A page
/// that is not full is the last.
template <class Record, class Show, class IdOf>
[[nodiscard]] boost::json::object page_of(const std::vector<Record>& records, std::size_t limit,
                                          std::string_view list, Show show, IdOf id_of) {
    boost::json::array items;
    items.reserve(records.size());
    for (const auto& record : records) {
        items.push_back(show(record));
    }
    const bool last = records.size() < limit;
    return page(std::move(items),
                last ? boost::json::value(nullptr)
                     : boost::json::value(cursor_text(list, id_of(records.back()).text())));
}

}  // namespace merpati::api::manage
