// Pages of lists. Long lists (messages, callbacks, logs) are newest first and read a page at a
// time. Others (accounts, devices, keys, people) are in the order of their numbers. A page ends at
// its number of items, or before the item that would make it too large.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "api/manage/engine/cursor.hpp"
#include "api/manage/engine/handlers.hpp"
#include "api/manage/engine/lookup.hpp"
#include "api/manage/engine/page_items.hpp"
#include "api/manage/engine/views.hpp"
#include "base/number.hpp"
#include "base/ordered_map.hpp"
#include "base/uuid.hpp"

namespace merpati::api::manage {

constexpr std::int64_t page_max = 1'000;
constexpr std::int64_t page_default = 50;

/// Takes the field `cursor`, the position in the list after which the page begins. `parse` reads
/// it.
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

/// Takes the fields `account`, `cursor` and `limit` into the filter. `parse` reads the position of
/// a cursor. Must take the call's last fields, because it ends with find_owner.
template <class Parse, class Filter>
[[nodiscard]] Result<void> take_page(const Context& context, Call& call, std::string_view list,
                                     Parse parse, Filter& filter) {
    auto& fields = call.fields;
    const auto account = fields.account();
    filter.before = take_cursor(fields, list, parse);
    filter.limit = take_limit(fields);
    const auto owner = find_owner(context, call, account);
    if (!owner) {
        return pass(owner);
    }
    filter.account = *owner;
    return {};
}

/// The page that begins with `records`. `next`: the position in the list after all of them, which
/// `take_cursor` parses; empty: they are the last ones. A page that would become too large has only
/// the first of them. `show` answers the item of a record, `position_of` its position.
template <class Records, class Show, class PositionOf>
[[nodiscard]] boost::json::object page_of(const Records& records, std::optional<std::string> next,
                                          std::string_view list, Show show,
                                          PositionOf position_of) {
    PageItems items;
    for (const auto& record : records) {
        if (!items.add(show(record))) {
            break;
        }
    }
    if (items.count() < std::size(records)) {
        next = position_of(
            *std::next(std::begin(records), static_cast<std::ptrdiff_t>(items.count()) - 1));
    }
    return page(items.take(), next ? boost::json::value(cursor_text(list, *next)) : nullptr);
}

/// The page of the first `limit` records that the store has found. Fewer are the last ones.
template <class Record, class Show, class PositionOf>
[[nodiscard]] boost::json::object page_of(const std::vector<Record>& records, std::size_t limit,
                                          std::string_view list, Show show,
                                          PositionOf position_of) {
    auto next = records.size() < limit ? std::nullopt
                                       : std::optional<std::string>{position_of(records.back())};
    return page_of(records, std::move(next), list, std::move(show), std::move(position_of));
}

/// A page of a list that is in the order of a number of each record.
struct NumberedPage {
    std::optional<std::int64_t> after;  // The last number of the previous page.
    std::size_t limit = 0;

    /// One record more than the page, which tells whether it is the last page.
    template <class IdOf>
    [[nodiscard]] auto part(IdOf id_of) const
        -> ListPart<std::invoke_result_t<IdOf, std::int64_t>> {
        return {.after = after.transform(id_of), .limit = limit + 1};
    }
};

/// Takes `cursor` and `limit`, which is page_max if it is not given.
[[nodiscard]] inline NumberedPage take_numbered_page(Fields& fields, std::string_view list) {
    return {
        .after = take_cursor(fields, list, parse_whole<std::int64_t>),
        .limit = static_cast<std::size_t>(fields.integer("limit", 1, page_max).value_or(page_max))};
}

/// The page of `records`: those of NumberedPage::part, in order. `number_of` answers the number of
/// a record.
template <class Record, class Show, class NumberOf>
[[nodiscard]] boost::json::object numbered_page_of(const std::vector<Record>& records,
                                                   const NumberedPage& page, std::string_view list,
                                                   Show show, NumberOf number_of) {
    const auto position_of = [&](const Record& record) {
        return std::to_string(number_of(record));
    };
    const std::span shown{records.begin(), std::min(records.size(), page.limit)};
    auto next = shown.size() < records.size()
                    ? std::optional<std::string>{position_of(shown.back())}
                    : std::nullopt;
    return page_of(shown, std::move(next), list, std::move(show), position_of);
}

/// A page of the records that `part_of` answers for an account, or for all accounts (find_owner).
/// Takes `account`, `cursor` and `limit` as the call's last fields.
template <class PartOf, class Show, class NumberOf>
[[nodiscard]] Result<boost::json::object> list_numbered(const Context& context, Call& call,
                                                        std::string_view list, PartOf part_of,
                                                        Show show, NumberOf number_of) {
    const auto account = call.fields.account();
    const auto page = take_numbered_page(call.fields, list);
    const auto owner = find_owner(context, call, account);
    if (!owner) {
        return pass(owner);
    }
    return numbered_page_of(part_of(*owner, page), page, list, show, number_of);
}

}  // namespace merpati::api::manage
