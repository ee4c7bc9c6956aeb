#include "connector/process/worker/start_queue.hpp"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/manual_clock.hpp"

namespace merpati::connector::process {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct StartQueueTest : ::testing::Test {
    void add(std::int64_t account, std::int64_t device) {
        queue.add({.value = account}, model::PhoneNumber::from_stored(device));
    }
    /// The devices that may start now.
    std::vector<std::int64_t> started() {
        std::vector<std::int64_t> all;
        while (const auto next = queue.next()) {
            all.push_back(next->value());
        }
        return all;
    }

    testing::ManualClock clock;
    StartQueue queue{clock, 4};
};

TEST_F(StartQueueTest, ManyStartAtTheirRate) {
    for (int device = 1; device <= 20; ++device) {
        add(1, device);
    }
    EXPECT_THAT(started(), ElementsAre(1, 2, 3, 4)) << "a second's worth at once";
    EXPECT_THAT(started(), IsEmpty());
    clock.advance(250ms);
    EXPECT_THAT(started(), ElementsAre(5));
    clock.advance(1h);
    EXPECT_THAT(started(), SizeIs(4)) << "no more for a longer pause";
}

TEST_F(StartQueueTest, AnAccountWithManyDevicesDelaysNoOther) {
    for (int device = 1; device <= 100; ++device) {
        add(1, device);
    }
    add(2, 201);
    add(3, 301);
    EXPECT_THAT(started(), ElementsAre(1, 201, 301, 2));
}

TEST_F(StartQueueTest, ADeviceThatIsStartedAgainAndAgainWaitsOnce) {
    for (int time = 0; time < 100; ++time) {
        add(1, 1);
    }
    EXPECT_THAT(started(), ElementsAre(1));
    add(1, 1);
    EXPECT_THAT(started(), ElementsAre(1));
}

TEST_F(StartQueueTest, AfterAWorkersEndNobodyWaits) {
    add(1, 1);
    queue.clear();
    EXPECT_THAT(started(), IsEmpty());
    add(1, 1);
    EXPECT_THAT(started(), ElementsAre(1));
}

}  // namespace
}  // namespace merpati::connector::process
