#include "campaign/audience/step_writer.hpp"

#include <gtest/gtest.h>

namespace merpati::campaign {
namespace {

using namespace std::chrono_literals;

TEST(StepSizeTest, ApproachesTheTimeThatAStepMayTake) {
    StepSize size;
    for (int step = 0; step < 20; ++step) {
        size.note(size.rows(), size.rows() * 10us);
    }
    EXPECT_NEAR(static_cast<double>(size.rows()), 150, 3);
    for (int step = 0; step < 20; ++step) {
        size.note(size.rows(), size.rows() * 50us);
    }
    EXPECT_NEAR(static_cast<double>(size.rows()), 30, 2);
}

TEST(StepSizeTest, KeepsToItsLimits) {
    StepSize size;
    for (int step = 0; step < 20; ++step) {
        size.note(size.rows(), 0us);
    }
    EXPECT_EQ(size.rows(), StepSize::rows_max);
    for (int step = 0; step < 20; ++step) {
        size.note(size.rows(), 10s);
    }
    EXPECT_EQ(size.rows(), StepSize::rows_min);
    size.note(1, 10s);
    EXPECT_EQ(size.rows(), StepSize::rows_min);
}

}  // namespace
}  // namespace merpati::campaign
