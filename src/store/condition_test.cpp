#include "store/condition.hpp"

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

}  // namespace
}  // namespace merpati::store
