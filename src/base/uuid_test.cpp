#include "base/uuid.hpp"

#include <memory>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "testing/fixed_random.hpp"
#include "testing/manual_clock.hpp"

namespace merpati {
namespace {

struct UuidTest : ::testing::Test {
    testing::ManualClock clock;
    testing::FixedRandom random;
    UuidSource source{clock, random};
};

TEST_F(UuidTest, IsVersion7AndTellsItsTime) {
    const auto id = source.next();
    const auto text = id.text();
    EXPECT_EQ(text.size(), 36U);
    EXPECT_EQ(text[14], '7');
    EXPECT_EQ(text[19], '8');
    EXPECT_EQ(id.time(), clock.now());
}

TEST_F(UuidTest, ReadsBackWhatItPrints) {
    for (int turn = 0; turn < 5000; ++turn) {
        const auto id = source.next();
        EXPECT_EQ(Uuid::parse(id.text()), id);
    }
}

TEST_F(UuidTest, AscendsWhenTheClockStandsStillOrGoesBack) {
    auto last = source.next();
    for (int turn = 0; turn < 100; ++turn) {
        clock.set_wall(clock.now() - Millis{turn});
        const auto id = source.next();
        EXPECT_GT(id.sequence(), last.sequence());
        EXPECT_GT(id.text(), last.text());
        last = id;
    }
}

TEST_F(UuidTest, StartsAboveTheFloorOfItsStore) {
    const auto floor = Uuid::sequence_at(clock.now() + std::chrono::hours{1});
    UuidSource above{clock, random, floor};
    EXPECT_EQ(above.next().sequence(), floor + 1);
}

TEST_F(UuidTest, SourcesWithSlotsOfTheirOwnMakeNoSequenceTwice) {
    std::set<std::int64_t> made;
    std::vector<std::unique_ptr<UuidSource>> sources;
    for (std::int64_t slot = 0; slot < id_slots; ++slot) {
        sources.push_back(
            std::make_unique<UuidSource>(clock, random, 0, static_cast<IdSlot>(slot)));
    }
    for (int turn = 0; turn < 100; ++turn) {
        for (std::int64_t slot = 0; slot < id_slots; ++slot) {
            const auto id = sources[static_cast<std::size_t>(slot)]->next();
            EXPECT_EQ(id.sequence() % id_slots, slot);
            EXPECT_EQ(id.time(), clock.now());
            EXPECT_TRUE(made.insert(id.sequence()).second);
        }
    }
}

TEST_F(UuidTest, ASourceWithASlotAscendsAndStartsAboveTheFloor) {
    const auto floor = Uuid::sequence_at(clock.now()) + 70;
    UuidSource above{clock, random, floor, IdSlot{3}};
    EXPECT_EQ(above.next().sequence(), Uuid::sequence_at(clock.now()) + 2 * id_slots + 3);
    auto last = above.next();
    clock.set_wall(clock.now() - Millis{5});
    EXPECT_EQ(above.next().sequence(), last.sequence() + id_slots);
    clock.advance(Millis{10});
    EXPECT_EQ(above.next().sequence(), Uuid::sequence_at(clock.now()) + 3);
}

TEST_F(UuidTest, ATimeThatNoIdCanHoldIsAfterAllIds) {
    using namespace std::chrono_literals;
    const Timestamp year_2089 = std::chrono::sys_days{2089y / 9 / 1};
    const Timestamp year_2100 = std::chrono::sys_days{2100y / 1 / 1};
    const Timestamp year_9999 = std::chrono::sys_days{9999y / 12 / 31};
    EXPECT_GT(Uuid::sequence_at(year_2089), Uuid::sequence_at(clock.now()));
    EXPECT_GT(Uuid::sequence_at(year_2100), Uuid::sequence_at(year_2089));
    EXPECT_EQ(Uuid::sequence_at(year_9999), Uuid::sequence_at(year_2100));
    EXPECT_EQ(Uuid::sequence_at(Timestamp::max()), Uuid::sequence_at(year_2100));
    EXPECT_EQ(Uuid::sequence_at(Timestamp::min()), 0);
}

TEST_F(UuidTest, RefusesWhatIsNotOneOfOurs) {
    for (const auto* text :
         {"", "0191e4a0-0000-7000-8000-00000000000", "0191e4a0-0000-4000-8000-000000000000",
          "0191e4a0-0000-7000-c000-000000000000", "0191e4a0x0000-7000-8000-000000000000",
          "0191e4a0-0000-7000-8000-00000000000g", "00000000-0000-7000-8000-000000000000"}) {
        EXPECT_FALSE(Uuid::parse(text)) << text;
    }
}

}  // namespace
}  // namespace merpati
