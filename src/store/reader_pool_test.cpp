#include "store/reader_pool.hpp"

#include <filesystem>

#include <gtest/gtest.h>

#include "store/conformance/counting_store.hpp"
#include "store/conformance/store_fixture.hpp"

namespace merpati::store {
namespace {

struct ReaderPoolTest : ::testing::Test {
    void add_account() {
        WriteBatch batch;
        batch.changes.push_back({.run = [](Tables& tables) -> Result<void> {
            const auto made = tables.create_account({.name = std::string(50'000, 'x')});
            return made ? Result<void>{} : pass(made);
        }});
        ASSERT_TRUE(store->write(batch));
    }
    std::size_t accounts() {
        const auto found = pool.read([](Reader& reader) { return reader.accounts(); });
        EXPECT_TRUE(found);
        return found ? found->size() : 0;
    }

    const TemporaryDirectory directory;
    const std::filesystem::path file = directory.path() / "merpati.db";
    std::unique_ptr<Store> store = *open_store({.url = "sqlite:" + file.string()});
    CountingStore counted{*store};
    ReaderPool pool{counted};
};

TEST_F(ReaderPoolTest, OneReaderServesManyReadsAndSeesWhatWasCommittedBefore) {
    for (std::size_t count = 0; count < 5; ++count) {
        EXPECT_EQ(accounts(), count);
        add_account();
    }
    EXPECT_EQ(counted.opened, 1);
}

TEST_F(ReaderPoolTest, AReadInsideOneHasAReaderOfItsOwn) {
    const auto inner = [&](Reader& outer) {
        return pool.read([&](Reader& reader) -> Result<bool> { return &reader != &outer; });
    };
    EXPECT_TRUE(pool.read(inner).value_or(false));
    EXPECT_TRUE(pool.read(inner).value_or(false));
    EXPECT_EQ(counted.opened, 2);
}

TEST_F(ReaderPoolTest, AReaderThatFailedIsNotLentAgain) {
    const auto failing = [](ErrorCode code) {
        return [code](Reader&) -> Result<int> { return fail(code, ""); };
    };
    EXPECT_FALSE(pool.read(failing(ErrorCode::refused)));
    EXPECT_EQ(accounts(), 0U);
    EXPECT_EQ(counted.opened, 1);
    EXPECT_FALSE(pool.read(failing(ErrorCode::store_failed)));
    EXPECT_EQ(accounts(), 0U);
    EXPECT_EQ(counted.opened, 2);
}

TEST_F(ReaderPoolTest, AKeptReaderDoesNotMakeTheLogGrow) {
    const auto log_after = [this](int commits) {
        for (int count = 0; count < commits; ++count) {
            add_account();
            EXPECT_GT(accounts(), 0U);
            EXPECT_TRUE(pool.read([](Reader& reader) { return reader.messages({}); }));
            EXPECT_TRUE(store->checkpoint());
        }
        return std::filesystem::file_size(file.string() + "-wal");
    };
    const auto few = log_after(5);
    EXPECT_LT(log_after(50), 2 * few);
}

}  // namespace
}  // namespace merpati::store
