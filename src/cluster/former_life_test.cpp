#include "cluster/former_life.hpp"

#include <fstream>

#include <gtest/gtest.h>

#include "testing/temporary_folder.hpp"

namespace merpati::cluster {
namespace {

struct FormerLifeTest : ::testing::Test {
    testing::TemporaryFolder folder;
    const std::string file = folder.file("merpati.node");
};

TEST_F(FormerLifeTest, ANodeKnowsItsLastGeneration) {
    EXPECT_FALSE(read_former_life(file));
    ASSERT_TRUE(write_life(file, {.node = 3, .generation = 17}));
    ASSERT_TRUE(write_life(file, {.node = 3, .generation = 18}));
    EXPECT_EQ(read_former_life(file), (store::NodeGeneration{.node = 3, .generation = 18}));
}

TEST_F(FormerLifeTest, AFileThatIsNoneSaysNothing) {
    for (const auto* text : {"", "3", "three 4", "-1 4", "0 0", "99999999999999999999 1"}) {
        std::ofstream{file, std::ios::trunc} << text;
        EXPECT_FALSE(read_former_life(file)) << text;
    }
}

TEST_F(FormerLifeTest, AFolderThatIsMissingIsAnError) {
    const auto written = write_life(folder.file("missing/merpati.node"), {1, 1});
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().code, ErrorCode::io_failed);
}

}  // namespace
}  // namespace merpati::cluster
