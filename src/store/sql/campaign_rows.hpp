// Conversions between records and rows of campaigns. A value that nothing writes is damage.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/campaign.hpp"
#include "model/contact.hpp"
#include "store/sql/connection.hpp"

namespace merpati::store::sql {

/// The id of a row in `campaign_recipient`.
inline constexpr int row_bits = 32;
[[nodiscard]] inline std::int64_t row_key(model::CampaignId campaign, std::int64_t row) noexcept {
    return campaign.value << row_bits | row;
}
/// Above the id of every row of the campaign.
[[nodiscard]] inline std::int64_t recipients_end(model::CampaignId campaign) noexcept {
    return (campaign.value + 1) << row_bits;
}
[[nodiscard]] inline model::CampaignId campaign_of(std::int64_t key) noexcept {
    return {key >> row_bits};
}
[[nodiscard]] inline std::uint32_t row_of(std::int64_t key) noexcept {
    return static_cast<std::uint32_t>(key);
}

// Values of `campaign_recipient`, as campaign_schema.hpp explains.
inline constexpr std::int64_t no_device = -70'368'744'177'664;          // 6 bytes
inline constexpr std::int64_t no_message = -4'611'686'018'427'387'904;  // 8 bytes
inline constexpr int no_progress = -1;
inline constexpr int waiting_offset = -2;
[[nodiscard]] constexpr int stored(model::RecipientState state) noexcept {
    const auto value = static_cast<int>(state);
    return state <= model::RecipientState::queued ? value + waiting_offset : value;
}
// `state < 0` is the condition of an index, which statements repeat (rows.hpp).
static_assert(stored(model::RecipientState::queued) < 0);
static_assert(stored(model::RecipientState::sent) >= 0);
[[nodiscard]] model::RecipientState read_state(const Cursor& row, int column);
/// Empty: no progress.
[[nodiscard]] std::optional<model::Progress> read_progress(const Cursor& row, int column);

/// A row of `campaign`: the campaign, and what only the engine knows of it.
struct CampaignRow {
    model::Campaign campaign;
    model::CampaignState notified_state = model::CampaignState::draft;
    model::CampaignReason notified_reason = model::CampaignReason::none;
    bool has_staged = false;  // Rows above CampaignCounts::total may be there.
    bool is_removed = false;
    bool is_copying = false;  // Counts as removed until its audience is whole.
    bool is_pruned = false;   // Retention has removed its rows.

    /// Whether it is one of CampaignReader::open_campaigns.
    [[nodiscard]] bool is_open() const noexcept;
    [[nodiscard]] bool is_unnotified() const noexcept;
    /// As `removed` stores it.
    [[nodiscard]] std::int64_t stored_removal() const noexcept;
};

/// In `removed`: its audience is being copied. Earlier versions read it as removed.
inline constexpr std::int64_t removed_while_copying = 2;

/// For `FROM campaign c LEFT JOIN campaign_plan p ON p.campaign = c.id`.
inline constexpr const char* campaign_columns =
    "c.id, c.account, c.state, c.reason, c.until, c.created_at, c.started_at, c.finished_at, "
    "c.notified_state, c.notified_reason, c.staged, c.removed, c.pruned, c.pending, c.queued, "
    "c.sent, c.failed, c.skipped, c.uncertain, c.cancelled, c.delivered, c.read, "
    "c.failures_in_row, c.unregistered_low, c.unregistered_high, c.recent, c.sent_since, "
    "c.opt_outs_since, c.reserved, c.next_due_at, p.plan, p.columns";
/// The tables of `campaign_columns`.
inline constexpr const char* campaign_tables =
    "campaign c LEFT JOIN campaign_plan p ON p.campaign = c.id";
[[nodiscard]] CampaignRow read_campaign(const Cursor& row);

inline constexpr const char* recipient_columns =
    "r.id, r.number, r.state, r.reason, r.code, r.variant, r.device, r.message, r.message_tail, "
    "r.progress, r.at, r.original, r.cells";
[[nodiscard]] model::Recipient read_recipient(const Cursor& row);

inline constexpr const char* contact_columns =
    "b.account, b.number, b.name, b.tags, b.consent_source, b.consent_at, b.consent_text, "
    "b.created_at, b.updated_at, b.fields";
[[nodiscard]] model::Contact read_contact(const Cursor& row);
/// By account and number.
inline const std::string select_contact = std::string{"SELECT "} + contact_columns +
                                          " FROM contact b WHERE b.account = ? AND b.number = ?";

inline constexpr const char* suppression_columns =
    "s.account, s.number, s.reason, s.at, s.campaign";
[[nodiscard]] model::Suppression read_suppression(const Cursor& row);
/// The same.
inline const std::string select_suppression =
    std::string{"SELECT "} + suppression_columns +
    " FROM suppression s WHERE s.account = ? AND s.number = ?";

}  // namespace merpati::store::sql
