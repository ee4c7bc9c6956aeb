#include "store/sql/recipient_checks.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "store/sql/campaign_rows.hpp"
#include "store/sql/rows.hpp"

namespace merpati::store::sql {
namespace {

using model::RecipientState;
using model::SkipReason;

/// The number's newest rows: one for each campaign.
std::string rows_of_number(const char* columns) {
    return fmt::format(
        "SELECT {} FROM campaign_recipient WHERE account = ?1 AND number = ?2 "
        "AND repeats IS NULL ORDER BY id DESC LIMIT {}",
        columns, RecipientChecks::campaigns_looked_at);
}

}  // namespace

RecipientChecks::RecipientChecks(Connection& connection)
    : suppressed_(connection, "SELECT 1 FROM suppression WHERE account = ? AND number = ?"),
      row_of_campaign_(connection,
                       "SELECT state FROM campaign_recipient WHERE account = ?1 AND number = ?2 "
                       "AND repeats IS NULL AND id > ?3 AND id < ?4 LIMIT 1"),
      sent_since_(connection,
                  fmt::format("SELECT count(*) FILTER (WHERE state = {0}), count(*) FROM ({3}) r "
                              "WHERE state IN ({1}, {0}, {2}) AND at >= ?3",
                              stored(RecipientState::sent), stored(RecipientState::queued),
                              stored(RecipientState::uncertain), rows_of_number("state, at"))),
      rows_(connection, rows_of_number("id, state, device, at")) {}

SkipReason RecipientChecks::check(const model::Campaign& campaign, model::PhoneNumber number,
                                  Timestamp at) {
    if (is_suppressed(campaign.account, number)) {
        return SkipReason::suppressed;
    }
    if (is_excluded(campaign, number, at)) {
        return SkipReason::excluded;
    }
    return is_too_frequent(campaign, number, at) ? SkipReason::frequency : SkipReason::none;
}

bool RecipientChecks::is_suppressed(model::AccountId account, model::PhoneNumber number) {
    return suppressed_.query(account.value, number.value()).next();
}

bool RecipientChecks::has(const model::Campaign& campaign, model::PhoneNumber number) {
    return row_of_campaign_
        .query(campaign.account.value, number.value(), row_key(campaign.id, 0),
               recipients_end(campaign.id))
        .next();
}

bool RecipientChecks::is_excluded(const model::Campaign& campaign, model::PhoneNumber number,
                                  Timestamp at) {
    const auto& exclude = campaign.plan.exclude;
    if (!exclude) {
        return false;
    }
    if (exclude->contacted_within_days) {
        const auto since = at - std::chrono::days{*exclude->contacted_within_days};
        auto row = sent_since_.query(campaign.account.value, number.value(), since);
        if (row.next() && row.integer(0) > 0) {
            return true;
        }
    }
    return std::ranges::any_of(exclude->campaigns, [&](model::CampaignId other) {
        auto row = row_of_campaign_.query(campaign.account.value, number.value(), row_key(other, 0),
                                          recipients_end(other));
        return row.next() && row.integer(0) == static_cast<int>(RecipientState::sent);
    });
}

/// Messages count from the moment in which they are queued, so that campaigns that run at the same
/// time do not send more than one would.
bool RecipientChecks::is_too_frequent(const model::Campaign& campaign, model::PhoneNumber number,
                                      Timestamp at) {
    const auto& frequency = campaign.plan.frequency;
    if (!frequency) {
        return false;
    }
    const auto since = at - std::chrono::days{frequency->days};
    auto row = sent_since_.query(campaign.account.value, number.value(), since);
    return row.next() && row.integer(1) >= std::int64_t{frequency->messages};
}

std::optional<RecipientChecks::LastSend> RecipientChecks::last_send(model::AccountId account,
                                                                    model::PhoneNumber number) {
    // Not sorted by SQLite: it would make a table for that, and most numbers have one row.
    std::optional<LastSend> last;
    Timestamp last_at{};
    for (auto row = rows_.query(account.value, number.value()); row.next();) {
        const auto state = row.integer(1);
        const bool is_sent = state == stored(RecipientState::queued) ||
                             state == stored(RecipientState::sent) ||
                             state == stored(RecipientState::uncertain);
        if (!is_sent || row.integer(2) == no_device) {
            continue;
        }
        if (const auto at = row.time(3); !last || at > last_at) {
            last = LastSend{.campaign = campaign_of(row.integer(0)),
                            .device = model::PhoneNumber::from_stored(row.integer(2))};
            last_at = at;
        }
    }
    return last;
}

}  // namespace merpati::store::sql
