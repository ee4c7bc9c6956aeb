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
using ::testing::UnorderedElementsAre;

using LateStatusesTest = LateStatusesFixture;

TEST_F(LateStatusesTest, AStatusEndsTheMessageOnceWithItsCallback) {
    const auto id = hand_over();
    report(Progress::sent);
    report(Progress::sent);
    ASSERT_THAT(ended, SizeIs(1));
    EXPECT_EQ(ended[0].message->id, id);
    EXPECT_EQ(ended[0].completion.state, MessageState::sent);
    EXPECT_EQ(ended[0].completion.platform_id, "wamid.1");
    ASSERT_TRUE(ended[0].callback);
    EXPECT_EQ(state(id), MessageState::sent);
    EXPECT_THAT(webhooks(), IsEmpty());  // The callback reports it.
}

TEST_F(LateStatusesTest, ALateFailureEndsItAsFailed) {
    const auto id = hand_over();
    report(Progress::failed);
    ASSERT_THAT(ended, SizeIs(1));
    EXPECT_EQ(ended[0].completion.state, MessageState::failed);
    EXPECT_EQ(ended[0].completion.code, model::StatusCode::failed);
    EXPECT_EQ(ended[0].completion.details, model::details::failed);
    EXPECT_EQ(state(id), MessageState::failed);
}

TEST_F(LateStatusesTest, ALateFailureSaysThatAnEarlierAttemptMayHaveReachedThePlatform) {
    (void)hand_over("wamid.1", 60s, true);
    report(Progress::failed);
    ASSERT_THAT(ended, SizeIs(1));
    EXPECT_EQ(ended[0].completion.details,
              std::string{model::details::unknown} + ": " + std::string{model::details::failed});
    EXPECT_THAT(ended[0].callback->body, HasSubstr(model::details::unknown));
}

TEST_F(LateStatusesTest, ALateRefusalOfTheRecipientAndASuccessSayNothingOfTheKind) {
    (void)hand_over("wamid.1", 60s, true);
    (void)hand_over("wamid.2", 60s, true);
    report(Progress::failed, "wamid.1", model::StatusCode::recipient_unregistered);
    report(Progress::sent, "wamid.2", model::StatusCode::sent);
    ASSERT_THAT(ended, SizeIs(2));
    EXPECT_EQ(ended[0].completion.details, model::details::failed);
    EXPECT_EQ(ended[1].completion.details, model::details::sent);
}

TEST_F(LateStatusesTest, DeliveredSaysThatItWasSentAndTellsTheWebhook) {
    const auto id = hand_over();
    report(Progress::delivered);
    report(Progress::sent);
    report(Progress::delivered);
    EXPECT_THAT(ended, SizeIs(1));
    EXPECT_EQ(state(id), MessageState::sent);
    ASSERT_THAT(webhooks(), SizeIs(1));
    EXPECT_THAT(webhooks()[0], HasSubstr(R"("status":"delivered")"));
    EXPECT_THAT(webhooks()[0], HasSubstr(id.text()));
}

TEST_F(LateStatusesTest, WhatWasDeliveredAndReadIsReportedOnceToThoseWhoWatch) {
    const auto id = hand_over();
    report(Progress::sent);
    EXPECT_THAT(progressed, IsEmpty());
    report(Progress::delivered);
    report(Progress::delivered);
    report(Progress::read);
    EXPECT_THAT(progressed, ElementsAre(id.text() + " delivered", id.text() + " read"));
}

TEST_F(LateStatusesTest, WhatComesBeforeTheHandOverCountsAtTheHandOver) {
    report(Progress::read);
    EXPECT_THAT(webhooks(), IsEmpty());
    const auto id = hand_over();
    EXPECT_EQ(state(id), MessageState::handed_over);
    decide();
    EXPECT_EQ(state(id), MessageState::sent);
    ASSERT_THAT(webhooks(), SizeIs(1));
    EXPECT_THAT(webhooks()[0], HasSubstr(R"("status":"read")"));
}

