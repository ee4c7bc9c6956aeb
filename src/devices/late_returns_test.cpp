// Messages whose answer was lost, and failures that put a message back into its lane.
#include "devices/late_statuses_fixture.hpp"

namespace merpati::devices {
namespace {

using namespace std::chrono_literals;
using model::MessageState;
using model::Progress;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

using LateReturnsTest = LateStatusesFixture;

TEST_F(LateReturnsTest, AStatusThatNamesAMessageWhoseAnswerWasLostEndsIt) {
    const auto id = lose_answer(model::WithoutStatus::repeated);
    report(Progress::sent, "wamid.9", model::StatusCode::sent, id);
    ASSERT_THAT(ended, SizeIs(1));
    EXPECT_EQ(ended[0].completion.state, MessageState::sent);
    EXPECT_EQ(ended[0].completion.platform_id, "wamid.9");
    report(Progress::delivered, "wamid.9", model::StatusCode::sent, id);
    EXPECT_THAT(progressed, ElementsAre(id.text() + " delivered"));
    EXPECT_THAT(webhooks(), SizeIs(1));
}

TEST_F(LateReturnsTest, AStatusNamesNoMessageOfAnotherAccount) {
    const auto id = lose_answer(model::WithoutStatus::held);
    give_device_to_another_account();
    report(Progress::failed, "wamid.9", model::StatusCode::failed, id);
    EXPECT_EQ(state(id), MessageState::handed_over);
    EXPECT_THAT(webhooks(), IsEmpty());
}

TEST_F(LateReturnsTest, AStatusThatNamesAMessageInItsLaneIsTakenOnceItsAnswerIsLost) {
    const auto id = accept();
    report(Progress::delivered, "wamid.9", model::StatusCode::sent, id);
    EXPECT_THAT(webhooks(), SizeIs(1));
    EXPECT_EQ(state(id), MessageState::pending);
    hand_over_as(id, {}, 60s);
    decide();
    EXPECT_EQ(state(id), MessageState::sent);
    EXPECT_THAT(webhooks(), SizeIs(1)) << "it was notified before";
}

TEST_F(LateReturnsTest, AFailureThatNamesAMessageInItsLaneIsReportedByItsCallbackAlone) {
    const auto id = accept();
    report(Progress::failed, "wamid.9", model::StatusCode::recipient_unregistered, id);
    hand_over_as(id, "wamid.9", 60s);
    decide();
    ASSERT_THAT(ended, SizeIs(1));
    EXPECT_EQ(ended[0].completion.code, model::StatusCode::recipient_unregistered);
    EXPECT_THAT(webhooks(), IsEmpty());
}

TEST_F(LateReturnsTest, WithoutAStatusALostAnswerIsRepeatedOrHeld) {
    clock.advance(1h);
    const auto repeated = lose_answer(model::WithoutStatus::repeated);
    const auto held = lose_answer(model::WithoutStatus::held);
    clock.advance(60s);
    decide();
    decide();
    EXPECT_EQ(state(held), MessageState::held);
    ASSERT_THAT(ended, SizeIs(1));
    EXPECT_EQ(ended[0].completion.details, model::details::held);
    EXPECT_FALSE(ended[0].callback);
    const auto waiting = queued(repeated);
    EXPECT_TRUE(waiting.perhaps_sent);
    EXPECT_EQ(waiting.queued_at, queue_clock.now());
    ASSERT_THAT(returned, SizeIs(1));
    EXPECT_EQ(returned[0].device, device);
    EXPECT_EQ(returned[0].due, queue_clock.now());
    EXPECT_FALSE(returned[0].down_for);
}

TEST_F(LateReturnsTest, AfterACrashALostAnswerStillHasTimeForItsStatus) {
    const auto told = lose_answer(model::WithoutStatus::repeated);
    const auto silent = lose_answer(model::WithoutStatus::repeated);
    clock.advance(1h);
    open();
    decide();
    EXPECT_EQ(state(silent), MessageState::handed_over);
    report(Progress::sent, "wamid.9", model::StatusCode::sent, told);
    clock.advance(LateStatuses::start_grace);
    decide();
    EXPECT_EQ(state(told), MessageState::sent);
    EXPECT_TRUE(queued(silent).perhaps_sent);
    open();
    EXPECT_TRUE(queued(silent).perhaps_sent);
}

TEST_F(LateReturnsTest, AMessageWhoseDeviceHasGoneIsNotSentByItsNextOwner) {
    clock.advance(1h);
    const auto lost = lose_answer(model::WithoutStatus::repeated);
    const auto refused = hand_over("wamid.2");
    give_device_to_another_account();
    report_passing({.kind = model::Outcome::Kind::retry}, {}, "wamid.2");
    clock.advance(60s);
    decide();
    EXPECT_EQ(state(lost), MessageState::failed);
    EXPECT_EQ(state(refused), MessageState::failed);
    EXPECT_THAT(returned, IsEmpty());
}

TEST_F(LateReturnsTest, APassingFailurePutsTheMessageBackWithItsBackOff) {
    const auto id = hand_over();
    const auto before = queue_clock.now();
    report_passing({.kind = model::Outcome::Kind::retry, .retry_after = 90s});
    EXPECT_THAT(ended, IsEmpty());
    EXPECT_THAT(webhooks(), IsEmpty());
    const auto waiting = queued(id);
    EXPECT_EQ(waiting.queued_at, before + 90s);
    EXPECT_EQ(waiting.failing_since, before);
    EXPECT_EQ(waiting.attempts, 1U);
    EXPECT_FALSE(waiting.perhaps_sent);
    const auto trail = *(*store->open_reader())->trail(id);
    ASSERT_THAT(trail.events, SizeIs(1));
    EXPECT_EQ(trail.events[0].details, "131047 Re-engagement");
    ASSERT_THAT(returned, SizeIs(1));
    EXPECT_EQ(returned[0].due, before + 90s);
}

TEST_F(LateReturnsTest, AfterGiveUpAPassingFailureEndsIt) {
    const auto id = accept();
    hand_over_as(id, "wamid.1", 60s,
                 [&](store::HandOver& work) { work.failing_since = queue_clock.now() - 24h; });
    report_passing({.kind = model::Outcome::Kind::retry});
    ASSERT_THAT(ended, SizeIs(1));
    EXPECT_THAT(ended[0].completion.details, StartsWith(model::details::gave_up));
}

TEST_F(LateReturnsTest, AMessageGoesOnceMoreAsTheTemplateAndKeepsItsPlace) {
    const auto due = queue_clock.now();
    const auto id = hand_over();
    clock.advance(3s);
    report_passing({.kind = model::Outcome::Kind::retry, .as_template = true});
    auto waiting = queued(id);
    EXPECT_TRUE(waiting.as_template);
    EXPECT_EQ(waiting.queued_at, due);
    EXPECT_EQ(waiting.attempts, 0U);
    report(Progress::failed);  // Of the first one, which has no part in it any more.
    report(Progress::delivered);
    EXPECT_THAT(webhooks(), IsEmpty());
    EXPECT_THAT(returned, SizeIs(1));
}

TEST_F(LateReturnsTest, ATemplateThatIsRefusedAndAFileEndAsFailed) {
    const auto text = accept();
    hand_over_as(text, "wamid.1", 60s, [](store::HandOver& work) { work.as_template = true; });
    const auto media = accept(model::MessageType::media);
    hand_over_as(media, "wamid.2", 60s);
    report_passing({.kind = model::Outcome::Kind::retry, .as_template = true});
    report_passing({.kind = model::Outcome::Kind::retry, .as_template = true}, {}, "wamid.2");
    ASSERT_THAT(ended, SizeIs(2));
    EXPECT_EQ(ended[0].completion.details, "131047 Re-engagement");
    EXPECT_EQ(state(media), MessageState::failed);
}

TEST_F(LateReturnsTest, ADeviceThatIsDownAndARestrictedRecipientCostNoAttempt) {
    const auto down = hand_over("wamid.1");
    const auto restricted = hand_over("wamid.2");
    const auto due = queue_clock.now();
    report_passing({.kind = model::Outcome::Kind::device_down, .retry_after = 30s});
    report_passing({.kind = model::Outcome::Kind::restricted, .restricted_until = clock.now() + 6s},
                   {}, "wamid.2");
    EXPECT_EQ(queued(down).attempts, 0U);
    EXPECT_EQ(queued(down).queued_at, due);
    EXPECT_EQ(queued(restricted).attempts, 0U);
    EXPECT_EQ(queued(restricted).queued_at, due + 6s);
    ASSERT_THAT(returned, SizeIs(2));
    EXPECT_EQ(returned[0].down_for, 30s);
    EXPECT_FALSE(returned[1].down_for);
}

TEST_F(LateReturnsTest, APassingFailureThatCameBeforeTheHandOverCountsAtTheHandOver) {
    report_passing({.kind = model::Outcome::Kind::retry, .as_template = true});
    open();
    const auto id = hand_over();
    decide();
    EXPECT_TRUE(queued(id).as_template);
    EXPECT_THAT(ended, IsEmpty());
}

TEST_F(LateReturnsTest, APassingFailureAfterTheEndReachesTheWebhookAlone) {
    const auto id = hand_over();
    report(Progress::sent);
    report_passing({.kind = model::Outcome::Kind::retry});
    EXPECT_EQ(state(id), MessageState::sent);
    EXPECT_THAT(returned, IsEmpty());
    EXPECT_THAT(webhooks(), ElementsAre(HasSubstr(R"("status":"failed")")));
}

}  // namespace
}  // namespace merpati::devices
