// What people do with many rows of a campaign, in steps.
#include <string>
#include <utility>

#include "campaign/acts.hpp"

namespace merpati::campaign {
namespace {

using model::Campaign;
using model::CampaignReason;
using model::CampaignState;

Result<Campaign> move_to_paused(store::Tables& tables, model::CampaignId id, CampaignReason reason,
                                Timestamp now) {
    return tables.campaigns().move_campaign(
        id, {.state = CampaignState::paused, .reason = reason, .at = now});
}

/// A running campaign needs the credit of its new rows at once; a paused one when it is resumed.
Result<void> reserve_for_more(store::Tables& tables, const Campaign& campaign, Timestamp now) {
    auto reserved = tables.campaigns().reserve_credit(campaign.id, now);
    if (!reserved && reserved.error().code == ErrorCode::refused) {
        reserved = move_to_paused(tables, campaign.id, CampaignReason::credit, now);
    }
    return reserved ? Result<void>{} : pass(reserved);
}

std::unexpected<Error> rows_are_missing(const Campaign& source) {
    if (model::has_ended(source.state)) {
        return fail(ErrorCode::conflict,
                    "retention has removed recipients of the campaign: copy it without them");
    }
    return fail(ErrorCode::conflict,
                "the recipients of the campaign were changed while they were copied, or cannot all "
                "be read: try again, or copy it without them");
}

/// Reads the rows of an audience and stages them as those of another one.
class AudienceCopy {
public:
    AudienceCopy(const RunChange& change, store::CampaignReader& reader, model::CampaignId from,
                 model::CampaignId to, const Clock& clock)
        : change_(change), reader_(reader), from_(from), to_(to), clock_(clock) {}

    Result<store::UploadCounts> run() {
        const auto source = reader_.campaign(from_);
        if (!source || !*source) {
            return source ? fail(ErrorCode::not_found, "there is no campaign " + from_.text())
                          : pass(source);
        }
        std::optional<std::uint32_t> after = 0;
        while (after) {
            auto page =
                reader_.recipients({.campaign = from_, .after_row = *after, .limit = rows_step});
            if (!page) {
                return pass(page);
            }
            if (auto staged = stage(**source, std::move(page->recipients)); !staged) {
                return pass(staged);
            }
            after = page->next;
        }
        auto completed = change_([&](store::Tables& tables) -> Result<void> {
            const auto now = find(tables, from_);
            if (!now) {
                return pass(now);
            }
            if (now->counts.total() != static_cast<std::int64_t>(counts_.rows) ||
                now->columns != (*source)->columns) {
                return rows_are_missing(*now);
            }
            auto whole = tables.campaigns().complete_upload(to_, (*source)->columns, counts_);
            return whole ? Result<void>{} : pass(whole);
        });
        return completed ? Result<store::UploadCounts>{counts_} : pass(completed);
    }

private:
    Result<void> stage(const Campaign& source, std::vector<model::Recipient> recipients) {
        std::vector<std::uint32_t> sources;
        std::vector<store::NewRecipient> rows;
        rows.reserve(recipients.size());
        for (auto& recipient : recipients) {
            if (recipient.row != counts_.rows + rows.size() + 1) {  // There was no gap at first.
                return rows_are_missing(source);
            }
            sources.push_back(recipient.row);
            rows.push_back({.number = recipient.number,
                            .original = std::move(recipient.original),
                            .values = std::move(recipient.values)});
        }
        store::UploadCounts counts;
        auto staged = change_([&](store::Tables& tables) {
            counts = counts_;
            if (auto kept = forget_erased(tables, source, sources, rows); !kept) {
                return kept;
            }
            return tables.campaigns().stage_rows(to_, rows, counts, clock_.now());
        });
        counts_ = staged ? counts : counts_;
        return staged;
    }

    /// Of people who were erased, also since their rows were read, nothing is copied.
    Result<void> forget_erased(store::Tables& tables, const Campaign& source,
                               const std::vector<std::uint32_t>& sources,
                               std::vector<store::NewRecipient>& rows) const {
        for (std::size_t place = 0; place < rows.size(); ++place) {
            const auto erased = tables.campaigns().is_erased(from_, sources[place]);
            if (!erased) {
                return erased.error().code == ErrorCode::not_found ? rows_are_missing(source)
                                                                   : pass(erased);
            }
            if (*erased) {
                rows[place] = {};
            }
        }
        return {};
    }

    const RunChange& change_;
    store::CampaignReader& reader_;
    const model::CampaignId from_;
    const model::CampaignId to_;
    const Clock& clock_;
    store::UploadCounts counts_;
};

}  // namespace

Result<RetryStep> retry_step(store::Tables& tables, const Retry& retry, const RetryStep& before,
                             Timestamp now) {
    auto campaign = find(tables, retry.id);
    if (!campaign) {
        return pass(campaign);
    }
    if (campaign->state == CampaignState::draft || campaign->state == CampaignState::scheduled) {
        return fail(ErrorCode::conflict, "the campaign has not been started");
    }
    const bool has_ended = model::has_ended(campaign->state);
    if (has_ended && before.rows.last_row != 0 && campaign->finished_at != before.finished_at) {
        return fail(ErrorCode::conflict,
                    "the campaign has ended meanwhile: no more of its recipients are retried");
    }
    if (has_ended && campaign->counts.open() > 0) {
        return fail(ErrorCode::conflict,
                    "rows of the campaign are still being cancelled: try again soon");
    }
    const auto rows = tables.campaigns().retry_rows(retry.id, retry.scope, retry.code,
                                                    before.rows.last_row, rows_step, now);
    if (!rows) {
        return pass(rows);
    }
    if (rows->changed > 0 && has_ended) {
        if (auto room = tables.campaigns().check_room(campaign->account); !room) {
            return pass(room);
        }
        campaign = move_to_paused(tables, retry.id, CampaignReason::asked, now);
        if (!campaign) {
            return pass(campaign);
        }
    } else if (rows->changed > 0 && campaign->state == CampaignState::running) {
        if (auto reserved = reserve_for_more(tables, *campaign, now); !reserved) {
            return pass(reserved);
        }
    }
    return RetryStep{.rows = *rows, .finished_at = campaign->finished_at};
}

Result<std::uint64_t> retry(const RunChange& change, const Retry& retry, const Clock& clock) {
    std::uint64_t rows = 0;
    RetryStep step;
    while (!step.rows.complete) {
        const auto before = step;
        auto done = change([&](store::Tables& tables) -> Result<void> {
            auto made = retry_step(tables, retry, before, clock.now());
            if (!made) {
                return pass(made);
            }
            step = *made;
            return {};
        });
        if (!done) {
            return pass(done);
        }
        rows += step.rows.changed;
    }
    return rows;
}

Result<store::UploadCounts> copy_audience(const RunChange& change, store::ReaderSource& store,
                                          model::CampaignId from, model::CampaignId to,
                                          const Clock& clock) {
    auto reader = store.open_reader();
    if (!reader) {
        return pass(reader);
    }
    return AudienceCopy{change, (*reader)->campaigns(), from, to, clock}.run();
}

}  // namespace merpati::campaign
