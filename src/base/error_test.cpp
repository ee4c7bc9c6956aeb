#include "base/error.hpp"

#include <memory>

#include <gtest/gtest.h>

namespace merpati {
namespace {

Result<int> passed_on(const Result<std::string>& failed) {
    return pass(failed);
}

TEST(PassTest, CopiesTheErrorOfAConstResult) {
    const Result<std::string> failed = fail(ErrorCode::busy, "4096 commits wait");
    EXPECT_EQ(passed_on(failed).error().detail, "4096 commits wait");
    EXPECT_EQ(failed.error().detail, "4096 commits wait");
}

TEST(PassTest, MovesTheErrorOfEveryOtherResult) {
    Result<std::string> failed = fail(ErrorCode::busy, "4096 commits wait");
    const Result<int> passed = pass(failed);
    EXPECT_EQ(passed.error().detail, "4096 commits wait");
    EXPECT_TRUE(failed.error().detail.empty());
}

TEST(PassTest, TakesErrorsOfEveryKind) {
    std::expected<int, std::unique_ptr<int>> failed = std::unexpected(std::make_unique<int>(7));
    const std::expected<void, std::unique_ptr<int>> passed = pass(failed);
    EXPECT_EQ(*passed.error(), 7);
}

}  // namespace
}  // namespace merpati
