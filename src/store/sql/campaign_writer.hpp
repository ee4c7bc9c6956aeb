// Writes campaigns, and reports those that were written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "store/records.hpp"
#include "store/sql/campaign_rows.hpp"
#include "store/sql/connection.hpp"
#include "store/sql/damaged_rows.hpp"
#include "store/sql/placed_update.hpp"

namespace merpati::store::sql {

/// Operation: keeps the campaigns that it has read, across commits. Counts, ends, reserves and due
/// times are changed in memory (`edit`), and `flush` writes them, once for each campaign however
/// many of its recipients have moved.
///
/// Faults: a campaign that cannot be read or written is left out until the next start: its
/// recipients move, but are not counted.
///
/// Threads: one, the store's. Throws Failure.
class CampaignWriter {
public:
    explicit CampaignWriter(Connection& connection);

    /// Null: there is none, or it is left out. Removed ones are found. Valid until the next call of
    /// `flush` or `forget`.
    [[nodiscard]] const CampaignRow* find(model::CampaignId id);

    /// The same, to change the values that are named above. Does not write what did not change.
    [[nodiscard]] CampaignRow* edit(model::CampaignId id);

    /// Adds to the rows that were skipped for a reason, or have failed with a code. Call it with
    /// each change of their counts.
    void count_outcome(model::CampaignId id, model::SkipReason reason, std::int64_t by);
    void count_outcome(model::CampaignId id, model::StatusCode code, std::int64_t by);
    /// Its audience is empty, or removed.
    void forget_outcomes(model::CampaignId id);

    /// Writes the other columns too, apart from plan and columns.
    void write_state(model::CampaignId id);

    /// Adds the campaigns that were written since the last flush to `row_changes`.
    void flush(std::vector<RowChange>& row_changes);

    /// Call after a rollback, and for one after other code has written or removed it.
    void forget() {
        kept_.clear();
        write_counts_.forget();
    }
    void forget(model::CampaignId id) { kept_.erase(id); }

private:
    static constexpr std::size_t kept_max = 64;
    static constexpr std::size_t damaged_max = 1'024;

    struct Kept {
        std::optional<CampaignRow> row;  // Empty: there is none.
        bool is_edited = false;
        bool has_new_state = false;
        std::map<std::pair<model::RecipientState, int>, std::int64_t> outcomes{};  // To add.
    };
    [[nodiscard]] Kept* load(model::CampaignId id);
    void write_counts(const CampaignRow& row);
    void write_outcomes(model::CampaignId id, Kept& kept);
    void write_state(const CampaignRow& row);

    Statement find_;
    PlacedUpdate write_counts_;
    Statement write_state_;
    Statement add_outcome_;
    Statement remove_outcomes_;
    std::unordered_map<model::CampaignId, Kept> kept_;
    DamagedRows<model::CampaignId, damaged_max> damaged_;
};

}  // namespace merpati::store::sql
