#include "devices/late_statuses.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/texts.hpp"
#include "testing/fixed_random.hpp"
#include "testing/manual_clock.hpp"
#include "testing/temporary_folder.hpp"

namespace merpati::devices {
namespace {

using namespace std::chrono_literals;
using model::MessageState;
using model::Progress;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct LateStatusesTest : ::testing::Test {
    LateStatusesTest() {
        open();
        change([&](store::Tables& tables) -> Result<void> {
            owner = *tables.create_account({});
            return {};
        });
        add_device(owner);
    }
    ~LateStatusesTest() override { committer->stop(); }

    /// As after a crash: memory is lost.
    void open() {
        statuses.reset();
        committer.reset();
        store.reset();
        ended.clear();
        store = *store::open_store({.url = "sqlite:" + folder.file("merpati.db")});
        committer = std::make_unique<store::Committer>(
            clock, *store, store::CommitterOptions{},
            [](const Error& error) { ADD_FAILURE() << error.describe(); });
        statuses = std::make_unique<LateStatuses>(LateStatuses::Rooms{
            .clock = queue_clock,
            .notices = notices,
            .committer = *committer,
            .on_finish = [this](store::Finish&& finish) { ended.push_back(std::move(finish)); },
            .on_progress =
                [this](const LateStatuses::Progressed& one) {
                    EXPECT_EQ(one.account, owner);
                    progressed.push_back(one.message.text() + " " +
                                         std::string{model::to_string(one.progress)});
                },
            .log = telemetry::Log::none()});
        committer->start();
        statuses->start();
    }

    void change(std::move_only_function<Result<void>(store::Tables&)> run) {
        const auto done = committer->change_and_wait(std::move(run));
        EXPECT_TRUE(done) << done.error().describe();
    }
    void flush() {
        change([](store::Tables&) -> Result<void> { return {}; });
        change([](store::Tables&) -> Result<void> { return {}; });
    }
    void add_device(model::AccountId account) {
        change([&](store::Tables& tables) -> Result<void> {
            EXPECT_TRUE(tables.add_device({.number = device,
                                           .account = account,
                                           .webhook_url = "https://toko.example.com/hook"},
                                          true));
            return {};
        });
    }

    /// Accepts a message and hands it over.
    model::MessageId hand_over(std::string platform_id = "wamid.1", Millis decide_within = 60s,
                               bool perhaps_sent = false) {
        auto message = std::make_unique<model::Message>();
        message->id = ids.next();
        message->account = owner;
        message->device = device;
        message->recipient = "6281234567890";
        message->callback_url = "https://toko.example.com/callback";
        message->due_at = queue_clock.now();
        const auto id = message->id;
        EXPECT_TRUE(committer->accept({.message = std::move(message)}, [](store::Accept&& done) {
            EXPECT_EQ(done.result, store::Accept::Result::stored);
        }));
        flush();
        committer->hand_over({.message = id,
                              .device = device,
                              .queued_at = queue_clock.now(),
                              .platform_id = std::move(platform_id),
                              .decide_by = queue_clock.now() + decide_within,
                              .attempts = 1,
                              .perhaps_sent = perhaps_sent},
                             [this](const store::HandOver& done) {
                                 EXPECT_TRUE(done.handed_over);
                                 statuses->handed_over(done.decide_by);
                             });
        flush();
        return id;
    }

    void report(Progress progress, std::string platform_id = "wamid.1",
                model::StatusCode code = model::StatusCode::failed) {
        const connector::LateStatus late{
            .device = device,
            .platform_id = std::move(platform_id),
            .message = {},
            .status = {.progress = progress, .code = code, .details = {}, .at = clock.now()}};
        LateStatuses::Ended done;
        change([&](store::Tables& tables) {
            done = {};
            return statuses->take(tables, late, done);
        });
        statuses->publish(std::move(done));
    }

    void decide() {
        statuses->decide();
        flush();
    }

    MessageState state(const model::MessageId& id) {
        return (*(*store->open_reader())->message(id))->state;
    }
    std::vector<std::string> webhooks() {
        std::vector<std::string> bodies;
        for (const auto& queued : (*store->open_reader())->callbacks({})->records) {
            if (queued.callback.kind == model::CallbackKind::device_event) {
                bodies.push_back(queued.callback.body);
            }
        }
        return bodies;
    }

    testing::TemporaryFolder folder;
    testing::ManualClock clock;
    QueueClock queue_clock{clock};
    testing::FixedRandom random;
    UuidSource ids{queue_clock, random};
    Notices notices{queue_clock, ids};
    model::PhoneNumber device = model::PhoneNumber::from_stored(6281100000001);
    model::AccountId owner;
    std::vector<store::Finish> ended;
    std::vector<std::string> progressed;
    std::unique_ptr<store::Store> store;
    std::unique_ptr<store::Committer> committer;
    std::unique_ptr<LateStatuses> statuses;
};

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
    change([&](store::Tables& tables) { return tables.remove_device(device); });
    model::AccountId other;
    change([&](store::Tables& tables) -> Result<void> {
        other = *tables.create_account({});
        return {};
    });
    add_device(other);
    report(Progress::delivered);
    EXPECT_EQ(state(id), MessageState::sent);
    EXPECT_THAT(webhooks(), IsEmpty());
    EXPECT_THAT(progressed, IsEmpty());
}

}  // namespace
}  // namespace merpati::devices
