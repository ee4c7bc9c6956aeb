#include "scheduler/in_flight.hpp"

#include <gtest/gtest.h>

namespace merpati::scheduler {
namespace {

using namespace std::chrono_literals;

struct InFlightTest : ::testing::Test {
    [[nodiscard]] store::QueuedMessage queued() const {
        store::QueuedMessage made;
        made.message = std::make_unique<model::Message>();
        made.message->id = Uuid{7, 7};
        made.message->device = lane.device();
        made.queued_at = now;
        return made;
    }

    Timestamp now = from_unix_millis(1'700'000'000'000);
    model::Device device{.number = *model::PhoneNumber::parse("6289876543210")};
    Lane lane{device.number};
};

TEST_F(InFlightTest, CountsInItsLaneForAsLongAsItExists) {
    {
        const InFlight sent{lane, queued(), true};
        const InFlight by_hand{lane, queued(), false};
        EXPECT_EQ(lane.in_window(), 1U);
        EXPECT_EQ(lane.flights(), 2U);
    }
    EXPECT_EQ(lane.in_window(), 0U);
    EXPECT_EQ(lane.flights(), 0U);
}

TEST_F(InFlightTest, ALaterAttemptKnowsWhatEarlierOnesHaveShown) {
    InFlight flight{lane, queued(), true};
    flight.note_intent();
    flight.count_attempt();
    flight.count_crash();
    flight.note_perhaps_sent();
    flight.become_template();
    EXPECT_EQ(flight.note_failing(now), now);
    EXPECT_EQ(flight.note_failing(now + 1s), now) << "it fails since its first failure";
    flight.add_event({.step = model::MessageStep::attempted, .at = now});
    const auto work = flight.reschedule(now + 5s, "coba lagi");
    EXPECT_EQ(flight.stage(), InFlight::Stage::committing);
    EXPECT_EQ(work.message, (Uuid{7, 7}));
    EXPECT_EQ(work.queued_at, now);
    EXPECT_EQ(work.last_details, "coba lagi");
    EXPECT_EQ(work.events.size(), 1U);
    const auto back = flight.take_rescheduled(work.queue_at);
    EXPECT_EQ(back.queued_at, now + 5s);
    EXPECT_FALSE(back.intent_recorded);
    EXPECT_EQ(back.attempts, work.attempts);
    EXPECT_EQ(back.crashes, work.crashes);
    EXPECT_EQ(back.failing_since, work.failing_since);
    EXPECT_TRUE(back.perhaps_sent && work.perhaps_sent);
    EXPECT_TRUE(back.as_template && work.as_template);
}

TEST_F(InFlightTest, APauseThatEndedLaterBeginsTheTimeOfFailuresAnew) {
    device.resumed_at = now + 1min;
    lane.change(device, nullptr, now, 0ms);
    InFlight flight{lane, queued(), true};
    EXPECT_EQ(flight.note_failing(now), now + 1min);
}

TEST_F(InFlightTest, OnlyAMessageWhoseSendBeganStoresWhatItsDeviceHasSent) {
    device.pace = {.gap_min = 1s};
    lane.change(device, nullptr, now, 0ms);
    for (const bool begins : {false, true}) {
        InFlight flight{lane, queued(), true};
        flight.count_in_pace(now, 0ms, 12h);
        if (begins) {
            flight.begin_sending();
        }
        EXPECT_EQ(flight.finish({}, std::nullopt).sent.has_value(), begins);
        EXPECT_EQ(flight.queued().message, nullptr);
    }
}

TEST_F(InFlightTest, ASendThatDidNotBeginUsesUpNothing) {
    device.pace = {.gap_min = 1min, .per_day_max = 1};
    lane.change(device, nullptr, now, 0ms);
    InFlight flight{lane, queued(), true};
    flight.count_in_pace(now, 0ms, 12h);
    EXPECT_TRUE(lane.pacer().is_capped());
    flight.take_back_from_pace();
    EXPECT_FALSE(lane.pacer().is_capped());
    EXPECT_LE(lane.may_send_at(), now);
}

TEST_F(InFlightTest, ItIsASuspectUntilThatIsEndedOnce) {
    InFlight flight{lane, queued(), true};
    EXPECT_FALSE(flight.end_suspicion());
    flight.begin_suspicion();
    EXPECT_TRUE(flight.end_suspicion());
    EXPECT_FALSE(flight.end_suspicion());
}

}  // namespace
}  // namespace merpati::scheduler
