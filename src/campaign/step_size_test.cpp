#include "campaign/step_size.hpp"

#include <gtest/gtest.h>

namespace merpati::campaign {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t rows_max = 2'000;

TEST(StepSizeTest, ApproachesTheTimeThatAStepMayTake) {
    StepSize size{1ms, rows_max};
    for (int step = 0; step < 20; ++step) {
        size.note(size.rows(), size.rows() * 10us);
    }
    EXPECT_NEAR(static_cast<double>(size.rows()), 100, 3);
    for (int step = 0; step < 20; ++step) {
        size.note(size.rows(), size.rows() * 50us);
    }
    EXPECT_NEAR(static_cast<double>(size.rows()), 20, 2);
}

TEST(StepSizeTest, KeepsToItsLimits) {
    StepSize size{1ms, rows_max};
    for (int step = 0; step < 20; ++step) {
        size.note(size.rows(), 0us);
    }
    EXPECT_EQ(size.rows(), rows_max);
    for (int step = 0; step < 20; ++step) {
        size.note(size.rows(), 10s);
    }
    EXPECT_EQ(size.rows(), StepSize::rows_min);
    size.note(1, 10s);
    EXPECT_EQ(size.rows(), StepSize::rows_min);
}

}  // namespace
}  // namespace merpati::campaign
