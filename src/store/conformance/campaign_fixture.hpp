// Campaigns, audiences and messages of campaigns for the conformance suite.
#pragma once

#include <concepts>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "store/campaigns.hpp"
#include "store/conformance/store_fixture.hpp"
#include "store/contacts.hpp"

namespace merpati::store {

struct CampaignTest : StoreTest {
    CampaignTest() {
        EXPECT_TRUE(add_device({.number = device, .account = account, .created_at = clock.now()}));
    }

    using Row = std::uint32_t;

    /// Runs a change of campaigns, or of contacts, and keeps the rows that were reported.
    template <class Body>
    auto run(Body body) {
        decltype(in_part(body, std::declval<Tables&>())) result;
        WriteBatch batch;
        batch.changes.push_back({.run = [&](Tables& tables) -> Result<void> {
            result = in_part(body, tables);
            return result ? Result<void>{} : pass(result);
        }});
        write_as_it_is(batch);
        note_changes(batch);
        if (auto& written = batch.changes.front().result; !written) {
            result = std::unexpected(std::move(written).error());
        }
        return result;
    }
    template <class Body>
    static auto in_part(Body& body, Tables& tables) {
        if constexpr (std::invocable<Body&, CampaignTables&>) {
            return body(tables.campaigns());
        } else {
            return body(tables.contacts());
        }
    }
    void note_changes(const WriteBatch& batch) {
        reported.insert(reported.end(), batch.row_changes.begin(), batch.row_changes.end());
    }

    model::PhoneNumber number(std::int64_t n) {
        return model::PhoneNumber::from_stored(6285000000000 + n);
    }
    NewRecipient fresh(std::int64_t n) {
        return {.number = number(n),
                .original = "0" + std::to_string(n),
                .values = {"Budi " + std::to_string(n)}};
    }

    model::Campaign create(model::CampaignPlan plan = {}) {
        if (plan.devices.empty()) {
            plan.devices = {device};
        }
        plan.name = "Promo";
        plan.timezone = "Asia/Jakarta";
        return take(run([&](CampaignTables& campaigns) {
            return campaigns.create_campaign(
                {.account = account, .plan = plan, .created_at = clock.now()});
        }));
    }
    Result<void> stage(model::CampaignId id, const std::vector<NewRecipient>& rows,
                       UploadCounts& counts) {
        const auto before = counts;
        return run([&](CampaignTables& campaigns) {
            counts = before;
            return campaigns.stage_rows(id, rows, counts, clock.now());
        });
    }
    Result<model::Campaign> complete(model::CampaignId id, const UploadCounts& counts) {
        return run([&](CampaignTables& campaigns) {
            return campaigns.complete_upload(id, {"name"}, counts);
        });
    }
    UploadCounts upload(model::CampaignId id, const std::vector<NewRecipient>& rows) {
        UploadCounts counts;
        EXPECT_TRUE(stage(id, rows, counts));
        EXPECT_TRUE(complete(id, counts));
        return counts;
    }
    /// A draft with recipients `from` to `to`.
    model::Campaign with_rows(std::int64_t from, std::int64_t to, model::CampaignPlan plan = {}) {
        const auto made = create(std::move(plan));
        std::vector<NewRecipient> rows;
        for (auto n = from; n <= to; ++n) {
            rows.push_back(fresh(n));
        }
        upload(made.id, rows);
        return campaign(made.id);
    }
    model::Campaign move(model::CampaignId id, model::CampaignState state,
                         model::CampaignReason reason = model::CampaignReason::none) {
        return take(run([&](CampaignTables& campaigns) {
            return campaigns.move_campaign(id,
                                           {.state = state, .reason = reason, .at = clock.now()});
        }));
    }
    Result<model::Campaign> reserve(model::CampaignId id) {
        return run(
            [&](CampaignTables& campaigns) { return campaigns.reserve_credit(id, clock.now()); });
    }
    model::Campaign start(model::CampaignId id) {
        EXPECT_TRUE(reserve(id));
        return move(id, model::CampaignState::running);
    }
    /// A running one.
    model::Campaign running(std::int64_t from, std::int64_t to, model::CampaignPlan plan = {}) {
        return start(with_rows(from, to, std::move(plan)).id);
    }

