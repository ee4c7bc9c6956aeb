// Lanes: which messages are due, in which order, and when the next one is.
#include <algorithm>
#include <set>
#include <vector>

#include "store/conformance/store_fixture.hpp"

namespace merpati::store {
namespace {

using namespace std::chrono_literals;

struct LaneTest : StoreTest {
    std::vector<QueuedMessage> load(Timestamp before, std::size_t limit, const Known& known) {
        return take(reader()->load_lane(device, model::Source::api, before, limit, known));
    }
    std::optional<Timestamp> next_due(Timestamp from) {
        return take(reader()->next_due(device, model::Source::api, from));
    }
    static bool nothing_known(const Uuid&) { return false; }
};

TEST_P(LaneTest, GivesMessagesOutInTheOrderOfTheirAcceptance) {
    std::vector<model::MessageId> expected;
    for (int count = 0; count < 20; ++count) {
        expected.push_back(accepted().id);
        clock.advance(1s);
    }
    EXPECT_EQ(lane_before(clock.now()), expected);
}

TEST_P(LaneTest, GivesOutWhatIsDueEarlierFirst) {
    const auto late = accepted_due(clock.now() + 3h);
    const auto early = accepted_due(clock.now() + 1min);
    const auto middle = accepted_due(clock.now() + 1h);
    EXPECT_EQ(lane_before(clock.now() + 4h), (std::vector{early.id, middle.id, late.id}));
}

TEST_P(LaneTest, GivesOutTheFirstByDueTimeHoweverFewAreAsked) {
    std::vector<std::pair<Timestamp, model::MessageId>> expected;
    for (int count = 0; count < 200; ++count) {
        const auto made = accepted_due(clock.now() + Millis{(count * 7919) % 60'000 / 100 * 100});
        expected.emplace_back(made.due_at, made.id);
        clock.advance(5ms);
    }
    std::ranges::sort(expected);
    std::set<Uuid> known;
    for (std::size_t place = 0; place < expected.size(); place += 7) {
        const auto loaded =
            load(clock.now() + 1h, 7, [&](const Uuid& id) { return known.contains(id); });
        ASSERT_EQ(loaded.size(), std::min<std::size_t>(7, expected.size() - place));
        for (std::size_t of_read = 0; of_read < loaded.size(); ++of_read) {
            EXPECT_EQ(loaded[of_read].message->id, expected[place + of_read].second);
            known.insert(loaded[of_read].message->id);
        }
    }
}

TEST_P(LaneTest, GivesNothingOutBeforeItIsDue) {
    const auto made = accepted_due(clock.now() + 1min);
    EXPECT_TRUE(lane_before(clock.now() + 1min).empty());
    EXPECT_EQ(lane_before(clock.now() + 1min + 1ms), std::vector{made.id});
}

TEST_P(LaneTest, AWalkMeetsWhatWasAcceptedUntilATimeOnceWheneverItIsDue) {
    std::vector<model::MessageId> expected;
    for (const auto delay : {0s, 3'600s, 5s, 60s, 0s}) {
        expected.push_back(accepted_due(clock.now() + delay).id);
    }
    const auto until = clock.now();
    clock.advance(1s);
    accepted();
    accepted_due(clock.now() + 10min);
    std::vector<model::MessageId> met;
    for (std::optional<LanePlace> place{std::in_place}; place;) {
        auto step = take(reader()->walk_lane(device, model::Source::api, *place, until, 2));
        EXPECT_LE(step.messages.size(), 2U);
        for (const auto& queued : step.messages) {
            met.push_back(queued.message->id);
        }
        place = step.next;
    }
    std::ranges::sort(met);
    EXPECT_EQ(met, expected);
    EXPECT_TRUE(
        take(reader()->walk_lane(device, model::Source::campaign, {}, until, 2)).messages.empty());
}

TEST_P(LaneTest, LoadsWholeMessages) {
    const auto made = accepted_due(clock.now() + 5s);
    const auto loaded = load(clock.now() + 1min, 10, nothing_known);
    ASSERT_EQ(loaded.size(), 1);
    EXPECT_EQ(loaded[0].message->id, made.id);
    EXPECT_EQ(loaded[0].message->body, made.body);
    EXPECT_EQ(loaded[0].message->account, account);
    EXPECT_EQ(loaded[0].queued_at, clock.now() + 5s);
    EXPECT_EQ(loaded[0].attempts, 0);
    EXPECT_FALSE(loaded[0].intent_recorded);
}

TEST_P(LaneTest, StopsAtTheLimit) {
    const auto first = accepted();
    const auto second = accepted();
    accepted();
    EXPECT_EQ(lane_before(clock.now() + 1s, 2), (std::vector{first.id, second.id}));
}

TEST_P(LaneTest, LeavesOutWhatTheCallerKnowsAndFillsTheLimitWithTheRest) {
    std::set<Uuid> known;
    std::vector<model::MessageId> unknown;
    for (int count = 0; count < 10; ++count) {
        const auto made = accepted();
        if (count % 2 == 0) {
            known.insert(made.id);
        } else {
            unknown.push_back(made.id);
        }
    }
    const auto loaded =
        load(clock.now() + 1s, 5, [&](const Uuid& id) { return known.contains(id); });
    ASSERT_EQ(loaded.size(), 5);
    for (std::size_t place = 0; place < loaded.size(); ++place) {
        EXPECT_EQ(loaded[place].message->id, unknown[place]);
    }
}

TEST_P(LaneTest, KeepsDevicesAndSourcesApart) {
    const auto mine = accepted();
    auto campaign = *message();
    campaign.source = model::Source::campaign;
    accept(campaign);
    auto elsewhere = *message();
    elsewhere.device = model::PhoneNumber::from_stored(6281100000002);
    accept(elsewhere);

    EXPECT_EQ(lane_before(clock.now() + 1s), std::vector{mine.id});
    const auto of_campaign = take(
        reader()->load_lane(device, model::Source::campaign, clock.now() + 1s, 10, nothing_known));
    ASSERT_EQ(of_campaign.size(), 1);
    EXPECT_EQ(of_campaign[0].message->id, campaign.id);
}

TEST_P(LaneTest, NamesEachLaneWithWorkOnceWithALowerBoundOfItsFirstDueTime) {
    for (const std::int64_t number : {6281100000003, 6281100000001, 6281100000002}) {
        device = model::PhoneNumber::from_stored(number);
        accepted_due(clock.now() + 1h);
        accepted_due(clock.now() + 30min);
    }
    auto campaign = *message_due(clock.now() + 2h);
    campaign.source = model::Source::campaign;
    campaign.device = model::PhoneNumber::from_stored(6281100000009);
    accept(campaign);

    const auto lanes = take(reader()->lanes());
    ASSERT_EQ(lanes.size(), 4);
    for (std::size_t place = 0; place < 3; ++place) {
        EXPECT_EQ(lanes[place].device.value(), 6281100000001 + static_cast<int>(place));
        EXPECT_EQ(lanes[place].source, model::Source::api);
        EXPECT_LE(to_unix_millis(lanes[place].due_from), to_unix_millis(clock.now() + 30min));
        EXPECT_GT(to_unix_millis(lanes[place].due_from), to_unix_millis(clock.now() + 29min));
    }
    EXPECT_EQ(lanes[3].source, model::Source::campaign);
}

TEST_P(LaneTest, TheLanesOfSomeDevicesAreFoundTogether) {
    constexpr std::int64_t first = 6281100000001;
    constexpr std::int64_t count = 200;
    std::vector<model::PhoneNumber> devices;
    for (std::int64_t number = first; number < first + count; ++number) {
        device = model::PhoneNumber::from_stored(number);
        devices.push_back(device);
        if (number % 2 == 0) {
            accepted_due(clock.now() + 30min);
        }
    }
    auto campaign = *message_due(clock.now() + 2h);
    campaign.source = model::Source::campaign;
    accept(campaign);

    const auto starts = take(reader()->lane_starts(devices));
    ASSERT_EQ(starts.size(), devices.size());
    for (const auto& start : starts) {
        EXPECT_EQ(start.due_from[0].has_value(), start.device.value() % 2 == 0);
        EXPECT_EQ(start.due_from[1].has_value(), start.device == device);
        EXPECT_FALSE(start.record);
        if (start.due_from[0]) {
            EXPECT_LE(*start.due_from[0], clock.now() + 30min);
            EXPECT_GT(*start.due_from[0], clock.now() + 29min);
        }
    }
    EXPECT_TRUE(take(reader()->lane_starts({})).empty());
}

TEST_P(LaneTest, AnEmptiedLaneIsNotNamedAnyMore) {
    const auto made = accepted();
    ASSERT_EQ(take(reader()->lanes()).size(), 1);
    ASSERT_TRUE(finish(finish_of(made)));
    EXPECT_TRUE(take(reader()->lanes()).empty());
}

TEST_P(LaneTest, NextDueIsNeverLaterThanTheFirstMessageAndNeverBeforeWhatWasAsked) {
    for (const auto delay : {1ms, 17'000ms, 400'000ms, 10'800'000ms}) {
        const auto due = clock.now() + delay;
        const auto made = accepted_due(due);
        for (const auto from : {clock.now(), due - 20s, due - 1s, due}) {
            const auto bound = next_due(from);
            ASSERT_TRUE(bound);
            EXPECT_LE(*bound, due);
        }
        EXPECT_FALSE(next_due(due + 1ms));
        ASSERT_TRUE(finish(finish_of(made)));
    }
}

TEST_P(LaneTest, NextDueComesToTheMessageInFewSteps) {
    accepted_due(clock.now() + 5h);
    auto from = clock.now();
    int steps = 0;
    while (lane_before(from + 1ms).empty()) {
        const auto bound = next_due(from);
        ASSERT_TRUE(bound);
        ASSERT_LT(steps++, 3);
        from = std::max(*bound, from);
    }
    EXPECT_EQ(from, clock.now() + 5h);
}

TEST_P(LaneTest, NextDueOfAnEmptyLaneIsEmpty) {
    EXPECT_FALSE(next_due(clock.now() - 1h));
}

INSTANTIATE_TEST_SUITE_P(Engines, LaneTest, ::testing::ValuesIn(engines()), name_of);

}  // namespace
}  // namespace merpati::store
