#include "base/liveness_probes.hpp"

#include <gtest/gtest.h>

namespace merpati {
namespace {

TEST(LivenessProbesTest, EachProbeIsAnsweredOnceInOrder) {
    LivenessProbes probes;
    std::vector<int> answered;
    probes.add([&] { answered.push_back(1); });
    probes.add([&] { answered.push_back(2); });
    EXPECT_TRUE(answered.empty());
    probes.answer();
    probes.answer();
    EXPECT_EQ(answered, (std::vector{1, 2}));
}

TEST(LivenessProbesTest, AProbeMayAddTheNextOneForTheNextTurn) {
    LivenessProbes probes;
    int answered = 0;
    probes.add([&] {
        ++answered;
        probes.add([&] { ++answered; });
    });
    probes.answer();
    EXPECT_EQ(answered, 1);
    probes.answer();
    EXPECT_EQ(answered, 2);
}

}  // namespace
}  // namespace merpati
