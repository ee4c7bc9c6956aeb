#include "store/sql/campaign_check.hpp"

#include <array>
#include <string>

#include <fmt/format.h>

#include "store/sql/campaign_rows.hpp"
#include "store/sql/rows.hpp"

namespace merpati::store::sql {
namespace {

using model::Progress;
using model::RecipientState;

/// The counts of each campaign and of its rows. Of campaigns that have ended, only those that have
/// all their rows.
std::string counts_of_campaigns() {
    return fmt::format(
        R"sql(
SELECT c.id, c.pending, c.queued, c.sent, c.failed, c.skipped, c.uncertain, c.cancelled,
       c.delivered, c.read,
       count(*) FILTER (WHERE r.state = {0}), count(*) FILTER (WHERE r.state = {1}),
       count(*) FILTER (WHERE r.state = {2}), count(*) FILTER (WHERE r.state = {3}),
       count(*) FILTER (WHERE r.state = {4}), count(*) FILTER (WHERE r.state = {5}),
       count(*) FILTER (WHERE r.state = {6}),
       count(*) FILTER (WHERE r.progress >= {7}), count(*) FILTER (WHERE r.progress = {8})
FROM (SELECT *, pending + queued + sent + failed + skipped + uncertain + cancelled AS total
      FROM campaign WHERE removed = 0) c
LEFT JOIN campaign_recipient r ON r.id > c.id << {9} AND r.id <= (c.id << {9}) + c.total
GROUP BY c.id, c.pending, c.queued, c.sent, c.failed, c.skipped, c.uncertain, c.cancelled,
         c.delivered, c.read, c.finished_at, c.total
HAVING c.finished_at IS NULL OR count(r.id) = c.total
)sql",
        stored(RecipientState::pending), stored(RecipientState::queued),
        stored(RecipientState::sent), stored(RecipientState::failed),
        stored(RecipientState::skipped), stored(RecipientState::uncertain),
        stored(RecipientState::cancelled), number_of(Progress::delivered),
        number_of(Progress::read), row_bits);
}

/// Campaigns whose reasons are not as many as their counts say.
std::string counts_of_outcomes() {
    return fmt::format(
        R"sql(
SELECT c.id, c.failed, c.skipped,
       CAST(coalesce(sum(o.recipients) FILTER (WHERE o.state = {}), 0) AS bigint),
       CAST(coalesce(sum(o.recipients) FILTER (WHERE o.state = {}), 0) AS bigint)
FROM campaign c LEFT JOIN campaign_outcome o ON o.campaign = c.id
WHERE c.removed = 0 AND c.pruned = 0 GROUP BY c.id, c.failed, c.skipped
)sql",
        number_of(RecipientState::failed), number_of(RecipientState::skipped));
}

constexpr int counts_compared = 9;

constexpr std::array count_words{"pending",   "queued",    "sent",      "failed", "skipped",
                                 "uncertain", "cancelled", "delivered", "read"};
static_assert(count_words.size() == counts_compared);

std::string difference(const Cursor& row) {
    for (int at = 0; at < counts_compared; ++at) {
        const auto counted = row.integer(1 + at);
        const auto found = row.integer(1 + counts_compared + at);
        if (counted != found) {
            return fmt::format("it counts {} recipients as {}, but {} are", counted,
                               count_words.at(static_cast<std::size_t>(at)), found);
        }
    }
    return {};
}

}  // namespace

void compare_outcomes(Connection& connection, std::vector<CampaignFault>& faults) {
    Statement compare{connection, counts_of_outcomes(), Rows::many};
    for (auto row = compare.query(); row.next();) {
        if (row.integer(1) != row.integer(3) || row.integer(2) != row.integer(4)) {
            faults.push_back({.campaign = {row.integer(0)},
                              .what = fmt::format("it knows why {} recipients failed and {} were "
                                                  "skipped, but {} did, and {} were",
                                                  row.integer(3), row.integer(4), row.integer(1),
                                                  row.integer(2))});
        }
    }
}

void compare_counts(Connection& connection, std::vector<CampaignFault>& faults) {
    Statement compare{connection, counts_of_campaigns(), Rows::many};
    for (auto row = compare.query(); row.next();) {
        if (auto what = difference(row); !what.empty()) {
            faults.push_back({.campaign = {row.integer(0)}, .what = std::move(what)});
        }
    }
}

}  // namespace merpati::store::sql