    std::unique_ptr<model::Message> message_of(model::CampaignId id, Row row) {
        auto made = message();
        made->source = model::Source::campaign;
        made->campaign = id;
        made->campaign_row = row;
        made->delivery = model::Delivery::at_most_once;
        return made;
    }
    PlannedRow planned(model::CampaignId id, Row row) {
        return {.row = row, .variant = 1, .message = message_of(id, row)};
    }
    PlannedRows queue_rows(model::CampaignId id, std::vector<PlannedRow> rows) {
        PlannedRows planned{.rows = std::move(rows), .next_due_at = clock.now(), .at = clock.now()};
        EXPECT_TRUE(
            run([&](CampaignTables& campaigns) { return campaigns.queue_rows(id, planned); }));
        return planned;
    }
    PlannedRow::Result queue_rows(model::CampaignId id, Row row, model::Message* made = nullptr) {
        std::vector<PlannedRow> rows;
        rows.push_back(planned(id, row));
        const auto done = queue_rows(id, std::move(rows));
        if (made != nullptr) {
            *made = *done.rows.front().message;
        }
        return done.rows.front().result;
    }
    model::Message queued(model::CampaignId id, Row row) {
        model::Message made;
        EXPECT_EQ(queue_rows(id, row, &made), PlannedRow::Result::queued);
        return made;
    }
    void end(const model::Message& message, model::MessageState state,
             model::StatusCode code = model::StatusCode::failed) {
        auto ending = finish_of(message, state);
        if (state != model::MessageState::sent) {
            ending.completion.code = code;
        }
        end(std::move(ending));
    }
    void end(Finish ending) {
        WriteBatch batch;
        batch.finishes.push_back(std::move(ending));
        write_as_it_is(batch);
        note_changes(batch);
        EXPECT_TRUE(batch.finishes.front().finished);
    }
    void withdraw(const model::Message& message) {
        auto ending = finish_of(message, model::MessageState::cancelled);
        ending.withdrawn = true;
        end(std::move(ending));
    }

    /// As stored; its counts agree with its rows, and its reasons with its counts.
    model::Campaign campaign(model::CampaignId id) {
        const auto open = reader();
        auto& campaigns = open->campaigns();
        const auto found = take(campaigns.campaign(id));
        EXPECT_TRUE(found);
        EXPECT_EQ(take(campaigns.recount(id)), found->counts);
        const auto outcomes = take(campaigns.outcomes(id));
        EXPECT_EQ(sum_of(outcomes.skipped), found->counts.of(model::RecipientState::skipped));
        EXPECT_EQ(sum_of(outcomes.failed), found->counts.of(model::RecipientState::failed));
        return *found;
    }
    static std::int64_t sum_of(const auto& counts) {
        std::int64_t sum = 0;
        for (const auto& [why, rows] : counts) {
            EXPECT_GT(rows, 0);
            sum += rows;
        }
        return sum;
    }
    model::Recipient row(model::CampaignId id, Row row) {
        const auto found = take(reader()->campaigns().recipient(id, row));
        EXPECT_TRUE(found);
        return found.value_or(model::Recipient{});
    }
    /// Those whose rows must be removed.
    std::vector<model::CampaignId> unclean(const ShardSet& shards = ShardSet::all()) {
        std::vector<model::CampaignId> found;
        for (const auto& one : take(reader()->campaigns().campaigns_to_clean(shards))) {
            EXPECT_EQ(one.account, account);
            found.push_back(one.campaign);
        }
        return found;
    }
    std::vector<Row> pending(model::CampaignId id, Row after = 0, std::size_t limit = 100) {
        std::vector<Row> rows;
        for (const auto& one : take(reader()->campaigns().pending_rows(id, after, limit))) {
            rows.push_back(one.row);
        }
        return rows;
    }
    /// What the integrity check says of ledgers and campaigns.
    std::vector<std::string> faults() {
        const auto checked =
            take(check_integrity(options.url, Depth::quick, clock, std::chrono::hours{1}));
        std::vector<std::string> found = checked.damages;
        for (const auto& fault : checked.ledger_faults) {
            found.push_back(fault.what);
        }
        for (const auto& fault : checked.campaign_faults) {
            found.push_back(fault.what);
        }
        return found;
    }
    /// The campaign as it was reported last.
    std::shared_ptr<const model::Campaign> last_reported() {
        for (auto at = reported.rbegin(); at != reported.rend(); ++at) {
            if (const auto* written = std::get_if<CampaignWritten>(&*at)) {
                return written->campaign;
            }
        }
        return nullptr;
    }

    std::vector<RowChange> reported;
};

}  // namespace merpati::store
