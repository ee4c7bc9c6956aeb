// A change that is decided in its transaction, and what the caller is shown of it.
#pragma once

#include <utility>

#include <boost/json/value.hpp>

#include "api/manage/context.hpp"

namespace merpati::api::manage {

/// Commits what `decide` does to the tables, then answers `show` of what it decided. A refusal of
/// `decide` undoes what it wrote, and is the answer.
template <class Decide, class Show>
[[nodiscard]] Result<boost::json::value> commit_and_show(const Context& context, Decide decide,
                                                         Show show) {
    using Decided = typename decltype(decide(std::declval<store::Tables&>()))::value_type;
    Decided decided;
    auto committed = context.change([&](store::Tables& tables) -> Result<void> {
        auto made = decide(tables);
        if (!made) {
            return pass(made);
        }
        decided = std::move(*made);
        return {};
    });
    if (!committed) {
        return pass(committed);
    }
    return show(decided);
}

}  // namespace merpati::api::manage
