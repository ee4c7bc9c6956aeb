// Messages that a platform accepts, to report the result later.
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

}  // namespace
}  // namespace merpati::scheduler
