// Reads accounts, keys, devices and people.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "model/account.hpp"
#include "model/device.hpp"
#include "store/records.hpp"

namespace merpati::store {

class PeopleReader;

/// What the directory in memory is made of, and accounts by themselves. Errors: those of Reader.
class DirectoryReader {
public:
    virtual ~DirectoryReader() = default;

    /// People and sessions (store/people.hpp). Lives as long as the reader.
    [[nodiscard]] virtual PeopleReader& people() noexcept = 0;

    // All rows: few enough for memory. Errors of `accounts` and `account`: also conflict (a secret
    // was encrypted with another key).
    [[nodiscard]] virtual Result<std::vector<model::Account>> accounts() = 0;
    [[nodiscard]] virtual Result<std::vector<model::ApiKey>> keys() = 0;
    [[nodiscard]] virtual Result<std::vector<model::Device>> devices() = 0;
    [[nodiscard]] virtual Result<std::optional<model::Account>> account(model::AccountId id) = 0;
    /// At most `limit` accounts after `after` (empty: from the first), by id.
    [[nodiscard]] virtual Result<std::vector<model::Account>> accounts_after(
        std::optional<model::AccountId> after, std::size_t limit) = 0;

    struct RowsNow {
        std::vector<RowChange> there;  // As if a change had just written them.
        std::vector<DirectoryRow> gone;
    };
    /// The rows as they are now, in no order. A device is never new; one of the official platform
    /// has new access, because it may have. A row that cannot be read is in neither list.
    [[nodiscard]] virtual Result<RowsNow> rows_now(std::span<const DirectoryRow> rows) = 0;
};

}  // namespace merpati::store
