// The rows of a change, before and after it, for the log of changes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "admission/directory.hpp"
#include "api/operation.hpp"
#include "store/tables.hpp"

namespace merpati::api::manage {

/// One row: its name, its account, and the fields that differ. An empty `before`: the row is new.
/// An empty `after`: it was removed.
struct RowImage {
    std::string object;
    std::optional<model::AccountId> account;
    boost::json::object before;
    boost::json::object after;
};

/// The row that the id in a path names (a key, device, campaign, account or person), as the
/// transaction sees it. Empty: it does not exist, or is of another kind.
[[nodiscard]] Result<std::vector<store::RowChange>> named_row(store::Tables& tables,
                                                              Resource resource,
                                                              std::string_view id);

/// The images of the rows that a change has written. The state before comes from `known`, or else
/// from the directory, which has the last committed state. If `member_of` is set, people are shown
/// only as members of this account. New callbacks are left out.
[[nodiscard]] std::vector<RowImage> images_of(std::span<const store::RowChange> written,
                                              std::span<const store::RowChange> known,
                                              const admission::Directory& directory, Timestamp now,
                                              std::optional<model::AccountId> member_of);

}  // namespace merpati::api::manage
