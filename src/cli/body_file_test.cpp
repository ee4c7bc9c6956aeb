#include "cli/body_file.hpp"

#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "testing/temporary_folder.hpp"

namespace merpati::cli {
namespace {

TEST(BodyFileTest, GivesAFileInPiecesAndTellsHowFarItIs) {
    const merpati::testing::TemporaryFolder folder;
    const std::string content(150'000, 'x');
    std::ofstream{folder.file("rows.csv")} << content;
    auto file = BodyFile::open(folder.file("rows.csv"));
    ASSERT_TRUE(file) << file.error().describe();
    EXPECT_EQ(file->size(), content.size());
    std::string all;
    for (;;) {
        const auto piece = file->next();
        ASSERT_TRUE(piece);
        EXPECT_LE(piece->size(), BodyFile::piece_max);
        if (piece->empty()) {
            break;
        }
        all += *piece;
        EXPECT_EQ(file->given(), all.size());
    }
    EXPECT_TRUE(all == content);
}

TEST(BodyFileTest, SaysWhyAFileCannotBeRead) {
    const merpati::testing::TemporaryFolder folder;
    const auto missing = BodyFile::open(folder.file("none.csv"));
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, ErrorCode::not_found);
    auto directory = BodyFile::open(folder.path());
    ASSERT_TRUE(directory);
    EXPECT_EQ(directory->next().error().code, ErrorCode::io_failed);
}

TEST(BodyFileTest, ReadsStandardInput) {
    EXPECT_TRUE(BodyFile::open("-"));
}

}  // namespace
}  // namespace merpati::cli
