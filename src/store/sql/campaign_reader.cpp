// Reads campaigns and their recipients.
#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "store/sql/campaign_rows.hpp"
#include "store/sql/rows.hpp"
#include "store/sql/shard_condition.hpp"
#include "store/sql/stored_campaigns.hpp"

namespace merpati::store::sql {
namespace {

using model::RecipientState;

/// The rows that a page of `recipients` reads at most.
constexpr std::size_t page_visits_max = 10'000;

/// The campaigns that a list passes over at most because they cannot be read.
constexpr std::size_t list_damages_max = 200;

/// The same of a start, and of an attach.
constexpr std::size_t start_damages_max = 1'000;

std::string select_campaigns(const std::string& condition) {
    return std::string{"SELECT "} + campaign_columns + " FROM " + campaign_tables + " WHERE " +
           condition;
}

bool fits(const Cursor& row, const RecipientFilter& filter) {
    return (!filter.state || row.integer(2) == stored(*filter.state)) &&
           (!filter.reason || row.integer(3) == static_cast<int>(*filter.reason));
}

}  // namespace

StoredCampaignReader::StoredCampaignReader(Connection& connection, Condition& condition)
    : connection_(connection),
      condition_(condition),
      checks_(connection),
      row_(connection, std::string{"SELECT "} + recipient_columns +
                           " FROM campaign_recipient r WHERE r.id = ?"),
      waiting_rows_(connection, std::string{"SELECT "} + recipient_columns +
                                    " FROM campaign_recipient r WHERE r.state = ? AND r.state < 0 "
                                    "AND r.id > ? AND r.id <= ? ORDER BY r.id LIMIT ?"),
      waiting_(connection,
               "SELECT id FROM campaign_recipient WHERE state = ? AND state < 0 AND id > ? "
               "AND id <= ? ORDER BY id LIMIT 1"),
      total_(connection,
             "SELECT pending + queued + sent + failed + skipped + uncertain + cancelled "
             "FROM campaign WHERE id = ? AND removed = 0") {}

/// Calls `read` for all ids of campaigns; if that meets damage, for parts of them, so that what
/// cannot be read costs no other campaign. `read` keeps nothing of a part for which it throws.
void StoredCampaignReader::read_in_parts(
    const std::function<void(std::int64_t first, std::int64_t last)>& read) {
    using Part = std::pair<std::int64_t, std::int64_t>;
    std::vector<Part> parts{
        {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()}};
    std::size_t damages = 0;
    for (bool whole = true; !parts.empty() && damages < start_damages_max; whole = false) {
        const auto [first, last] = parts.back();
        parts.pop_back();
        try {
            read(first, last);
            continue;
        } catch (const Failure& failure) {
            throw_unless_damage(failure);
        }
        if (whole) {
            parts.emplace_back(1, std::max<std::int64_t>(connection_.last_assigned("campaign"), 1));
        } else if (first == last) {
            condition_.note_damage("campaign " + std::to_string(first));
            ++damages;
        } else {
            const auto middle = std::midpoint(first, last);
            parts.emplace_back(middle + 1, last);
            parts.emplace_back(first, middle);
        }
    }
    if (!parts.empty()) {
        condition_.note_damage("campaigns from " + std::to_string(parts.back().first) + " on");
    }
}

/// The campaigns that fit and can be read, by their ids. `condition`: of `c`.
std::vector<model::Campaign> StoredCampaignReader::readable(const std::string& condition,
                                                            const ShardSet& shards) {
    Statement list{connection_,
                   select_campaigns("c.id >= ?1 AND c.id <= ?2 AND " + condition + " AND " +
                                    in_shards("c.account", 3) + " ORDER BY c.id")};
    std::vector<model::Campaign> found;
    read_in_parts([&](std::int64_t first, std::int64_t last) {
        std::vector<model::Campaign> part;
        for (auto row = query_of_shards(list, shards, true, first, last); row.next();) {
            part.push_back(read_campaign(row).campaign);
        }
        std::ranges::move(part, std::back_inserter(found));
    });
    return found;
}

Result<std::vector<model::Campaign>> StoredCampaignReader::open_campaigns(const ShardSet& shards) {
    return guarded([&]() -> Result<std::vector<model::Campaign>> {
        return readable("c.is_open = 1", shards);
    });
}

Result<std::vector<model::Campaign>> StoredCampaignReader::campaigns_to_notify(
    const ShardSet& shards) {
    return guarded([&]() -> Result<std::vector<model::Campaign>> {
        return readable("c.unnotified = 1", shards);
    });
}

Result<std::vector<CampaignToClean>> StoredCampaignReader::campaigns_to_clean(
    const ShardSet& shards) {
    return guarded([&]() -> Result<std::vector<CampaignToClean>> {
        Statement list{connection_,
                       "SELECT id, account FROM campaign WHERE (staged = 1 OR removed = 1) AND "
                       "id >= ?1 AND id <= ?2 AND " +
                           in_shards("account", 3) + " ORDER BY id"};
        std::vector<CampaignToClean> found;
        read_in_parts([&](std::int64_t first, std::int64_t last) {
            std::vector<CampaignToClean> part;
            for (auto row = query_of_shards(list, shards, true, first, last); row.next();) {
                part.push_back({.campaign = {row.integer(0)}, .account = {row.integer(1)}});
            }
            std::ranges::move(part, std::back_inserter(found));
        });
        return found;
    });
}

Result<std::optional<model::Campaign>> StoredCampaignReader::campaign(model::CampaignId id) {
    return guarded([&]() -> Result<std::optional<model::Campaign>> {
        Statement find{connection_, select_campaigns("c.id = ? AND c.removed = 0")};
        auto row = find.query(id.value);
        return row.next() ? std::optional{read_campaign(row).campaign} : std::nullopt;
    });
}

Result<std::vector<model::Campaign>> StoredCampaignReader::campaigns(const CampaignFilter& filter) {
    return guarded([&]() -> Result<std::vector<model::Campaign>> {
        const auto account = filter.account.transform([](auto id) { return id.value; });
        const auto word =
            filter.state.transform([](auto state) { return std::string{model::to_string(state)}; });
        std::string condition = "c.id < ?1 AND c.removed = 0";
        condition += account ? " AND c.account = ?2" : " AND ?2 IS NULL";
        condition += word ? " AND c.state = ?3" : " AND ?3 IS NULL";
        condition += " ORDER BY c.id DESC LIMIT ?4";
        Statement list{connection_, select_campaigns(condition.c_str())};
        std::vector<model::Campaign> found;
        auto before =
            filter.before ? filter.before->value : std::numeric_limits<std::int64_t>::max();
        for (std::size_t damages = 0; damages < list_damages_max; ++damages) {
            try {
                auto row = list.query(before, account, word, filter.limit - found.size());
                while (row.next()) {
                    found.push_back(read_campaign(row).campaign);
                    before = found.back().id.value;
                }
                return found;
            } catch (const Failure& failure) {
                throw_unless_damage(failure);
            }
            before = pass_damaged(before, [&] {
                Statement next{connection_, "SELECT c.id FROM campaign c WHERE " + condition};
                return first_integer(next.query(before, account, word, 1));
            });
        }
        return fail(ErrorCode::damaged, "too many campaigns cannot be read");
    });
}

/// Records the campaign that a list could not read, and returns its id. `find` finds it without
/// what is in other tables. If that cannot be read either, neighbours are passed over one by one.
std::int64_t StoredCampaignReader::pass_damaged(std::int64_t before,
                                                const std::function<std::int64_t()>& find) {
    try {
        const auto id = find();
        condition_.note_damage("campaign " + std::to_string(id));
        return id;
    } catch (const Failure& failure) {
        throw_unless_damage(failure);
    }
    condition_.note_damage("a page of table campaign");
    return std::min(before - 1, connection_.last_assigned("campaign"));
}

/// The id of the last row that is not staged; 0: there is no such campaign.
std::int64_t StoredCampaignReader::end_of_audience(model::CampaignId id) {
    auto row = total_.query(id.value);
    return row.next() ? row_key(id, row.integer(0)) : 0;
}

/// Empty: the row cannot be read, which is recorded.
std::optional<model::Recipient> StoredCampaignReader::read_row(std::int64_t key) {
    try {
        return first_row(row_.query(key), read_recipient);
    } catch (const Failure& failure) {
        note_row(failure, key);
        return std::nullopt;
    }
}

Result<RecipientPage> StoredCampaignReader::recipients(const RecipientFilter& filter) {
    return guarded([&]() -> Result<RecipientPage> {
        RecipientPage page;
        const auto end = end_of_audience(filter.campaign);
        Statement list{connection_,
                       std::string{"SELECT "} + recipient_columns +
                           " FROM campaign_recipient r WHERE r.id >= ? AND r.id <= ? "
                           "ORDER BY r.id",
                       Rows::many};
        auto key = row_key(filter.campaign, filter.after_row) + 1;  // The next one.
        for (std::size_t visits = 0; key <= end;) {
            try {
                auto row = list.query(key, end);
                while (row.next()) {
                    if (page.recipients.size() == filter.limit || visits++ == page_visits_max) {
                        page.next = row_of(key - 1);
                        return page;
                    }
                    key = row.integer(0);
                    if (fits(row, filter)) {
                        page.recipients.push_back(read_recipient(row));
                    }
                    ++key;
                }
                return page;
            } catch (const Failure& failure) {
                note_row(failure, key++);  // Others on its page follow, one by one.
            }
        }
        return page;
    });
}

/// Records a row that cannot be read, as throw_unless_damage.
void StoredCampaignReader::note_row(const Failure& failure, std::int64_t key) {
    throw_unless_damage(failure);
    condition_.note_damage("row " + std::to_string(row_of(key)) + " of campaign " +
                           std::to_string(campaign_of(key).value));
}

Result<std::vector<model::Recipient>> StoredCampaignReader::waiting_rows(model::CampaignId id,
                                                                         RecipientState state,
                                                                         std::uint32_t after_row,
                                                                         std::size_t limit) {
    return guarded([&]() -> Result<std::vector<model::Recipient>> {
        std::vector<model::Recipient> found;
        const auto end = end_of_audience(id);
        auto key = row_key(id, after_row);
        try {
            auto row = waiting_rows_.query(stored(state), key, end, limit);
            while (row.next()) {
                found.push_back(read_recipient(row));
                key = row.integer(0);
            }
            return found;
        } catch (const Failure& failure) {
            throw_unless_damage(failure);
        }
        try {
            add_one_by_one(found, state, key, end, limit);
        } catch (const Failure& failure) {
            if (failure.is_damage()) {
                condition_.note_damage("the list of rows of campaign " + std::to_string(id.value));
            }
            throw;
        }
        return found;
    });
}

/// Passes over rows that cannot be read.
void StoredCampaignReader::add_one_by_one(std::vector<model::Recipient>& found,
                                          RecipientState state, std::int64_t after,
                                          std::int64_t end, std::size_t limit) {
    while (found.size() < limit) {
        {
            auto row = waiting_.query(stored(state), after, end);
            if (!row.next()) {
                return;
            }
            after = row.integer(0);
        }
        if (auto recipient = read_row(after)) {
            found.push_back(std::move(*recipient));
        }
    }
}

Result<std::vector<model::Recipient>> StoredCampaignReader::pending_rows(model::CampaignId id,
                                                                         std::uint32_t after_row,
                                                                         std::size_t limit) {
    return waiting_rows(id, RecipientState::pending, after_row, limit);
}

Result<std::vector<model::Recipient>> StoredCampaignReader::queued_rows(model::CampaignId id,
                                                                        std::uint32_t after_row,
                                                                        std::size_t limit) {
    return waiting_rows(id, RecipientState::queued, after_row, limit);
}

Result<std::optional<model::Recipient>> StoredCampaignReader::recipient(model::CampaignId id,
                                                                        std::uint32_t row) {
    return guarded([&]() -> Result<std::optional<model::Recipient>> {
        const auto key = row_key(id, row);
        if (key > end_of_audience(id)) {
            return std::nullopt;
        }
        return first_row(row_.query(key), read_recipient);
    });
}

Result<std::optional<model::PhoneNumber>> StoredCampaignReader::last_sender(
    model::AccountId account, model::PhoneNumber number) {
    return guarded([&]() -> Result<std::optional<model::PhoneNumber>> {
        return checks_.last_send(account, number).transform([](const auto& send) {
            return send.device;
        });
    });
}

Result<model::SkipReason> StoredCampaignReader::check_recipient(const model::Campaign& campaign,
                                                                model::PhoneNumber number,
                                                                Timestamp at) {
    return guarded(
        [&]() -> Result<model::SkipReason> { return checks_.check(campaign, number, at); });
}

Result<OutcomeCounts> StoredCampaignReader::outcomes(model::CampaignId id) {
    return guarded([&]() -> Result<OutcomeCounts> {
        OutcomeCounts counts;
        Statement list{connection_,
                       "SELECT state, detail, recipients FROM campaign_outcome "
                       "WHERE campaign = ? AND recipients > 0 ORDER BY state, detail"};
        auto row = list.query(id.value);
        while (row.next()) {
            if (read_state(row, 0) == RecipientState::skipped) {
                counts.skipped.emplace_back(row.enumerator(1, model::skip_reason_last),
                                            row.integer(2));
            } else {
                counts.failed.emplace_back(
                    static_cast<model::StatusCode>(row.number<std::uint16_t>(1)), row.integer(2));
            }
        }
        return counts;
    });
}

Result<model::CampaignCounts> StoredCampaignReader::recount(model::CampaignId id) {
    return guarded([&]() -> Result<model::CampaignCounts> {
        model::CampaignCounts counts;
        Statement count{connection_,
                        "SELECT state, progress, count(*) FROM campaign_recipient "
                        "WHERE id > ? AND id <= ? GROUP BY 1, 2"};
        auto row = count.query(row_key(id, 0), end_of_audience(id));
        while (row.next()) {
            counts.of(read_state(row, 0)) += row.integer(2);
            const auto progress = row.integer(1);
            counts.delivered +=
                progress >= static_cast<int>(model::Progress::delivered) ? row.integer(2) : 0;
            counts.read += progress == static_cast<int>(model::Progress::read) ? row.integer(2) : 0;
        }
        return counts;
    });
}

}  // namespace merpati::store::sql