TEST_F(LateStatusesTest, WithoutAStatusInTimeNobodyKnowsAndItIsNotSentAgain) {
    clock.advance(1h);
    const auto id = hand_over();
    clock.advance(59s);
    decide();
    EXPECT_EQ(state(id), MessageState::handed_over);
    clock.advance(1s);
    decide();
    decide();
    ASSERT_THAT(ended, SizeIs(1));
    EXPECT_EQ(ended[0].completion.state, MessageState::failed);
    EXPECT_EQ(ended[0].completion.details, model::details::undecided);
    EXPECT_EQ(state(id), MessageState::failed);
    report(Progress::delivered);  // It had arrived after all: too late for the callback.
    EXPECT_THAT(ended, SizeIs(1));
    EXPECT_EQ(state(id), MessageState::failed);
    EXPECT_THAT(webhooks(), SizeIs(1));
}

TEST_F(LateStatusesTest, ACrashKeepsItWaitingAndLeavesTimeToReportWhatCameMeanwhile) {
    const auto told = hand_over("wamid.1");
    const auto silent = hand_over("wamid.2");
    clock.advance(1h);
    open();
    decide();
    EXPECT_EQ(state(silent), MessageState::handed_over);
    report(Progress::sent, "wamid.1");
    clock.advance(LateStatuses::start_grace);
    decide();
    EXPECT_EQ(state(told), MessageState::sent);
    EXPECT_EQ(state(silent), MessageState::failed);
    EXPECT_THAT(ended, SizeIs(2));
}

TEST_F(LateStatusesTest, MoreThanOneCommitMayDecideFollowEachOtherAtOnce) {
    clock.advance(1h);
    for (int count = 0; count < 300; ++count) {
        (void)hand_over("wamid." + std::to_string(count), 1s);
    }
    clock.advance(1s);
    decide();
    flush();
    EXPECT_THAT(ended, SizeIs(300));
}

TEST_F(LateStatusesTest, AnotherAccountsWebhookLearnsNothingOfTheMessage) {
    const auto id = hand_over();
    report(Progress::sent);
    give_device_to_another_account();
    report(Progress::delivered);
    EXPECT_EQ(state(id), MessageState::sent);
    EXPECT_THAT(webhooks(), IsEmpty());
    EXPECT_THAT(progressed, IsEmpty());
}

TEST_F(LateStatusesTest, WhereTheAcceptanceIsEnoughItIsSentWithoutAStatus) {
    clock.advance(1h);
    const auto id = accept();
    hand_over_as(id, "wamid.1", 60s,
                 [](store::HandOver& work) { work.without_status = model::WithoutStatus::sent; });
    clock.advance(60s);
    decide();
    ASSERT_THAT(ended, SizeIs(1));
    EXPECT_EQ(ended[0].completion.state, MessageState::sent);
    EXPECT_EQ(ended[0].completion.code, model::StatusCode::sent);
    EXPECT_EQ(ended[0].completion.platform_id, "wamid.1");
    report(Progress::failed);  // Too late for the callback.
    report(Progress::delivered);
    EXPECT_THAT(ended, SizeIs(1));
    EXPECT_EQ(state(id), MessageState::sent);
    EXPECT_THAT(webhooks(), UnorderedElementsAre(HasSubstr(R"("status":"failed")"),
                                                 HasSubstr(R"("status":"delivered")")));
    EXPECT_THAT(progressed, ElementsAre(id.text() + " delivered"));
}

TEST_F(LateStatusesTest, AfterAStartItIsSentWithoutAStatusNotBeforeTenSeconds) {
    const auto id = accept();
    hand_over_as(id, "wamid.1", 1s,
                 [](store::HandOver& work) { work.without_status = model::WithoutStatus::sent; });
    clock.advance(1h);
    open();
    clock.advance(LateStatuses::start_grace - 1ms);
    decide();
    EXPECT_EQ(state(id), MessageState::handed_over);
    clock.advance(1ms);
    decide();
    EXPECT_EQ(state(id), MessageState::sent);
}

}  // namespace
}  // namespace merpati::devices
