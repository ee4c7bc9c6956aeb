#include "base/thread.hpp"

#include <sys/resource.h>

#include <gtest/gtest.h>

namespace merpati {
namespace {

int niceness() {
    return getpriority(PRIO_PROCESS, 0);  // Of the calling thread.
}

TEST(ThreadTest, ABackgroundThreadYieldsToOthersAndChangesNoneOfThem) {
    const int own = niceness();
    int background = 0;
    int usual = 0;
    start_background_thread("background", [&] { background = niceness(); }).join();
    start_thread("usual", [&] { usual = niceness(); }).join();
    EXPECT_GE(background, 10);
    EXPECT_EQ(usual, own);
    EXPECT_EQ(niceness(), own);
}

}  // namespace
}  // namespace merpati
