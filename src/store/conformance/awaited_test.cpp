// Messages whose platform may have them: found by the statuses that name them, decided without one,
// and put back into their lanes.
#include "store/conformance/store_fixture.hpp"
#include "store/contacts.hpp"

namespace merpati::store {
namespace {

using namespace std::chrono_literals;
using model::MessageState;
using model::PassingFailure;
using model::Progress;
using model::WithoutStatus;

struct AwaitedTest : StoreTest {
    HandOver hand_over(const model::Message& message, std::string platform_id = {},
                       std::optional<Timestamp> decide_by = {}) {
        WriteBatch batch;
        batch.hand_overs.push_back({.message = message.id,
                                    .device = message.device,
                                    .source = message.source,
                                    .queued_at = message.due_at,
                                    .platform_id = std::move(platform_id),
                                    .decide_by = decide_by.value_or(clock.now() + 60s),
                                    .attempts = 2,
                                    .without_status = WithoutStatus::repeated,
                                    .failing_since = clock.now() - 5s,
                                    .crashes = 1,
                                    .as_template = true});
        write(batch);
        EXPECT_TRUE(batch.hand_overs.front().handed_over);
        return batch.hand_overs.front();
    }
    bool note(const model::PlatformStatus& status, std::string_view platform_id = "wamid.1") {
        bool is_news = false;
        EXPECT_TRUE(change([&](Tables& tables) -> Result<void> {
            is_news = take(tables.note_status(device, platform_id, status, clock.now())).is_news;
            return {};
        }));
        return is_news;
    }
    Named name(model::MessageId message, std::string_view platform_id = "wamid.1",
               std::optional<model::Device> named = {}) {
        Named found = Named::nothing;
        EXPECT_TRUE(change([&](Tables& tables) -> Result<void> {
            if (!named) {
                named = *take(tables.find_device(device));
            }
            found = take(tables.name_message(*named, platform_id, message));
            return {};
        }));
        return found;
    }
    std::optional<PlatformMessage> find(std::string_view platform_id = "wamid.1") {
        std::optional<PlatformMessage> found;
        EXPECT_TRUE(change([&](Tables& tables) -> Result<void> {
            found = take(tables.find_platform_message(device, platform_id));
            return {};
        }));
        return found;
    }
    std::vector<PlatformMessage> undecided(Timestamp until, std::size_t limit = 10) {
        std::vector<PlatformMessage> found;
        EXPECT_TRUE(change([&](Tables& tables) -> Result<void> {
            found = take(tables.undecided(until, limit, ShardSet::all()));
            return {};
        }));
        return found;
    }
    bool put_back(const model::Message& message, Timestamp queue_at) {
        bool done = false;
        EXPECT_TRUE(change([&](Tables& tables) -> Result<void> {
            done = take(tables.return_to_lane(
                {.message = message.id,
                 .device = message.device,
                 .source = message.source,
                 .queue_at = queue_at,
                 .attempts = 3,
                 .failing_since = clock.now(),
                 .crashes = 1,
                 .perhaps_sent = true,
                 .as_template = true,
                 .last_details = "kata platform",
                 .events = {{.step = model::MessageStep::attempted, .at = clock.now()}}}));
            return {};
        }));
        return done;
    }
    bool end(const model::Message& message, MessageState state) {
        bool done = false;
        EXPECT_TRUE(change([&](Tables& tables) -> Result<void> {
            done = take(tables.end_handed_over(
                message, {.state = state, .finished_at = clock.now(), .attempts = 2}, {}));
            return {};
        }));
        return done;
    }
    MessageState state(const model::Message& message) {
        return take(reader()->message(message.id))->state;
    }
};

TEST_P(AwaitedTest, AMessageWhoseAnswerWasLostIsFoundByTheStatusThatNamesIt) {
    const auto made = accepted();
    hand_over(made);
    reopen();
    EXPECT_EQ(state(made), MessageState::handed_over);
    EXPECT_FALSE(find());
    EXPECT_TRUE(note({.progress = Progress::delivered, .at = clock.now()}));
    EXPECT_EQ(name(made.id), Named::awaiting);
    reopen();
    const auto found = find();
    ASSERT_TRUE(found);
    EXPECT_EQ(found->message.id, made.id);
    EXPECT_EQ(found->without_status, WithoutStatus::repeated);
    EXPECT_EQ(found->failing_since, clock.now() - 5s);
    EXPECT_EQ(found->crashes, 1U);
    EXPECT_TRUE(found->as_template);
    EXPECT_FALSE(found->named_early);
    EXPECT_EQ(name(made.id, "wamid.2"), Named::nothing) << "it has its platform id now";
}

TEST_P(AwaitedTest, OnlyAMessageOfTheDeviceAndItsAccountIsNamed) {
    const auto made = accepted();
    hand_over(made);
    auto other = *take(reader()->devices()).begin();
    other.account = create_account();
    EXPECT_EQ(name(made.id, "wamid.1", other), Named::nothing);
    other = *take(reader()->devices()).begin();
    other.number = model::PhoneNumber::from_stored(6281100000009);
    EXPECT_EQ(name(made.id, "wamid.1", other), Named::nothing);
    EXPECT_EQ(name({made.id.sequence(), made.id.tail() + 1}), Named::nothing);
    const auto ended = accepted();
    ASSERT_TRUE(finish(finish_of(ended)));
    EXPECT_EQ(name(ended.id), Named::nothing);
    EXPECT_FALSE(find());
}

TEST_P(AwaitedTest, AStatusThatNamesAMessageInItsLaneDecidesItOnceItsAnswerIsLost) {
    const auto made = accepted();
    EXPECT_TRUE(note({.progress = Progress::sent, .at = clock.now()}));
    EXPECT_EQ(name(made.id), Named::in_lane);
    reopen();
    EXPECT_EQ(hand_over(made).decide_by, Timestamp{});
    const auto due = undecided(Timestamp{});
    ASSERT_EQ(due.size(), 1U);
    EXPECT_EQ(due[0].message.id, made.id);
    EXPECT_EQ(due[0].platform_id, "wamid.1");
    ASSERT_TRUE(due[0].status);
    EXPECT_TRUE(due[0].named_early);
}

TEST_P(AwaitedTest, AStatusRemembersThatItsFailureIsPassing) {
    const auto made = accepted();
    hand_over(made, "wamid.1");
    EXPECT_TRUE(note({.progress = Progress::failed,
                      .at = clock.now(),
                      .passing = PassingFailure{.kind = PassingFailure::Kind::device_down,
                                                .until = clock.now() + 7s}}));
    reopen();
    const auto found = find();
    ASSERT_TRUE(found && found->status && found->status->passing);
    EXPECT_EQ(found->status->passing->kind, PassingFailure::Kind::device_down);
    EXPECT_EQ(found->status->passing->until, clock.now() + 7s);
    EXPECT_TRUE(note({.progress = Progress::delivered, .at = clock.now()}));
    EXPECT_FALSE(find()->status->passing);
}

TEST_P(AwaitedTest, AMessageThatGoesBackToItsLaneKeepsWhatIsKnownOfIt) {
    const auto made = accepted();
    hand_over(made, "wamid.1");
    ASSERT_TRUE(put_back(made, clock.now() + 3s));
    EXPECT_FALSE(put_back(made, clock.now() + 9s));
    EXPECT_FALSE(end(made, MessageState::failed));
    reopen();
    EXPECT_FALSE(find());
    EXPECT_TRUE(undecided(clock.now() + 1h).empty());
    const auto waiting = take(reader()->load_lane(device, made.source, clock.now() + 1h, 10,
                                                  [](const Uuid&) { return false; }));
    ASSERT_EQ(waiting.size(), 1U);
    EXPECT_EQ(waiting[0].message->id, made.id);
    EXPECT_EQ(waiting[0].queued_at, clock.now() + 3s);
    EXPECT_EQ(waiting[0].attempts, 3U);
    EXPECT_EQ(waiting[0].failing_since, clock.now());
    EXPECT_EQ(waiting[0].crashes, 1U);
    EXPECT_TRUE(waiting[0].perhaps_sent);
    EXPECT_TRUE(waiting[0].as_template);
    EXPECT_TRUE(take(reader()->find_queued(made))->as_template);
    EXPECT_EQ(take(reader()->message(made.id))->last_details, "kata platform");
    EXPECT_EQ(take(reader()->trail(made.id)).events.size(), 1U);
}

TEST_P(AwaitedTest, WhatTheRecipientOfATemplateReadsIsKeptUntilItIsSentAgain) {
    const auto made = accepted();
    const auto text = accepted();
    hand_over(text, "wamid.2");
    const model::SentTemplate sent{.name = "promo",
                                   .language = "id",
                                   .header = "Toko \"Maju\"",
                                   .body = "Halo Budi,\nada diskon é",
                                   .footer = "",
                                   .buttons = {"https://a.example/x", "HEMAT20"}};
    WriteBatch batch;
    batch.hand_overs.push_back({.message = made.id,
                                .device = made.device,
                                .source = made.source,
                                .queued_at = made.due_at,
                                .platform_id = "wamid.1",
                                .decide_by = clock.now() + 60s,
                                .sent_as = std::make_shared<const model::SentTemplate>(sent)});
    write(batch);
    reopen();
    EXPECT_EQ(take(reader()->trail(made.id)).sent_as, sent);
    EXPECT_EQ(take(reader()->trail(text.id)).sent_as, std::nullopt);
    ASSERT_TRUE(end(made, MessageState::sent));
    EXPECT_EQ(take(reader()->trail(made.id)).sent_as, sent);
    EXPECT_TRUE(change([&](Tables& tables) -> Result<void> {
        EXPECT_TRUE(take(tables.contacts().erase_message(made.id)));
        return {};
    }));
    EXPECT_EQ(take(reader()->trail(made.id)).sent_as, std::nullopt);

    ASSERT_TRUE(put_back(text, text.due_at));
    EXPECT_EQ(take(reader()->trail(text.id)).sent_as, std::nullopt);
}

TEST_P(AwaitedTest, StatusesOfTheIdThatItHadAreNoNewsAfterwards) {
    const auto made = accepted();
    hand_over(made, "wamid.1");
    EXPECT_TRUE(note({.progress = Progress::failed, .at = clock.now()}));
    ASSERT_TRUE(put_back(made, made.due_at));
    for (const auto progress : {Progress::sent, Progress::failed, Progress::read}) {
        EXPECT_FALSE(note({.progress = progress, .at = clock.now()}));
    }
    hand_over(made);
    EXPECT_FALSE(find());
    EXPECT_TRUE(undecided(Timestamp{}).empty());
}

TEST_P(AwaitedTest, AHeldMessageCanBeReleasedAndAwaitedAgain) {
    const auto made = accepted();
    hand_over(made);
    ASSERT_TRUE(end(made, MessageState::held));
    EXPECT_EQ(state(made), MessageState::held);
    EXPECT_EQ(name(made.id), Named::nothing);
    ASSERT_TRUE(change(
        [&](Tables& tables) { return tables.release_message(made.id, made.due_at, clock.now()); }));
    EXPECT_EQ(name(made.id), Named::in_lane);
    hand_over(made);
    EXPECT_EQ(state(made), MessageState::handed_over);
}

TEST_P(AwaitedTest, OneDevicesManyMessagesDoNotDelayAnothers) {
    for (int count = 0; count < 60; ++count) {
        hand_over(accepted(), "many." + std::to_string(count), clock.now() + 1s);
    }
    const auto busy = device;
    std::vector<model::Message> others;
    for (int count = 0; count < 3; ++count) {
        account = create_account();
        device = device_of(account);
        others.push_back(accepted());
        hand_over(others.back(), "few", clock.now() + 2s);
    }
    std::size_t seen = 0;
    for (const auto& one : undecided(clock.now() + 5s, 40)) {
        seen += one.message.device == busy ? 0 : 1;
    }
    EXPECT_EQ(seen, others.size());
    EXPECT_EQ(undecided(clock.now() + 5s, 40).size(), 40U);
    EXPECT_EQ(undecided(clock.now() + 5s, 100).size(), 63U);
}

INSTANTIATE_TEST_SUITE_P(Engines, AwaitedTest, ::testing::ValuesIn(engines_and_cuts()), name_of);

}  // namespace
}  // namespace merpati::store
