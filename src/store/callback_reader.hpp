// Reads callbacks that wait, for those who deliver them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "store/records.hpp"
#include "store/shard_set.hpp"

namespace merpati::store {

/// Callbacks are queued by account and origin. A call costs one index search for each element that
/// it returns, or skips as `known`, however many callbacks wait. Errors: those of Reader.
class CallbackReader {
public:
    virtual ~CallbackReader() = default;

    /// The accounts with waiting callbacks.
    [[nodiscard]] virtual Result<std::vector<model::AccountId>> callback_accounts() = 0;
    /// Of the accounts of these shards, those with waiting callbacks, found with one query.
    [[nodiscard]] virtual Result<std::vector<model::AccountId>> callback_accounts_of(
        const ShardSet& shards) = 0;
    /// The account's origins with waiting callbacks, by key, at most `limit` of those after `after`
    /// (empty: from the first). Fewer than `limit`: there are no more.
    [[nodiscard]] virtual Result<std::vector<OriginSummary>> callback_origins(
        model::AccountId account, std::optional<std::int64_t> after, std::size_t limit) = 0;
    /// At most `limit` callbacks due before `before`, by due time, without those in `known`. Fewer
    /// than `limit`: there are no more.
    [[nodiscard]] virtual Result<std::vector<QueuedCallback>> load_callbacks(
        const Endpoint& endpoint, Timestamp before, std::size_t limit, const Known& known) = 0;
    /// The first due time at or after `from`; empty: no callback is due then.
    [[nodiscard]] virtual Result<std::optional<Timestamp>> next_callback_due(
        const Endpoint& endpoint, Timestamp from) = 0;

    [[nodiscard]] virtual Result<std::optional<QueuedCallback>> callback(model::EventId id) = 0;
};

}  // namespace merpati::store
