// Campaigns: audiences, the moves of their rows, and their counts.
#include <algorithm>

#include "store/conformance/campaign_fixture.hpp"

namespace merpati::store {
namespace {

using namespace std::chrono_literals;
using model::CampaignState;
using model::MessageState;
using model::RecipientState;
using model::SkipReason;
using model::StatusCode;

model::CampaignPlan full_plan() {
    using model::PhoneNumber;
    return {.name = "Promo \"Mei\"",
            .purpose = model::Purpose::transactional,
            .message = "Halo {{name}}",
            .variants = {{.message = "Hai", .weight = 3}, {.message = "Halo", .weight = 1}},
            .message_template = {{.name = "promo", .language = "id", .variables = {"{{name}}"}}},
            .media = {{.url = "https://example.com/a.png", .column = ""}},
            .typing = true,
            .devices = {PhoneNumber::from_stored(6281100000001)},
            .per_minute = 30,
            .quiet_hours = {{.from = 20h, .to = 8h}},
            .timezone = "Asia/Jakarta",
            .schedule_at = from_unix_millis(1'900'000'000'000),
            .finish_by = from_unix_millis(1'900'000'900'000),
            .exclude = {{.campaigns = {{.value = 4}}, .contacted_within_days = 7}},
            .frequency = {{.messages = 1, .days = 7}},
            .stop_rules = {.failures_in_row = 5, .unregistered_percent = 30},
            .optout = model::OptOutWay::keyword,
            .consent = "formulir di toko",
            .callback = "https://example.com/status"};
}

TEST_P(CampaignTest, APlanIsReadBackAsItWasStored) {
    const auto made = take(run([&](CampaignTables& campaigns) {
        return campaigns.create_campaign(
            {.account = account, .plan = full_plan(), .created_at = clock.now()});
    }));
    EXPECT_EQ(made.plan, full_plan());
    EXPECT_EQ(campaign(made.id).plan, full_plan());
    auto changed = full_plan();
    changed.variants.clear();
    changed.media.reset();
    EXPECT_TRUE(
        run([&](CampaignTables& campaigns) { return campaigns.set_plan(made.id, changed); }));
    reopen();
    EXPECT_EQ(campaign(made.id).plan, changed);
    EXPECT_EQ(campaign(made.id).state, CampaignState::draft);
    EXPECT_EQ(campaign(made.id).created_at, clock.now());
}

TEST_P(CampaignTest, AnAccountHasABoundedNumberOfCampaignsThatHaveNotEnded) {
    const auto room = [this](model::AccountId whose) {
        return run([whose](CampaignTables& campaigns) { return campaigns.check_room(whose); });
    };
    run([&](CampaignTables& campaigns) -> Result<void> {
        for (std::size_t count = 1; count < CampaignTables::unfinished_max; ++count) {
            take(campaigns.create_campaign({.account = account, .created_at = clock.now()}));
        }
        return {};
    });
    EXPECT_TRUE(room(account));
    const auto last = create().id;
    EXPECT_EQ(room(account).error().code, ErrorCode::conflict);
    EXPECT_TRUE(room({account.value + 1})) << "another account's campaigns do not count";
    move(last, CampaignState::running);
    EXPECT_FALSE(room(account));
    move(last, CampaignState::finished);
    EXPECT_TRUE(room(account));
}

TEST_P(CampaignTest, RowsOfAnUploadJoinTheAudienceWhenItIsComplete) {
    const auto id = create().id;
    UploadCounts counts;
    ASSERT_TRUE(stage(id, {fresh(1), fresh(2)}, counts));
    ASSERT_TRUE(stage(id, {{.number = {}, .original = "satu", .values = {}}, fresh(1)}, counts));
    EXPECT_EQ(campaign(id).counts.total(), 0);
    EXPECT_TRUE(pending(id).empty());
    EXPECT_EQ(unclean(), std::vector{id});
    EXPECT_EQ(counts, (UploadCounts{.rows = 4, .added = 2, .invalid = 1, .duplicate = 1}));

    ASSERT_TRUE(complete(id, counts));
    EXPECT_EQ(campaign(id).counts.of(RecipientState::pending), 2);
    EXPECT_EQ(campaign(id).counts.of(RecipientState::skipped), 2);
    EXPECT_EQ(campaign(id).columns, std::vector<std::string>{"name"});
    EXPECT_EQ(pending(id), (std::vector<Row>{1, 2}));
    EXPECT_EQ(row(id, 1).number, number(1));
    EXPECT_EQ(row(id, 1).values, std::vector<std::string>{"Budi 1"});
    EXPECT_EQ(row(id, 1).original, "01");
    EXPECT_EQ(row(id, 3).reason, SkipReason::invalid);
    EXPECT_EQ(row(id, 3).original, "satu");
    EXPECT_FALSE(row(id, 3).number);
    EXPECT_EQ(row(id, 4).reason, SkipReason::duplicate);
    EXPECT_EQ(row(id, 4).number, number(1));
    EXPECT_TRUE(unclean().empty());
}

TEST_P(CampaignTest, ASecondUploadAddsToTheFirst) {
    const auto id = create().id;
    upload(id, {fresh(1), fresh(2)});
    const auto counts = upload(id, {fresh(2), fresh(3)});
    EXPECT_EQ(counts.duplicate, 1);
    EXPECT_EQ(campaign(id).counts.of(RecipientState::pending), 3);
    EXPECT_EQ(row(id, 3).reason, SkipReason::duplicate);
    EXPECT_EQ(row(id, 4).number, number(3));
}

TEST_P(CampaignTest, AnUploadThatBreaksOffAddsNothing) {
    const auto id = create().id;
    upload(id, {fresh(1)});
    UploadCounts counts;
    ASSERT_TRUE(stage(id, {fresh(2), fresh(3), fresh(4)}, counts));
    reopen();  // A crash.
    EXPECT_EQ(unclean(), std::vector{id});
    const auto step =
        take(run([&](CampaignTables& campaigns) { return campaigns.remove_rows(id, 2); }));
    EXPECT_EQ(step.changed, 2);
    EXPECT_FALSE(step.complete);
    EXPECT_TRUE(take(run([&](CampaignTables& campaigns) {
                    return campaigns.remove_rows(id, 2);
                })).complete);
    EXPECT_TRUE(unclean().empty());
    EXPECT_EQ(campaign(id).counts.total(), 1);
    EXPECT_EQ(upload(id, {fresh(2)}).added, 1);
    EXPECT_EQ(row(id, 2).number, number(2));
}

TEST_P(CampaignTest, AnUploadThatMissesRowsIsRefused) {
    const auto id = create().id;
    UploadCounts counts;
    ASSERT_TRUE(stage(id, {fresh(1), fresh(2)}, counts));
    counts.rows = counts.added = 3;
    EXPECT_EQ(complete(id, counts).error().code, ErrorCode::conflict);
    EXPECT_EQ(campaign(id).counts.total(), 0);
}

TEST_P(CampaignTest, AnAudienceIsEmptiedInSteps) {
    const auto id = with_rows(1, 5).id;
    EXPECT_EQ(take(run([&](CampaignTables& campaigns) {
                  return campaigns.empty_audience(id);
              })).counts.total(),
              0);
    EXPECT_TRUE(pending(id).empty());
    EXPECT_TRUE(take(run([&](CampaignTables& campaigns) {
                    return campaigns.remove_rows(id, 10);
                })).complete);
    EXPECT_EQ(upload(id, {fresh(1)}).added, 1);
    EXPECT_EQ(row(id, 1).number, number(1));
}

TEST_P(CampaignTest, ACopyIsHiddenUntilItsAudienceIsWhole) {
    const auto begin = [&] {
        return take(run([&](CampaignTables& campaigns) {
                   return campaigns.begin_copy({.account = account, .created_at = clock.now()});
               }))
            .id;
    };
    const auto is_hidden = [&](model::CampaignId id) {
        EXPECT_TRUE(reported.empty()) << "nobody is told of it";
        EXPECT_FALSE(take(reader()->campaigns().campaign(id)));
        EXPECT_TRUE(take(reader()->campaigns().campaigns({.account = account})).empty());
        EXPECT_TRUE(take(reader()->campaigns().open_campaigns(ShardSet::all())).empty());
        EXPECT_FALSE(
            take(run([&](CampaignTables& campaigns) { return campaigns.find_campaign(id); })));
        EXPECT_EQ(take(reader()->campaigns().campaigns_to_clean(ShardSet::all())),
                  (std::vector<CampaignToClean>{{.campaign = id, .account = account}}));
    };
    const auto whole = begin();
    is_hidden(whole);
    UploadCounts counts;
    ASSERT_TRUE(stage(whole, {fresh(1), fresh(2)}, counts));
    reopen();
    is_hidden(whole);
    EXPECT_TRUE(complete(whole, counts));
    EXPECT_EQ(campaign(whole).counts.of(RecipientState::pending), 2);
    EXPECT_EQ(campaign(whole).state, model::CampaignState::draft);
    EXPECT_TRUE(take(reader()->campaigns().campaigns_to_clean(ShardSet::all())).empty());
    EXPECT_FALSE(reported.empty());
    ASSERT_TRUE(run([&](CampaignTables& campaigns) { return campaigns.remove_campaign(whole); }));
    const auto clean = [&](model::CampaignId id) {
        return take(run([&](CampaignTables& campaigns) { return campaigns.remove_rows(id, 10); }));
    };
    EXPECT_TRUE(clean(whole).complete);

    reported.clear();
    const auto left = begin();
    UploadCounts few;
    ASSERT_TRUE(stage(left, {fresh(3)}, few));
    is_hidden(left);
    EXPECT_EQ(clean(left).changed, 1U);
    EXPECT_TRUE(take(reader()->campaigns().campaigns_to_clean(ShardSet::all())).empty());
    EXPECT_FALSE(complete(left, few)) << "it is gone";

    const auto given_up = begin();
    ASSERT_TRUE(
        run([&](CampaignTables& campaigns) { return campaigns.remove_campaign(given_up); }));
    EXPECT_FALSE(reported.empty()) << "somebody has to clean";
    UploadCounts none;
    EXPECT_FALSE(stage(given_up, {fresh(4)}, none));
}

TEST_P(CampaignTest, OnlyADraftTakesRows) {
    const auto id = running(1, 1).id;
    UploadCounts counts;
    EXPECT_EQ(stage(id, {fresh(2)}, counts).error().code, ErrorCode::conflict);
    EXPECT_EQ(complete(id, {}).error().code, ErrorCode::conflict);
    EXPECT_EQ(
        run([&](CampaignTables& campaigns) { return campaigns.empty_audience(id); }).error().code,
        ErrorCode::conflict);
}

TEST_P(CampaignTest, HandingOverStoresTheMessageAndMarksTheRowInOneCommit) {
    const auto id = running(1, 2).id;
    reported.clear();
    const auto made = queued(id, 1);
    const auto kept = row(id, 1);
    EXPECT_EQ(kept.state, RecipientState::queued);
    EXPECT_EQ(kept.message, made.id);
    EXPECT_EQ(kept.device, device);
    EXPECT_EQ(kept.variant, 1);
    EXPECT_EQ(pending(id), std::vector<Row>{2});
    EXPECT_EQ(take(reader()->campaigns().queued_rows(id, 0, 10)).size(), 1);
    const auto stored = take(reader()->message(made.id));
    ASSERT_TRUE(stored);
    EXPECT_EQ(stored->message.campaign, id);
    EXPECT_EQ(stored->message.campaign_row, 1);
    EXPECT_EQ(stored->message.source, model::Source::campaign);
    ASSERT_TRUE(last_reported());
    EXPECT_EQ(last_reported()->counts, campaign(id).counts);
    EXPECT_EQ(campaign(id).next_due_at, clock.now());
    EXPECT_EQ(queue_rows(id, 1), PlannedRow::Result::left);  // No second message.
}

TEST_P(CampaignTest, NothingIsHandedOverUnlessTheCampaignRuns) {
    const auto id = running(1, 2).id;
    move(id, CampaignState::paused, model::CampaignReason::asked);
    EXPECT_EQ(queue_rows(id, 1), PlannedRow::Result::left);
    move(id, CampaignState::running);
    EXPECT_EQ(queue_rows(id, 3), PlannedRow::Result::left);  // No such row.
    EXPECT_EQ(queue_rows(id, 1), PlannedRow::Result::queued);
}

TEST_P(CampaignTest, ARowFollowsItsMessage) {
    const auto id = running(1, 5).id;
    const auto at = [&](RecipientState state) { return campaign(id).counts.of(state); };
    end(queued(id, 1), MessageState::sent);
    end(queued(id, 2), MessageState::failed, StatusCode::media_refused);
    end(queued(id, 3), MessageState::cancelled);
    const auto held = queued(id, 4);
    end(held, MessageState::held);
    EXPECT_EQ(row(id, 1).state, RecipientState::sent);
    EXPECT_EQ(row(id, 2).state, RecipientState::failed);
    EXPECT_EQ(row(id, 2).code, StatusCode::media_refused);
    EXPECT_EQ(row(id, 3).state, RecipientState::cancelled);
    EXPECT_EQ(row(id, 4).state, RecipientState::uncertain);
    EXPECT_EQ(at(RecipientState::sent), 1);
    EXPECT_EQ(campaign(id).ends.sent, 1);
    EXPECT_EQ(campaign(id).ends.failures_in_row, 1);

    ASSERT_TRUE(change(
        [&](Tables& tables) { return tables.release_message(held.id, clock.now(), clock.now()); }));
    EXPECT_EQ(row(id, 4).state, RecipientState::queued);
    end(held, MessageState::held);
    ASSERT_TRUE(change([&](Tables& tables) {
        return tables.fail_message(held.id, finish_of(held, MessageState::failed).completion, {});
    }));
    EXPECT_EQ(row(id, 4).state, RecipientState::failed);
    EXPECT_EQ(at(RecipientState::failed), 2);
    EXPECT_EQ(at(RecipientState::uncertain), 0);
    EXPECT_EQ(at(RecipientState::pending), 1);
    EXPECT_TRUE(faults().empty());
}

TEST_P(CampaignTest, ABatchOfEndsReportsItsCampaignOnce) {
    const auto id = running(1, 3).id;
    WriteBatch batch;
    for (Row one = 1; one <= 3; ++one) {
        batch.finishes.push_back(finish_of(queued(id, one)));
    }
    write_as_it_is(batch);
    ASSERT_EQ(batch.row_changes.size(), 1);
    const auto* written = std::get_if<CampaignWritten>(&batch.row_changes.front());
    ASSERT_TRUE(written != nullptr);
    EXPECT_EQ(written->campaign->counts.of(RecipientState::sent), 3);
}

TEST_P(CampaignTest, AWithdrawnMessageIsAsIfItHadNeverBeen) {
    const auto id = running(1, 2).id;
    const auto made = queued(id, 1);
    withdraw(made);
    EXPECT_FALSE(take(reader()->message(made.id)));
    EXPECT_EQ(row(id, 1).state, RecipientState::pending);
    EXPECT_EQ(row(id, 1).device, device);
    EXPECT_FALSE(row(id, 1).message);
    EXPECT_EQ(pending(id), (std::vector<Row>{1, 2}));
    EXPECT_TRUE(take(reader()->usage(
                         {.account = account, .since = Timestamp{}, .until = clock.now() + 24h}))
                    .empty());
    EXPECT_EQ(campaign(id).ends, model::CampaignEnds{});
    end(queued(id, 1), MessageState::sent);
    EXPECT_EQ(campaign(id).counts.of(RecipientState::sent), 1);
}

TEST_P(CampaignTest, AMessageThatIsSentAgainQueuesItsRowAgain) {
    const auto id = running(1, 1).id;
    const auto first = queued(id, 1);
    end(first, MessageState::failed);
    auto again = message_of(id, 1);
    const auto second = *again;
    WriteBatch batch;
    batch.accepts.push_back({.message = std::move(again), .retry_of = first.id});
    write_as_it_is(batch);
    ASSERT_EQ(batch.accepts.front().result, Accept::Result::stored);
    EXPECT_EQ(row(id, 1).state, RecipientState::queued);
    EXPECT_EQ(row(id, 1).message, second.id);
    end(second, MessageState::sent);
    EXPECT_EQ(campaign(id).counts.of(RecipientState::sent), 1);
    EXPECT_EQ(campaign(id).counts.of(RecipientState::failed), 0);
}

TEST_P(CampaignTest, RowsThatFailedAreMadePendingAgainInSteps) {
    const auto id = running(1, 6).id;
    for (Row one = 1; one <= 4; ++one) {
        end(queued(id, one), MessageState::failed,
            one % 2 == 0 ? StatusCode::recipient_invalid : StatusCode::failed);
    }
    end(queued(id, 5), MessageState::held);
    const auto retry = [&](RetryScope scope, std::optional<StatusCode> code) {
        std::size_t changed = 0;
        for (RowStep step; !step.complete;) {
            step = take(run([&](CampaignTables& campaigns) {
                return campaigns.retry_rows(id, scope, code, step.last_row, 2, clock.now());
            }));
            changed += step.changed;
        }
        return changed;
    };
    EXPECT_EQ(retry(RetryScope::failed, StatusCode::recipient_invalid), 2);
    EXPECT_EQ(pending(id), (std::vector<Row>{2, 4, 6}));
    EXPECT_EQ(retry(RetryScope::failed, {}), 2);
    EXPECT_EQ(retry(RetryScope::uncertain, {}), 1);
    EXPECT_EQ(campaign(id).counts.of(RecipientState::pending), 6);
}

TEST_P(CampaignTest, ACancelledCampaignEndsItsPendingRowsInSteps) {
    const auto id = running(1, 5).id;
    const auto under_way = queued(id, 1);
    move(id, CampaignState::cancelled);
    EXPECT_EQ(campaign(id).finished_at, clock.now());
    EXPECT_EQ(take(reader()->campaigns().open_campaigns(ShardSet::all())).size(), 1);
    const auto cancel = [&] {
        return take(run(
            [&](CampaignTables& campaigns) { return campaigns.cancel_rows(id, 3, clock.now()); }));
    };
    EXPECT_FALSE(cancel().complete);
    EXPECT_TRUE(cancel().complete);
    EXPECT_EQ(campaign(id).counts.of(RecipientState::cancelled), 4);
    // One is under way.
    EXPECT_EQ(take(reader()->campaigns().open_campaigns(ShardSet::all())).size(), 1);
    end(under_way, MessageState::sent);
    EXPECT_TRUE(take(reader()->campaigns().open_campaigns(ShardSet::all())).empty());
    EXPECT_EQ(campaign(id).counts.of(RecipientState::sent), 1);
    EXPECT_EQ(campaign(id).counts.open(), 0);
}

TEST_P(CampaignTest, StatesCarryTheirTimes) {
    const auto id = running(1, 1).id;
    const auto began = clock.now();
    clock.advance(1min);
    move(id, CampaignState::paused, model::CampaignReason::asked);
    clock.advance(1min);
    EXPECT_EQ(move(id, CampaignState::running).started_at, began);
    const auto ended = move(id, CampaignState::finished);
    EXPECT_EQ(ended.finished_at, clock.now());
    const auto again = move(id, CampaignState::paused, model::CampaignReason::asked);
    EXPECT_FALSE(again.finished_at);
    EXPECT_EQ(campaign(id).reason, model::CampaignReason::asked);
}

TEST_P(CampaignTest, ACampaignIsToBeNotifiedUntilThatIsNoted) {
    const auto id = running(1, 1).id;
    const auto to_notify = [&] {
        return take(reader()->campaigns().campaigns_to_notify(ShardSet::all())).size();
    };
    EXPECT_EQ(to_notify(), 1);
    const auto note = [&](CampaignState state) {
        EXPECT_TRUE(
            run([&](CampaignTables& campaigns) { return campaigns.note_notified(id, state, {}); }));
    };
    note(CampaignState::running);
    EXPECT_EQ(to_notify(), 0);
    move(id, CampaignState::finished);
    EXPECT_EQ(to_notify(), 1);
    note(CampaignState::finished);
    EXPECT_EQ(to_notify(), 0);
}

TEST_P(CampaignTest, ARemovedCampaignIsHiddenAndGoesInSteps) {
    const auto id = with_rows(1, 5).id;
    reported.clear();
    EXPECT_TRUE(run([&](CampaignTables& campaigns) { return campaigns.remove_campaign(id); }));
    ASSERT_EQ(reported.size(), 1);
    EXPECT_EQ(std::get<CampaignRemoved>(reported.front()).campaign, id);
    EXPECT_FALSE(take(reader()->campaigns().campaign(id)));
    EXPECT_TRUE(take(reader()->campaigns().campaigns({.account = account})).empty());
    EXPECT_EQ(
        run([&](CampaignTables& campaigns) { return campaigns.remove_campaign(id); }).error().code,
        ErrorCode::not_found);
    EXPECT_EQ(unclean(), std::vector{id});
    for (RowStep step; !step.complete;) {
        step = take(run([&](CampaignTables& campaigns) { return campaigns.remove_rows(id, 2); }));
    }
    EXPECT_TRUE(unclean().empty());
    EXPECT_EQ(
        run([&](CampaignTables& campaigns) { return campaigns.remove_rows(id, 2); }).error().code,
        ErrorCode::not_found);
}

TEST_P(CampaignTest, ListsAreOfOneAccountAndState) {
    const auto mine = create().id;
    const auto started = running(1, 1).id;
    const auto before = account;
    account = create_account();
    EXPECT_TRUE(add_device({.number = device_of(account), .account = account}));
    const auto theirs = create({.devices = {device_of(account)}}).id;
    const auto list = [&](const CampaignFilter& filter) {
        std::vector<model::CampaignId> ids_found;
        for (const auto& one : take(reader()->campaigns().campaigns(filter))) {
            ids_found.push_back(one.id);
        }
        return ids_found;
    };
    EXPECT_EQ(list({.account = account}), std::vector{theirs});
    EXPECT_EQ(list({.account = before}), (std::vector{started, mine}));
    EXPECT_EQ(list({.account = before, .before = started}), std::vector{mine});
    EXPECT_EQ(list({.state = CampaignState::draft}), (std::vector{theirs, mine}));
}

TEST_P(CampaignTest, RecipientsAreListedByStateAndReason) {
    const auto id = create().id;
    upload(id, {fresh(1), {.original = "x"}, fresh(1), fresh(2)});
    const auto list = [&](RecipientFilter filter) {
        filter.campaign = id;
        std::vector<Row> rows;
        for (;;) {
            const auto page = take(reader()->campaigns().recipients(filter));
            for (const auto& one : page.recipients) {
                rows.push_back(one.row);
            }
            if (!page.next) {
                return rows;
            }
            filter.after_row = *page.next;
        }
    };
    EXPECT_EQ(list({.limit = 1}), (std::vector<Row>{1, 2, 3, 4}));
    EXPECT_EQ(list({.state = RecipientState::skipped}), (std::vector<Row>{2, 3}));
    EXPECT_EQ(list({.reason = SkipReason::duplicate}), (std::vector<Row>{3}));
}

TEST_P(CampaignTest, ADeviceOfARunningCampaignStays) {
    const auto id = running(1, 1).id;
    const auto remove = [&] {
        return change([&](Tables& tables) { return tables.remove_device(device); });
    };
    const auto refused = remove();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::conflict);
    EXPECT_TRUE(refused.error().detail.contains(id.text())) << refused.error().detail;
    move(id, CampaignState::paused, model::CampaignReason::asked);
    move(id, CampaignState::cancelled);
    EXPECT_TRUE(remove());
}

TEST_P(CampaignTest, ARowIsNotHandedToADeviceThatIsGone) {
    const auto id = running(1, 1).id;
    std::vector<PlannedRow> rows;
    rows.push_back(planned(id, 1));
    rows.back().message->device = model::PhoneNumber::from_stored(6281999999999);
    EXPECT_EQ(queue_rows(id, std::move(rows)).rows.front().result, PlannedRow::Result::sender_gone);
    EXPECT_EQ(campaign(id).counts.of(RecipientState::pending), 1);
}

INSTANTIATE_TEST_SUITE_P(Engines, CampaignTest, ::testing::ValuesIn(engines()), name_of);

}  // namespace
}  // namespace merpati::store
