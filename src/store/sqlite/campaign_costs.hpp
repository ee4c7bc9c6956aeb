// Every statement of campaigns, on the store of FullStoreTest.
#pragma once

#include <array>

#include "store/campaigns.hpp"
#include "store/contacts.hpp"
#include "store/sqlite/full_store_fixture.hpp"

namespace merpati::store {

struct CampaignCosts : FullStoreTest {
    static model::PhoneNumber person(std::int64_t n) {
        return model::PhoneNumber::from_stored(6285000000000 + n);
    }

    std::unique_ptr<model::Message> message_of(model::CampaignId id, std::uint32_t row) {
        auto made = message();
        made->source = model::Source::campaign;
        made->campaign = id;
        made->campaign_row = row;
        return made;
    }

    void write_campaigns() {
        model::CampaignId id;
        run([&](Tables& tables) {
            auto& campaigns = tables.campaigns();
            const model::CampaignPlan plan{
                .devices = {device},
                .exclude = {{.campaigns = {{.value = 50}}, .contacted_within_days = 7}},
                .frequency = {{.messages = 2'000'000, .days = 7}}};
            EXPECT_EQ(campaigns.check_room(account).error().code, ErrorCode::conflict);
            take(campaigns.check_room({account.value + 1}));
            id = take(campaigns.create_campaign({.account = account, .plan = plan})).id;
            take(campaigns.set_plan(id, plan));
            UploadCounts counts;
            std::vector<NewRecipient> uploaded;
            for (std::int64_t n = 1; n <= 6; ++n) {
                uploaded.push_back({.number = person(n), .original = "0", .values = {}});
            }
            uploaded.push_back(uploaded.front());
            take(campaigns.stage_rows(id, uploaded, counts, clock.now()));
            take(campaigns.complete_upload(id, {"name"}, counts));
            take(campaigns.move_campaign(id, {.state = model::CampaignState::running}));
            take(campaigns.note_notified(id, model::CampaignState::running, {}));
        });
        move_rows(id);
        end_campaigns(id);
    }

