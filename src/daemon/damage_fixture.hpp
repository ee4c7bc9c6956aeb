// A store of which tests damage a row.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "base/uuid.hpp"
#include "daemon/gateway_fixture.hpp"
#include "store/campaigns.hpp"
#include "store/people.hpp"
#include "store/store.hpp"
#include "testing/temporary_folder.hpp"

namespace merpati::daemon {

/// Two accounts, each with a row in every table that a start reads.
struct DamageTest : ::testing::Test {
    static constexpr std::int64_t first_device = 6281100000001;
    static constexpr std::int64_t second_device = 6281100000002;

    /// `between`: called before the second account is made.
    void fill(const std::function<void()>& between = [] {}) {
        auto store = std::move(
            *store::open_store({.url = settings.store.url, .key_file = *settings.store.key_file}));
        fill(*store, model::PhoneNumber::from_stored(first_device));
        between();
        fill(*store, model::PhoneNumber::from_stored(second_device));
        change(*store, [](store::Tables& tables) { return tables.set_clock_offset(Millis{7}); });
    }

    static void change(store::Store& store,
                       std::move_only_function<Result<void>(store::Tables&)> run) {
        store::WriteBatch batch;
        batch.changes.push_back({.run = std::move(run)});
        ASSERT_TRUE(store.write(batch));
        const auto& done = batch.changes.front().result;
        ASSERT_TRUE(done) << done.error().describe();
    }

    void fill(store::Store& store, model::PhoneNumber number) {
        model::AccountId account;
        model::CampaignId campaign;
        change(store, [&](store::Tables& tables) -> Result<void> {
            account = fill_account(tables, number);
            campaign = fill_campaign(tables.campaigns(), account, number);
            return {};
        });
        change(store, [&](store::Tables& tables) {
            return queue_row(tables.campaigns(), campaign, account, number);
        });
        fill_messages(store, account, number);
    }

    model::AccountId fill_account(store::Tables& tables, model::PhoneNumber number) {
        const auto name = number.text();
        const auto account = *tables.create_account({.name = name, .webhook_secret = Bytes(32)});
        EXPECT_TRUE(tables.add_device({.number = number,
                                       .account = account,
                                       .connector = "simulator",
                                       .state = model::DeviceState::disconnected},
                                      false));
        EXPECT_TRUE(tables.create_key({.account = account, .name = name, .digest = sha256(name)}));
        const auto person = *tables.people().create_person({.email = name + "@toko.test"});
        EXPECT_TRUE(tables.people().put_membership(person.id, {.account = account}));
        EXPECT_TRUE(tables.people().create_session({.person = person.id, .digest = sha256(name)}));
        EXPECT_TRUE(tables.set_down_since(number, clock.now()));
        EXPECT_TRUE(tables.put_device_secret(number, "link", Bytes(8)));
        return account;
    }

    /// A running one, of two people.
    model::CampaignId fill_campaign(store::CampaignTables& campaigns, model::AccountId account,
                                    model::PhoneNumber number) {
        model::CampaignPlan plan;
        plan.message = "halo";
        plan.devices = {number};
        plan.timezone = "Asia/Jakarta";
        const auto id = campaigns.create_campaign({.account = account, .plan = plan})->id;
        std::vector<store::NewRecipient> people;
        for (const std::int64_t person : {6285000000001, 6285000000002}) {
            people.push_back({.number = model::PhoneNumber::from_stored(person),
                              .original = "seseorang",
                              .values = {}});
        }
        store::UploadCounts counts;
        EXPECT_TRUE(campaigns.stage_rows(id, people, counts, clock.now()));
        EXPECT_TRUE(campaigns.complete_upload(id, {}, counts));
        EXPECT_TRUE(campaigns.move_campaign(
            id, {.state = model::CampaignState::running, .at = clock.now()}));
        return id;
    }
    /// The row of its first recipient.
    Result<void> queue_row(store::CampaignTables& campaigns, model::CampaignId campaign,
                           model::AccountId account, model::PhoneNumber number) {
        store::PlannedRows planned{.rows = {}, .next_due_at = clock.now(), .at = clock.now()};
        auto message = message_of(account, number);
        message->source = model::Source::campaign;
        message->campaign = campaign;
        message->campaign_row = 1;
        planned.rows.push_back({.row = 1, .variant = 1, .message = std::move(message)});
        auto done = campaigns.queue_rows(campaign, planned);
        EXPECT_EQ(planned.rows.front().result, store::PlannedRow::Result::queued);
        return done;
    }

    std::unique_ptr<model::Message> message_of(model::AccountId account,
                                               model::PhoneNumber number) {
        auto message = std::make_unique<model::Message>();
        message->id = ids.next();
        message->account = account;
        message->device = number;
        message->accepted_at = message->due_at = clock.now();
        return message;
    }
    /// One waits, one was handed over, and of one a callback waits.
    void fill_messages(store::Store& store, model::AccountId account, model::PhoneNumber number) {
        store::WriteBatch batch;
        for (int count = 0; count < 3; ++count) {
            batch.accepts.emplace_back(message_of(account, number));
        }
        ASSERT_TRUE(store.write(batch));
        const auto& handed = *batch.accepts[1].message;
        store::WriteBatch ends;
        ends.hand_overs.push_back({.message = handed.id,
                                   .device = number,
                                   .queued_at = handed.due_at,
                                   .platform_id = handed.id.text(),
                                   .decide_by = clock.now()});
        auto& finish = ends.finishes.emplace_back();
        finish.message = std::move(batch.accepts[2].message);
        finish.queued_at = finish.message->due_at;
        finish.completion = {.state = model::MessageState::held, .finished_at = clock.now()};
        finish.callback = model::Callback{.id = ids.next(),
                                          .account = account,
                                          .message = finish.message->id,
                                          .url = "https://127.0.0.1:1/",
                                          .origin_key = 1,
                                          .created_at = clock.now() + std::chrono::hours{1}};
        ASSERT_TRUE(store.write(ends));
    }

    testing::TemporaryFolder folder;
    SystemClock clock;
    SystemRandom random;
    UuidSource ids{clock, random};
    config::Settings settings = settings_in(folder);
};

}  // namespace merpati::daemon
