#include "media/byte_budget.hpp"

#include <map>

#include <gtest/gtest.h>

#include "testing/manual_clock.hpp"
#include "testing/temporary_folder.hpp"

namespace merpati::media {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t block = 4096;
constexpr std::uint64_t blocks_max = 12;
constexpr model::AccountId greedy{1};
constexpr model::AccountId shop{2};

struct ByteBudgetTest : ::testing::Test {
    /// Reserves, writes, stores and holds a file of one block, as for a message.
    FilePtr put(model::AccountId account, const std::string& text) {
        if (!budget.reserve(account, block)) {
            return nullptr;
        }
        auto file = storage->incoming().value();
        EXPECT_TRUE(file.put(as_bytes(text)));
        const auto content = storage->keep(std::move(file)).value();
        budget.give_back(account, block);
        return budget.hold(account, content, "text/csv");
    }
    std::vector<FilePtr> put_all(model::AccountId account) {
        std::vector<FilePtr> files;
        while (auto file = put(account, account.text() + std::to_string(files.size()))) {
            files.push_back(std::move(file));
            EXPECT_LE(storage->bytes(), blocks_max * block);
        }
        return files;
    }
    void wait(model::AccountId account, std::uint64_t blocks) {
        budget.wait(account, blocks * block, [this, account] { ++served[account]; });
    }

    testing::ManualClock clock;
    testing::TemporaryFolder folder;
    std::unique_ptr<CacheStorage> storage =
        CacheStorage::open(clock, {.folder = folder.path() / "media",
                                   .kept_bytes_max = blocks_max * block,
                                   .kept_for = 1h,
                                   .files_max = 100})
            .value();
    ByteBudget budget{*storage};
    std::map<model::AccountId, int> served;
};

TEST_F(ByteBudgetTest, LeavesOthersAsMuchAsAnAccountTakes) {
    const auto files = put_all(greedy);
    EXPECT_EQ(files.size(), blocks_max / 2);
    EXPECT_EQ(put_all(shop).size(), blocks_max / 4);
}

TEST_F(ByteBudgetTest, GivesAnAccountThatHoldsNothingWhateverIsFree) {
    EXPECT_TRUE(budget.reserve(shop, blocks_max * block));
    EXPECT_FALSE(budget.reserve(greedy, block));
    budget.give_back(shop, blocks_max * block);
    EXPECT_TRUE(budget.reserve(greedy, block));
}

TEST_F(ByteBudgetTest, RemovesFilesThatNobodyHoldsForNewOnes) {
    for (int round = 0; round < 5; ++round) {
        EXPECT_FALSE(put_all(greedy).empty());
        EXPECT_LE(storage->bytes(), blocks_max * block);
    }
    EXPECT_TRUE(budget.reserve(shop, blocks_max * block));
    EXPECT_EQ(storage->files(), 0U);
}

TEST_F(ByteBudgetTest, WhatIsLentCountsUntilItIsLetGoOf) {
    auto lent = budget.lend(greedy, blocks_max / 2 * block);
    ASSERT_NE(lent, nullptr);
    EXPECT_EQ(budget.lend(greedy, block), nullptr) << "it has its share";
    EXPECT_NE(budget.lend(shop, block), nullptr);
    lent.reset();
    EXPECT_NE(budget.lend(greedy, blocks_max * block), nullptr);
}

TEST_F(ByteBudgetTest, CountsAFileOfSeveralMessagesOnce) {
    const auto first = put(greedy, "sama");
    const auto second = put(greedy, "sama");
    auto third = put(shop, "sama");
    EXPECT_EQ(budget.used(), block);
    third = nullptr;
    EXPECT_TRUE(budget.reserve(shop, (blocks_max - 1) * block));
}

TEST_F(ByteBudgetTest, ServesWhoWaitsWhenFilesAreLetGoOf) {
    auto files = put_all(greedy);
    wait(greedy, 1);
    EXPECT_TRUE(budget.serve());
    EXPECT_EQ(served[greedy], 0);
    files.pop_back();
    EXPECT_FALSE(budget.serve());
    EXPECT_EQ(served[greedy], 1);
    EXPECT_EQ(budget.reserved(), block);
}

TEST_F(ByteBudgetTest, ServesAccountsInTurnHoweverManyFilesOneWaitsFor) {
    auto files = put_all(greedy);
    for (int number = 0; number < 1'000; ++number) {
        wait(greedy, 1);
    }
    wait(shop, 2);
    EXPECT_TRUE(budget.serve());
    EXPECT_EQ(served[shop], 1) << "what greedy leaves free";
    EXPECT_EQ(served[greedy], 0);
}

TEST_F(ByteBudgetTest, KeepsBytesFreeForALargeFileOfAnAccountThatHoldsNothing) {
    auto files = put_all(greedy);
    wait(shop, 10);
    EXPECT_TRUE(budget.serve());
    files.resize(4);
    EXPECT_FALSE(budget.reserve(greedy, block)) << "small ones would pass for ever";
    EXPECT_TRUE(budget.serve());
    files.resize(2);
    EXPECT_FALSE(budget.serve());
    EXPECT_EQ(served[shop], 1);
}

TEST_F(ByteBudgetTest, KeepsFilesThatAreHeldLongerThanItself) {
    FilePtr file;
    {
        ByteBudget other{*storage};
        EXPECT_TRUE(other.reserve(shop, block));
        auto incoming = storage->incoming().value();
        const auto content = storage->keep(std::move(incoming)).value();
        other.give_back(shop, block);
        file = other.hold(shop, content, "text/csv");
    }
    EXPECT_TRUE(std::filesystem::exists(file->path));
}

TEST_F(ByteBudgetTest, ForgetsAllThatWaitWhenCleared) {
    wait(shop, 1);
    wait(greedy, 1);
    budget.clear();
    EXPECT_FALSE(budget.serve());
    EXPECT_TRUE(served.empty());
    EXPECT_EQ(budget.waiting(), 0U);
}

}  // namespace
}  // namespace merpati::media