    void move_rows(model::CampaignId id) {
        PlannedRows planned;
        for (std::uint32_t row = 1; row <= 5; ++row) {
            planned.rows.push_back({.row = row, .message = message_of(id, row)});
        }
        planned.rows.push_back({.row = 6, .reason = model::SkipReason::empty_value});
        run([&](Tables& tables) { take(tables.campaigns().queue_rows(id, planned)); });
        WriteBatch batch;
        for (std::uint32_t row = 1; row <= 5; ++row) {
            EXPECT_EQ(planned.rows.at(row - 1).result, PlannedRow::Result::queued);
            const auto& made = *planned.rows.at(row - 1).message;
            if (row == 4) {
                batch.hand_overs.push_back({.message = made.id,
                                            .device = device,
                                            .source = made.source,
                                            .queued_at = made.due_at,
                                            .platform_id = "campaign",
                                            .decide_by = clock.now()});
                continue;
            }
            auto ending = finish_of(made, model::MessageState::failed);
            ending.completion.code = model::StatusCode::recipient_unregistered;
            ending.withdrawn = row == 2;
            batch.finishes.push_back(std::move(ending));
        }
        const auto again = message_of(id, 1);
        batch.accepts.push_back({.message = std::make_unique<model::Message>(*again),
                                 .retry_of = planned.rows.front().message->id});
        write_as_it_is(batch);
        auto second = finish_of(*again, model::MessageState::failed);
        second.completion.code = model::StatusCode::recipient_unregistered;
        EXPECT_TRUE(finish(std::move(second)));
        run([&](Tables& tables) {
            const auto& given = *planned.rows.at(3).message;
            take(tables.note_status(device, "campaign",
                                    {.progress = model::Progress::read, .at = clock.now()},
                                    clock.now()));
            take(tables.count_report(given, model::Progress::read, clock.now()));
            take(tables.end_handed_over(given, finish_of(given).completion, {}));
            auto& campaigns = tables.campaigns();
            auto& contacts = tables.contacts();
            take(campaigns.retry_rows(id, RetryScope::failed, {}, 0, 1'000, clock.now()));
            take(contacts.erase_person(account, person(100'000'000 * 9), 0, 1'000, clock.now()));
            const Erasure erasure{.account = account, .number = person(9), .at = clock.now()};
            take(contacts.put_erasure(erasure));
            take(contacts.note_rows_erased(erasure));
            take(contacts.postpone_erasure(erasure, clock.now()));
            take(contacts.end_erasure(erasure));
            take(contacts.erase_message(planned.rows.at(4).message->id));
            take(campaigns.last_campaign_of(account, person(900'000'000)));
        });
    }

    void end_campaigns(model::CampaignId id) {
        const model::CampaignId large{1};
        run([&](Tables& tables) {
            auto& campaigns = tables.campaigns();
            take(campaigns.cancel_rows(large, 1'000, clock.now()));
            take(campaigns.move_campaign(id, {.state = model::CampaignState::cancelled}));
            take(campaigns.remove_campaign(id));
            take(campaigns.remove_rows(id, 1'000));
            take(campaigns.empty_audience(large));
            take(campaigns.remove_rows(large, 1'000));
        });
        reserve();
    }

    /// Of an account whose credit is counted, and is no longer counted when a message fails.
    void reserve() {
        const auto counted = create_account(10);
        const auto sender = model::PhoneNumber::from_stored(6289900000077);
        EXPECT_TRUE(add_device({.number = sender, .account = counted}));
        PlannedRows planned;
        run([&](Tables& tables) {
            auto& campaigns = tables.campaigns();
            const auto paid =
                take(campaigns.create_campaign({.account = counted, .plan = {.devices = {sender}}}))
                    .id;
            UploadCounts counts;
            const std::array uploaded{
                NewRecipient{.number = person(1), .original = "0", .values = {}},
                NewRecipient{.number = person(2), .original = "0", .values = {}}};
            take(campaigns.stage_rows(paid, uploaded, counts, clock.now()));
            take(campaigns.complete_upload(paid, {}, counts));
            take(campaigns.reserve_credit(paid, clock.now()));
            take(campaigns.move_campaign(paid, {.state = model::CampaignState::running}));
            auto made = message_of(paid, 1);
            made->account = counted;
            made->device = sender;
            planned.rows.push_back({.row = 1, .message = std::move(made)});
            take(campaigns.queue_rows(paid, planned));
        });
        EXPECT_TRUE(planned.rows.front().message->charged);
        run([&](Tables& tables) {
            take(tables.set_credit(counted, std::nullopt, {.at = clock.now()}));
        });
        EXPECT_TRUE(finish(finish_of(*planned.rows.front().message, model::MessageState::failed)));
    }

    void write_contacts() {
        run([&](Tables& tables) {
            auto& contacts = tables.contacts();
            const auto kept = take(contacts.find_contact(account, person(5)));
            take(contacts.put_contact(*kept));
            auto fresh = *kept;
            fresh.number = person(0);
            take(contacts.put_contact(fresh));
            take(contacts.remove_contact(account, fresh.number));
            take(contacts.find_suppression(account, person(5)));
            take(contacts.put_suppression({.account = account, .number = person(5)}));
            take(contacts.remove_suppression(account, person(5)));
        });
    }

    /// As many rows are read for a page of recipients or contacts.
    static constexpr std::int64_t visited_max = 10'000;

    void read_campaigns() {
        const auto open = reader();
        auto& campaigns = open->campaigns();
        const model::CampaignId large{1};
        read(campaigns.open_campaigns(ShardSet::all()));
        const std::array own{shard_of(account)};
        read(campaigns.open_campaigns(ShardSet{own}));
        read(campaigns.campaigns_to_clean(ShardSet::all()));
        read(campaigns.campaigns_to_notify(ShardSet::all()));
        const auto found = read(campaigns.campaign(large));
        for (const auto owner : {std::optional{account}, std::optional<model::AccountId>{}}) {
            read(campaigns.campaigns({.account = owner}));
            read(campaigns.campaigns({.account = owner, .state = model::CampaignState::paused}));
        }
        read(campaigns.recipients({.campaign = large, .state = model::RecipientState::sent}),
             20 * visited_max);
        read(campaigns.recipients({.campaign = large, .reason = model::SkipReason::duplicate}),
             20 * visited_max);
        read(campaigns.pending_rows(large, 5'000, 100));
        read(campaigns.queued_rows(large, 5'000, 100));
        read(campaigns.recipient(large, 5'000));
        read(campaigns.last_sender(account, person(900'000'000)));
        read(campaigns.check_recipient(*found, person(900'000'000), clock.now()));
        read_all(campaigns.recount(large));
        read(campaigns.outcomes(large));
        auto& contacts = open->contacts();
        read(contacts.erasing_accounts({}, 100));
        read(contacts.erasures(account, clock.now(), 100));
        read(contacts.contact(account, person(5)));
        read(contacts.contacts({.account = account}));
        read(contacts.contacts({.account = account, .tags = {"vip", "t5"}}));
        read(contacts.contacts({.account = account, .text = "nobody"}), 40 * visited_max);
        read(contacts.tags(account, "", 100));
        read(contacts.suppression(account, person(5)));
        read(contacts.suppressions({.account = account, .after = person(5), .limit = 100}));
        read(contacts.suppressions({.account = account, .beginning = 62, .limit = 100}));
    }
};

}  // namespace merpati::store
