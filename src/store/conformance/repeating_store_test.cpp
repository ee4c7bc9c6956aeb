#include "store/conformance/repeating_store.hpp"

#include <string>

#include <gtest/gtest-spi.h>

#include "testing/temporary_folder.hpp"

namespace merpati::store {
namespace {

struct RepeatingStoreTest : ::testing::Test {
    Result<void> change(std::move_only_function<Result<void>(Tables&)> run) {
        WriteBatch batch;
        batch.changes.push_back({.run = std::move(run)});
        EXPECT_TRUE(store->write(batch));
        rows = batch.row_changes.size();
        return std::move(batch.changes.front().result);
    }
    static Result<void> create_account(Tables& tables, std::string name) {
        const auto created = tables.create_account({.name = std::move(name)});
        return created ? Result<void>{} : pass(created);
    }
    std::size_t accounts() { return (*store->open_reader())->accounts()->size(); }

    const testing::TemporaryFolder folder;
    const std::unique_ptr<Store> store =
        open_repeating_store({.url = "sqlite:" + folder.file("merpati.db")});
    std::size_t rows = 0;  // That the last change wrote.
};

TEST_F(RepeatingStoreTest, AChangeRunsTwiceAndIsWrittenOnce) {
    int runs = 0;
    EXPECT_TRUE(change([&](Tables& tables) {
        ++runs;
        return create_account(tables, "Toko");
    }));
    EXPECT_EQ(runs, 2);
    EXPECT_EQ(accounts(), 1U);
    EXPECT_EQ(rows, 1U);
}

TEST_F(RepeatingStoreTest, ARefusedChangeRunsTwiceAndKeepsItsError) {
    int runs = 0;
    const auto refused = change([&](Tables& tables) {
        ++runs;
        EXPECT_TRUE(create_account(tables, "Toko"));
        return fail(ErrorCode::conflict, "it is refused");
    });
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::conflict);
    EXPECT_EQ(runs, 2);
    EXPECT_EQ(accounts(), 0U);
}

TEST_F(RepeatingStoreTest, AChangeThatMovesOutOfWhatItCapturesFailsTheTest) {
    std::optional<std::string> name = "Toko";
    EXPECT_NONFATAL_FAILURE(EXPECT_FALSE(change([&](Tables& tables) {
                                auto taken = std::exchange(name, std::nullopt);
                                return taken ? create_account(tables, *taken)
                                             : fail(ErrorCode::not_found, "no name");
                            })),
                            "a change is not repeatable");
}

TEST_F(RepeatingStoreTest, AChangeThatWritesOtherRowsTheSecondTimeFailsTheTest) {
    std::vector<std::string> names{"Toko", "Warung"};
    EXPECT_NONFATAL_FAILURE(EXPECT_TRUE(change([&](Tables& tables) -> Result<void> {
                                for (const auto& name : std::exchange(names, {})) {
                                    EXPECT_TRUE(create_account(tables, name));
                                }
                                return {};
                            })),
                            "a change is not repeatable");
}

}  // namespace
}  // namespace merpati::store
