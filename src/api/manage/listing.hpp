// Lists, a page at a time: of what there is by the million newest first, of the rest by number.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
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

/// A page of a list that memory holds, ordered by a number of each record.
struct NumberedPage {
    std::optional<std::int64_t> after;  // The last one of the page before.
    std::size_t limit = 0;
};

/// Takes `cursor` and `limit`, which is the most where it is not given.
[[nodiscard]] inline NumberedPage take_numbered_page(Fields& fields, std::string_view list) {
    const auto parse = [](std::string_view text) -> std::optional<std::int64_t> {
        std::int64_t number = 0;
        const auto* end = text.data() + text.size();
        const auto read = std::from_chars(text.data(), end, number);
        return read.ec == std::errc{} && read.ptr == end ? std::optional{number} : std::nullopt;
    };
    return {
        .after = take_cursor(fields, list, parse),
        .limit = static_cast<std::size_t>(fields.integer("limit", 1, page_max).value_or(page_max))};
}

/// The page of `records`, in any order: `number_of` answers a record's, `show` makes an item of it.
template <class Record, class Show, class NumberOf>
[[nodiscard]] boost::json::object numbered_page_of(std::vector<Record> records,
                                                   const NumberedPage& page, std::string_view list,
                                                   Show show, NumberOf number_of) {
    std::ranges::sort(records, {}, number_of);
    const auto begin = page.after ? std::ranges::upper_bound(records, *page.after, {}, number_of)
                                  : records.begin();
    const auto left = static_cast<std::size_t>(records.end() - begin);
    const auto shown = std::min(left, page.limit);
    boost::json::array items;
    items.reserve(shown);
    for (const auto& record : std::span{begin, shown}) {
        items.push_back(show(record));
    }
    if (shown == left) {
        return manage::page(std::move(items));
    }
    const auto last = number_of(*(begin + static_cast<std::ptrdiff_t>(shown) - 1));
    return manage::page(std::move(items),
                        boost::json::value(cursor_text(list, std::to_string(last))));
}

/// A page of what memory holds of an account, of the one that is named or else the caller's only
/// one, or of all: `all_of` answers it. Takes all fields that are left.
template <class AllOf, class Show, class NumberOf>
[[nodiscard]] Result<boost::json::object> list_numbered(const Context& context, Call& call,
                                                        std::string_view list, AllOf all_of,
                                                        Show show, NumberOf number_of) {
    const auto account = call.fields.text("account", 32);
    const auto page = take_numbered_page(call.fields, list);
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    const auto owner = find_owner(context, call, account);
    if (!owner) {
        return pass(owner);
    }
    return numbered_page_of(all_of(*owner), page, list, show, number_of);
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
