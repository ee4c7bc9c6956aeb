#include "store/sqlite/campaign_check.hpp"

#include <array>

#include <fmt/format.h>

namespace merpati::store::sqlite {
namespace {

/// The counts of each campaign and of its rows. Of campaigns that have ended, only those that have
/// all their rows.
constexpr const char* counts_of_campaigns = R"sql(
SELECT c.id, c.pending, c.queued, c.sent, c.failed, c.skipped, c.uncertain, c.cancelled,
       c.delivered, c.read,
       count(*) FILTER (WHERE r.state = -2), count(*) FILTER (WHERE r.state = -1),
       count(*) FILTER (WHERE r.state = 2), count(*) FILTER (WHERE r.state = 3),
       count(*) FILTER (WHERE r.state = 4), count(*) FILTER (WHERE r.state = 5),
       count(*) FILTER (WHERE r.state = 6),
       count(*) FILTER (WHERE r.progress >= 3), count(*) FILTER (WHERE r.progress = 4)
FROM (SELECT *, pending + queued + sent + failed + skipped + uncertain + cancelled AS total
      FROM campaign WHERE removed = 0) c
LEFT JOIN campaign_recipient r ON r.id > c.id << 32 AND r.id <= (c.id << 32) + c.total
GROUP BY c.id HAVING c.finished_at IS NULL OR count(r.id) = c.total
)sql";

/// Campaigns whose reasons are not as many as their counts say.
constexpr const char* counts_of_outcomes = R"sql(
SELECT c.id, c.failed, c.skipped,
       coalesce(sum(o.recipients) FILTER (WHERE o.state = 3), 0),
       coalesce(sum(o.recipients) FILTER (WHERE o.state = 4), 0)
FROM campaign c LEFT JOIN campaign_outcome o ON o.campaign = c.id
WHERE c.removed = 0 AND c.pruned = 0 GROUP BY c.id
)sql";

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

/// The reasons of each campaign's rows are as many as its counts say.
void compare_outcomes(Connection& connection, std::vector<CampaignFault>& faults) {
    if (connection.query_text("SELECT count(*) FROM sqlite_schema WHERE name = "
                              "'campaign_outcome'") == "0") {
        return;
    }
    Statement compare{connection, counts_of_outcomes};
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

}  // namespace

std::vector<CampaignFault> compare_campaigns(Connection& connection) {
    std::vector<CampaignFault> faults;
    if (connection.query_text("SELECT count(*) FROM sqlite_schema WHERE name = 'campaign'") ==
        "0") {
        return faults;  // An older schema has no campaigns.
    }
    Statement compare{connection, counts_of_campaigns};
    for (auto row = compare.query(); row.next();) {
        if (auto what = difference(row); !what.empty()) {
            faults.push_back({.campaign = {row.integer(0)}, .what = std::move(what)});
        }
    }
    compare_outcomes(connection, faults);
    return faults;
}

}  // namespace merpati::store::sqlite
