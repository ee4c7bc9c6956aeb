// The store as a whole: restart, backup, secrets, failure.
#include <fstream>
#include <iterator>
#include <sys/stat.h>

#include "store/conformance/store_fixture.hpp"

namespace merpati::store {
namespace {

using namespace std::chrono_literals;
using model::MessageState;

struct LifetimeTest : StoreTest {
    /// The bytes of all files of the store.
    std::string files() {
        std::string all;
        for (const auto& entry : std::filesystem::directory_iterator{directory.path()}) {
            std::ifstream in{entry.path(), std::ios::binary};
            all.append(std::istreambuf_iterator<char>{in}, {});
        }
        return all;
    }
};

TEST_P(LifetimeTest, ARestartFindsEverythingAsItWas) {
    account = create_account(10);
    const auto waiting = accepted_due(clock.now() + 1h);
    const auto callback = finished_with_callback();
    reopen();
    EXPECT_EQ(credit_of(account), 8);
    EXPECT_EQ(lane_before(clock.now() + 2h), std::vector{waiting.id});
    const auto sent = take(reader()->message(*callback.message));
    ASSERT_TRUE(sent);
    EXPECT_EQ(sent->state, MessageState::sent);
    EXPECT_TRUE(take(reader()->callback(callback.id)));
    EXPECT_EQ(take(reader()->callback_origins(account, {}, 10)).size(), 1);
}

TEST_P(LifetimeTest, ARestartGivesNoIdTwice) {
    EXPECT_EQ(take(reader()->last_sequence()), 0);
    const auto made = accepted();
    EXPECT_EQ(take(reader()->last_sequence()), made.id.sequence());
    auto ending = finish_of(made);
    ending.callback = callback_for(made);
    const auto event = ending.callback->id;
    ASSERT_TRUE(finish(std::move(ending)));
    reopen();
    EXPECT_EQ(take(reader()->last_sequence()), event.sequence());
}

TEST_P(LifetimeTest, AnAccountsNumberIsNeverGivenAgain) {
    const auto second = create_account();
    reopen();
    EXPECT_GT(create_account(), second);
}

TEST_P(LifetimeTest, AnEmptyBatchIsFine) {
    WriteBatch batch;
    EXPECT_TRUE(batch.empty());
    write(batch);
    ASSERT_TRUE(store->checkpoint());
    EXPECT_TRUE(lane_before(clock.now()).empty());
}

TEST_P(LifetimeTest, ACheckpointLosesNothing) {
    const auto made = accepted();
    ASSERT_TRUE(store->checkpoint());
    EXPECT_EQ(lane_before(clock.now() + 1s), std::vector{made.id});
    reopen();
    EXPECT_EQ(lane_before(clock.now() + 1s), std::vector{made.id});
}

TEST_P(LifetimeTest, SaysHowMuchOfTheDiskItTakes) {
    const auto before = store->bytes_on_disk();
    for (int number = 0; number < 100; ++number) {
        accepted();
    }
    const auto after = store->bytes_on_disk();
    EXPECT_GT(after, before);
    if (GetParam().has_files) {
        EXPECT_LE(after, files().size());
    }
}

TEST_P(LifetimeTest, SecretsCannotBeReadFromTheFiles) {
    if (!GetParam().has_files) {
        GTEST_SKIP() << "the files of this engine are another program's";
    }
    const auto made = take(reader()->account(account)).value();
    for (const char letter : {'P', 'S'}) {
        ASSERT_TRUE(change([&](Tables& tables) {
            return tables.rotate_webhook_secret(account, Bytes(32, std::byte(letter)), clock.now());
        }));
    }
    ASSERT_TRUE(store->checkpoint());
    const auto bytes = files();
    EXPECT_TRUE(bytes.contains(made.name));
    EXPECT_FALSE(bytes.contains("SSSSSSSS"));
    EXPECT_FALSE(bytes.contains("PPPPPPPP"));
}

TEST_P(LifetimeTest, ABackupOpensAsAStoreOfItsOwn) {
    if (!GetParam().has_files) {
        GTEST_SKIP() << "the files of this engine are another program's";
    }
    account = create_account(3);
    const auto made = accepted_due(clock.now() + 1h);
    const auto copy = directory.path() / "copy.db";
    ASSERT_TRUE(store->backup(copy));
    const auto later = accepted();

    auto restored = options;
    restored.url = "sqlite:" + copy.string();
    auto opened = take(open_store(restored));
    ASSERT_TRUE(opened);
    const auto of_copy = take(opened->open_reader());
    EXPECT_TRUE(take(of_copy->message(made.id)));
    EXPECT_FALSE(take(of_copy->message(later.id)));
    EXPECT_EQ(take(of_copy->account(account))->credit, 2);
    WriteBatch batch;
    batch.finishes.push_back(finish_of(made));
    ASSERT_TRUE(opened->write(batch));
    EXPECT_TRUE(batch.finishes.front().finished);
    EXPECT_EQ(take(reader()->message(made.id))->state, MessageState::pending);
}

TEST_P(LifetimeTest, ABackupIsPrivateAndOverwritesNothing) {
    if (!GetParam().has_files) {
        GTEST_SKIP() << "the files of this engine are another program's";
    }
    const auto copy = directory.path() / "copy.db";
    ASSERT_TRUE(store->backup(copy));
    struct stat status{};
    ASSERT_EQ(::stat(copy.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600);
    EXPECT_EQ(store->backup(copy).error().code, ErrorCode::conflict);
    EXPECT_EQ(store->backup(directory.path() / "nowhere" / "copy.db").error().code,
              ErrorCode::io_failed);
    EXPECT_GT(std::filesystem::file_size(copy), 0);
}

TEST_P(LifetimeTest, AnEngineWithoutFilesNamesTheBackupsOfItsDatabase) {
    if (GetParam().has_files) {
        GTEST_SKIP() << "the store makes its backups itself";
    }
    const auto copy = directory.path() / "copy.db";
    EXPECT_EQ(store->backup(copy).error().code, ErrorCode::refused);
    EXPECT_FALSE(std::filesystem::exists(copy));
}

TEST_P(LifetimeTest, RefusesUrlsThatAreNoStores) {
    for (const char* url : {"", "merpati.db", "sqlite:", "mysql://user:secret@host/db"}) {
        const auto opened = open_store({.url = url});
        ASSERT_FALSE(opened) << url;
        EXPECT_EQ(opened.error().code, ErrorCode::invalid_argument);
        EXPECT_FALSE(opened.error().detail.contains("secret"));
    }
}

TEST_P(LifetimeTest, AfterAFailedWriteNothingMoreIsWritten) {
    const auto made = accepted();
    WriteBatch repeated;
    repeated.accepts.push_back({.message = std::make_unique<model::Message>(made)});
    EXPECT_EQ(store->write(repeated).error().code, ErrorCode::store_failed);
    WriteBatch empty;
    EXPECT_EQ(store->write(empty).error().code, ErrorCode::store_failed);
    EXPECT_EQ(take(reader()->waiting_messages(100'000)), 1);
    reopen();
    accepted();
}

TEST_P(LifetimeTest, KeepsTheOffsetOfQueueTime) {
    EXPECT_EQ(take(reader()->clock_offset()), 0ms);
    for (const Millis offset : {Millis{3'600'000}, Millis{-1'767'225'600'000}}) {
        ASSERT_TRUE(change([&](Tables& tables) { return tables.set_clock_offset(offset); }));
        reopen();
        EXPECT_EQ(take(reader()->clock_offset()), offset);
    }
}

INSTANTIATE_TEST_SUITE_P(Engines, LifetimeTest, ::testing::ValuesIn(engines()), name_of);

}  // namespace
}  // namespace merpati::store
