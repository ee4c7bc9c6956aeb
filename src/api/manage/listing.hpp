// Lists of what there is by the million: newest first, a page at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "api/manage/handlers.hpp"
#include "api/manage/lookup.hpp"
#include "api/manage/views.hpp"
#include "base/uuid.hpp"

namespace merpati::api::manage {

constexpr std::int64_t page_max = 1'000;
constexpr std::int64_t page_default = 50;

/// Takes what every such list takes (account, before, limit), as the last fields of the call.
/// `cursor` says what `before` names, for the error.
template <class Filter>
[[nodiscard]] Result<void> take_page(const Context& context, Fields& fields,
                                     std::string_view cursor, Filter& filter) {
    const auto account = fields.text("account", 32);
    filter.before = fields.word("before", Uuid::parse, cursor);
    filter.limit =
        static_cast<std::size_t>(fields.integer("limit", 1, page_max).value_or(page_default));
    if (auto checked = fields.finish(); !checked) {
        return checked;
    }
    const auto owner = find_owner(context, account);
    if (!owner) {
        return pass(owner);
    }
    filter.account = *owner;
    return {};
}

/// The page of what was found; `id_of` answers a record's id. A page that is not full is the last.
template <class Record, class IdOf>
[[nodiscard]] boost::json::object page_of(const std::vector<Record>& records, std::size_t limit,
                                          IdOf id_of) {
    boost::json::array items;
    items.reserve(records.size());
    for (const auto& record : records) {
        items.push_back(view(record));
    }
    const bool last = records.size() < limit;
    return page(std::move(items), last ? boost::json::value(nullptr)
                                       : boost::json::value(id_of(records.back()).text()));
}

}  // namespace merpati::api::manage
