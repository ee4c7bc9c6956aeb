#include "store/condition.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace merpati::store {
namespace {

TEST(ConditionTest, NamesItsTroubleInWords) {
    Condition condition;
    EXPECT_EQ(condition.trouble(), "");
    condition.note_damage("callback 7");
    EXPECT_EQ(condition.trouble(), "is damaged: 1 place cannot be read or written");
    condition.note_damage("callback 7");
    condition.note_damaged_lane(model::PhoneNumber::from_stored(6281100000001));
    EXPECT_EQ(condition.trouble(),
              "is damaged: 2 places cannot be read or written, 1 device cannot send");
    condition.note_damaged_lane(model::PhoneNumber::from_stored(6281100000002));
    condition.set_room(Room::low, 8);
    EXPECT_EQ(condition.trouble(),
              "its disk is nearly full: no messages are accepted; is damaged: 3 places cannot be "
              "read or written, 2 devices cannot send");
}

TEST(ConditionTest, ReportsEachDamagedPlaceOnceAndWithoutWholeNumbers) {
    std::vector<std::string> places;
    Condition condition{[&](std::string_view place) { places.emplace_back(place); }};
    for (int count = 0; count < 2; ++count) {
        condition.note_damage("callback 7");
        condition.note_damaged_lane(model::PhoneNumber::from_stored(6281100000001));
    }
    ASSERT_EQ(places.size(), 2U);
    EXPECT_EQ(places[0], "callback 7");
    EXPECT_TRUE(places[1].starts_with("the queue of device "));
    EXPECT_FALSE(places[1].contains("6281100000001"));
    EXPECT_EQ(condition.damages(), 2U);
}

TEST(ConditionTest, AReportMayReadTheCondition) {
    std::size_t damages = 0;
    const Condition* reported = nullptr;
    Condition condition{[&](std::string_view) { damages = reported->damages(); }};
    reported = &condition;
    condition.note_damage("callback 7");
    EXPECT_EQ(damages, 1U);
}

TEST(ConditionTest, ADamagedLaneIsItselfAlone) {
    const auto damaged = model::PhoneNumber::from_stored(6281100000001);
    const auto sound = model::PhoneNumber::from_stored(6281100000002);
    Condition condition;
    EXPECT_FALSE(condition.is_damaged(damaged));
    condition.note_damaged_lane(damaged);
    EXPECT_TRUE(condition.is_damaged(damaged));
    EXPECT_FALSE(condition.is_damaged(sound));
    EXPECT_TRUE(condition.accepts());
    EXPECT_TRUE(condition.may_send(0));
}

TEST(ConditionTest, ALowDiskSendsAsManyAsItHasRoomForAndAFullOneNothing) {
    Condition condition;
    EXPECT_TRUE(condition.may_send(1'000'000));
    condition.set_room(Room::low, 8);
    EXPECT_FALSE(condition.accepts());
    EXPECT_TRUE(condition.may_send(7));
    EXPECT_FALSE(condition.may_send(8));
    condition.set_room(Room::none, 8);
    EXPECT_FALSE(condition.may_send(0));
    EXPECT_EQ(condition.trouble(), "its disk is full: nothing is accepted or sent");
    condition.set_room(Room::ample, 0);
    EXPECT_TRUE(condition.accepts());
    EXPECT_EQ(condition.trouble(), "");
}

TEST(ConditionTest, WhileItsDatabaseIsAwayNothingIsSentAndItsReturnIsCounted) {
    Condition condition;
    condition.set_available(true);
    EXPECT_EQ(condition.reconnects(), 0);
    for (int failures = 0; failures < 3; ++failures) {
        condition.set_available(false);
    }
    EXPECT_FALSE(condition.is_available());
    EXPECT_FALSE(condition.may_send(0));
    EXPECT_EQ(condition.trouble(),
              "its database cannot be used (the log says why): nothing is accepted or sent");
    condition.set_available(true);
    EXPECT_TRUE(condition.may_send(0));
    EXPECT_EQ(condition.trouble(), "");
    EXPECT_EQ(condition.reconnects(), 1);
}

TEST(ConditionTest, MoreDamageThanItRemembersIsCountedAsAtLeastThat) {
    Condition condition;
    for (std::size_t place = 0; place <= Condition::damages_max; ++place) {
        condition.note_damage(std::to_string(place));
    }
    EXPECT_EQ(condition.damages(), Condition::damages_max);
    EXPECT_EQ(condition.trouble(), "is damaged: at least 10000 places cannot be read or written");
}

}  // namespace
}  // namespace merpati::store
