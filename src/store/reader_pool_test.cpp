#include "store/reader_pool.hpp"

#include <filesystem>

#include <gtest/gtest.h>

#include "store/conformance/store_fixture.hpp"

namespace merpati::store {
namespace {

/// Counts the readers that it opens.
struct CountingStore final : Store {
    explicit CountingStore(Store& counted) : of(counted) {}
    Result<std::unique_ptr<Reader>> open_reader() override {
        ++opened;
        return of.open_reader();
    }
    Sha256 fingerprint(std::string_view text) const override { return of.fingerprint(text); }
    Result<void> write(WriteBatch& batch) override { return of.write(batch); }
    Result<void> maintain(bool is_idle) override { return of.maintain(is_idle); }
    Result<void> checkpoint() override { return of.checkpoint(); }
    void look_at_disk() override { of.look_at_disk(); }
    const Condition& condition() const noexcept override { return of.condition(); }
    std::uint64_t bytes_on_disk() const override { return of.bytes_on_disk(); }
    Result<void> backup(const std::filesystem::path& file) override { return of.backup(file); }

    Store& of;
    int opened = 0;
};

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
