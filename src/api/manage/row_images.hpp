// What rows were before a change and are after it, as the log shows them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "admission/directory.hpp"
#include "store/tables.hpp"

namespace merpati::api::manage {

/// One row: what it is called, whose it is, and the fields that differ. Without `before` it is new,
/// without `after` it was removed.
struct RowImage {
    std::string object;
    std::optional<model::AccountId> account;
    boost::json::object before;
    boost::json::object after;
};

/// The row that a path's id names, as the transaction has it: a key, device, account or person.
/// Empty where the path names none of these, or there is none.
[[nodiscard]] Result<std::vector<store::RowChange>> named_row(store::Tables& tables,
                                                              std::string_view path,
                                                              std::string_view id);

/// Of what a change has written. What a row was is taken from `known`, or else from the directory,
/// which has what was committed last. `member_of`: people are shown as members of this account,
/// nothing else of them. Callbacks, which change nothing, are left out.
[[nodiscard]] std::vector<RowImage> images_of(std::span<const store::RowChange> written,
                                              std::span<const store::RowChange> known,
                                              const admission::Directory& directory, Timestamp now,
                                              std::optional<model::AccountId> member_of);

}  // namespace merpati::api::manage
