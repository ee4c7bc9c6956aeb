// Messages that a platform accepts, to report the result later.
#include <algorithm>

#include "model/texts.hpp"
#include "scheduler/dispatcher_fixture.hpp"

namespace merpati::scheduler {
namespace {

using namespace std::chrono_literals;
using model::MessageState;
using Kind = model::Outcome::Kind;

struct HandOverTest : DispatcherFixture {
    void report_accepted(const model::MessageId& id, std::string platform_id = "wamid.1") {
        post(Reported{.message = id,
                      .outcome = {.kind = Kind::accepted,
                                  .details = "diterima",
                                  .platform_id = std::move(platform_id),
                                  .decide_within = 60s}});
    }
    void report_lost(const model::MessageId& id, Millis status_within = 60s, bool hold = false) {
        post(Reported{.message = id,
                      .outcome = {.kind = Kind::unknown,
                                  .details = "tidak ada jawaban",
                                  .status_within = status_within,
                                  .hold_unknown = hold}});
    }
    [[nodiscard]] std::unique_ptr<model::Message> careful_message() {
        auto made = message();
        made->delivery = model::Delivery::at_most_once;
        return made;
    }
    /// The message that is handed over and due first.
    [[nodiscard]] store::PlatformMessage awaited() {
        store::PlatformMessage found;
        EXPECT_TRUE(change([&](store::Tables& tables) -> Result<void> {
            auto all = tables.undecided(queue_clock.now() + 48h, 1, store::ShardSet::all());
            EXPECT_TRUE(all && all->size() == 1);
            if (all && !all->empty()) {
                found = std::move(all->front());
            }
            return {};
        }));
        return found;
    }
};

TEST_F(HandOverTest, AnAcceptedMessageFreesItsPlaceInTheWindow) {
    connector->abilities.window = 1;
    std::vector<Timestamp> notified;
    options.on_handed_over = [&](Timestamp by) { notified.push_back(by); };
    start();
    const auto first = accept(message());
    const auto second = accept(message());
    EXPECT_EQ(connector->sent, std::vector{first});
    report_accepted(first);
    EXPECT_EQ(connector->sent, (std::vector{first, second}));
    EXPECT_EQ(state(first), MessageState::handed_over);
    EXPECT_EQ(stored(first).attempts, 1U);
    EXPECT_EQ(notified, std::vector<Timestamp>{queue_clock.now() + 60s});
}

TEST_F(HandOverTest, AHandedOverMessageIsNotSentAgainAfterACrash) {
    start();
    const auto id = accept(message());
    report_accepted(id);
    restart();
    advance(24h);
    EXPECT_TRUE(connector->sent.empty());
    EXPECT_EQ(state(id), MessageState::handed_over);
}

TEST_F(HandOverTest, WhatTheRecipientOfATemplateReadsIsStoredWithTheHandOver) {
    start();
    const auto sent_as = std::make_shared<const model::SentTemplate>(
        model::SentTemplate{.name = "kabar", .language = "id", .body = "Kabar: siap"});
    const auto taken = accept(message());
    post(Reported{
        .message = taken,
        .outcome = {.kind = Kind::accepted, .platform_id = "wamid.1", .sent_as = sent_as}});
    const auto lost = accept(message());
    post(Reported{.message = lost,
                  .outcome = {.kind = Kind::unknown, .status_within = 60s, .sent_as = sent_as}});
    const auto text = accept(message());
    report_accepted(text, "wamid.2");
    const auto stored_of = [this](const model::MessageId& id) {
        return (*(*store->open_reader())->trail(id)).sent_as;
    };
    EXPECT_EQ(stored_of(taken), *sent_as);
    EXPECT_EQ(stored_of(lost), *sent_as);
    EXPECT_EQ(stored_of(text), std::nullopt);
}

/// Killed before the hand-over is on disk: treated as any send that was in flight.
TEST_F(HandOverTest, WithoutTheCommitTheSendIsRepeated) {
    start();
    const auto id = accept(message());
    restart();
    EXPECT_EQ(connector->sent, std::vector{id});
}

TEST_F(HandOverTest, AcceptedTwiceIsHandedOverOnceAndALaterOutcomeIsIgnored) {
    start();
    const auto id = accept(message());
    std::vector<Event> twice;
    for (int report = 0; report < 2; ++report) {
        twice.emplace_back(
            Reported{.message = id, .outcome = {.kind = Kind::accepted, .platform_id = "wamid.1"}});
    }
    dispatcher->step(twice);
    flush();
    settle();
    report_sent(id);
    EXPECT_EQ(state(id), MessageState::handed_over);
    EXPECT_EQ(dispatcher->in_flight(), 0U);
}

TEST_F(HandOverTest, AcceptedUnderNoIdIsAnUnknownOutcome) {
    start();
    for (const auto& id : {std::string{}, std::string(300, 'x'), std::string{"a\nb"}}) {
        const auto sent = accept(message());
        report_accepted(sent, id);
        EXPECT_EQ(state(sent), MessageState::pending);  // At least once: it is tried again.
    }
    auto careful = message();
    careful->delivery = model::Delivery::at_most_once;
    const auto held = accept(std::move(careful));
    report_accepted(held, "");
    EXPECT_EQ(state(held), MessageState::held);
}

TEST_F(HandOverTest, NothingWaitsLongerThanGiveUpForItsPlatform) {
    options.give_up = 30s;
    Timestamp decide_by;
    options.on_handed_over = [&](Timestamp by) { decide_by = by; };
    start();
    report_accepted(accept(message()));
    EXPECT_EQ(decide_by, queue_clock.now() + 30s);
}

TEST_F(HandOverTest, ThePlatformsAcceptanceMayBeEnough) {
    start();
    const auto id = accept(message());
    post(Reported{.message = id,
                  .outcome = {.kind = Kind::accepted,
                              .platform_id = "wamid.1",
                              .undecided = model::Outcome::Undecided::sent}});
    EXPECT_EQ(awaited().without_status, model::WithoutStatus::sent);
    EXPECT_EQ(awaited().message.id, id);
}

TEST_F(HandOverTest, ALostAnswerIsAwaitedOutsideOfTheLane) {
    connector->abilities.window = 1;
    start();
    const auto lost = accept(message());
    const auto next = accept(message());
    report_lost(lost);
    EXPECT_EQ(connector->sent, (std::vector{lost, next}));
    EXPECT_EQ(state(lost), MessageState::handed_over);
    const auto found = awaited();
    EXPECT_EQ(found.message.id, lost);
    EXPECT_EQ(found.decide_by, queue_clock.now() + 60s);
    EXPECT_EQ(found.without_status, model::WithoutStatus::repeated);
    EXPECT_EQ(found.failing_since, queue_clock.now());
    EXPECT_EQ(found.attempts, 1U);
    EXPECT_FALSE(found.perhaps_sent) << "of earlier attempts";
    const auto trail = *(*store->open_reader())->trail(lost);
    ASSERT_EQ(trail.events.size(), 1U);
    EXPECT_EQ(trail.events[0].details, "tidak ada jawaban");
    EXPECT_FALSE(trail.handed_over_at);
    restart();
    advance(24h);
    EXPECT_EQ(std::ranges::count(connector->sent, lost), 0);
}

TEST_F(HandOverTest, WhereItMustNotBeSentTwiceALostAnswerIsHeldAfterTheWait) {
    start();
    report_lost(accept(careful_message()));
    EXPECT_EQ(awaited().without_status, model::WithoutStatus::held);
}

TEST_F(HandOverTest, WhereNoStatusCanComeALostAnswerIsHeldAtOnce) {
    start();
    const auto id = accept(message());
    report_lost(id, 60s, true);
    EXPECT_EQ(state(id), MessageState::held);
}

TEST_F(HandOverTest, AfterGiveUpALostAnswerIsNotRepeated) {
    options.give_up = 30s;
    start();
    const auto id = accept(message());
    report(id, Kind::retry);
    advance(30s);
    ASSERT_EQ(connector->sent.size(), 2U);
    report_lost(id);
    EXPECT_EQ(awaited().without_status, model::WithoutStatus::failed);
    EXPECT_EQ(awaited().decide_by, queue_clock.now() + 30s);
}

TEST_F(HandOverTest, ASendThatACrashInterruptedAwaitsItsStatusAndIsNotRepeated) {
    connector->abilities.status_within = 60s;
    start();
    const auto id = accept(message());
    const auto careful = accept(careful_message());
    restart();
    EXPECT_TRUE(connector->sent.empty());
    EXPECT_EQ(state(id), MessageState::handed_over);
    EXPECT_EQ(state(careful), MessageState::handed_over);
    EXPECT_EQ(awaited().decide_by, queue_clock.now() + 60s);
    const auto next = accept(message());
    EXPECT_EQ(connector->sent, std::vector{next});
}

TEST_F(HandOverTest, AfterAStartAStatusHasTenSecondsAtLeast) {
    connector->abilities.status_within = 1s;
    start();
    (void)accept(message());
    restart();
    EXPECT_EQ(awaited().decide_by, queue_clock.now() + 10s);
}

TEST_F(HandOverTest, WhereNoStatusMayComeACrashHoldsWhatWasInFlightAfterTheWait) {
    connector->abilities.status_within = 60s;
    connector->hold_unknown = true;
    start();
    const auto id = accept(message());
    restart();
    EXPECT_TRUE(connector->sent.empty());
    EXPECT_EQ(state(id), MessageState::handed_over);
    EXPECT_EQ(awaited().without_status, model::WithoutStatus::held);
}

TEST_F(HandOverTest, AnInterruptedSendOfADeviceThatStaysDownAwaitsItsStatusInsteadOfFailing) {
    connector->abilities.status_within = 60s;
    options.give_up = 60s;
    start();
    const auto id = accept(message());
    device.state = model::DeviceState::disconnected;
    restart();
    advance(10min);
    EXPECT_EQ(state(id), MessageState::handed_over);
}

struct TemplateTest : HandOverTest {
    void report_window_closed(const model::MessageId& id) {
        post(Reported{.message = id,
                      .outcome = {.kind = Kind::retry, .details = "131047", .as_template = true}});
    }
};

TEST_F(TemplateTest, AtOnceTheSameMessageGoesAsTheTemplateAndCountsAsNoAttempt) {
    connector->abilities.window = 1;
    start();
    const auto id = accept(message());
    const auto next = accept(message());
    report_window_closed(id);
    EXPECT_EQ(connector->sent, (std::vector{id, id})) << "before the next one";
    EXPECT_EQ(connector->templates, std::vector{id});
    report_sent(id);
    EXPECT_EQ(stored(id).completion->attempts, 1U);
    EXPECT_EQ(connector->sent.back(), next);
    EXPECT_EQ(connector->templates, std::vector{id});
}

TEST_F(TemplateTest, EveryLaterSendIsATemplateAlsoAfterACrashAndAPassingFailure) {
    connector->abilities.recognises_repeats = true;
    start();
    const auto id = accept(message());
    report_window_closed(id);
    restart();
    ASSERT_EQ(connector->sent, std::vector{id});
    report(id, Kind::retry);
    advance(10s);
    restart();
    EXPECT_EQ(connector->sent, std::vector{id});
    EXPECT_EQ(connector->templates, (std::vector{id, id, id, id}));
    report_lost(id);
    EXPECT_TRUE(awaited().as_template);
}

TEST_F(TemplateTest, AMessageThatIsATemplateIsSentOnlyByAPlatformWithTemplates) {
    const auto filled = [this] {
        auto made = message();
        made->filled_template = std::make_shared<const model::FilledTemplate>();
        return made;
    };
    start();
    const auto refused = accept(filled());
    EXPECT_TRUE(connector->sent.empty());
    EXPECT_EQ(stored(refused).completion->details, model::details::template_unsupported);

    connector->abilities.templates = true;
    const auto id = accept(filled());
    EXPECT_EQ(connector->sent, std::vector{id});
    report_window_closed(id);
    EXPECT_EQ(state(id), MessageState::failed) << "no other template goes in its place";
    EXPECT_EQ(connector->sent, std::vector{id});
}

TEST_F(TemplateTest, AHeldMessageIsStillSentAsTheTemplateWhenItIsReleased) {
    start();
    auto made = message();
    made->delivery = model::Delivery::at_most_once;
    const auto id = accept(std::move(made));
    report_window_closed(id);
    report(id, Kind::unknown);
    ASSERT_EQ(state(id), MessageState::held);
    EXPECT_TRUE(stored(id).completion->as_template);
}

TEST_F(TemplateTest, AMessageThatWentAsTheTemplateFailsIfThatIsRefusedToo) {
    start();
    const auto id = accept(message());
    report_window_closed(id);
    report_window_closed(id);
    EXPECT_EQ(state(id), MessageState::failed);
    EXPECT_EQ(stored(id).completion->details, "131047");
}

}  // namespace
}  // namespace merpati::scheduler
