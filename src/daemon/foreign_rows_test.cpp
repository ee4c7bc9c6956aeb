// Copies in memory that follow what other nodes write.
#include "daemon/foreign_rows.hpp"

#include <condition_variable>
#include <filesystem>
#include <future>
#include <mutex>
#include <optional>
#include <variant>

#include <gtest/gtest.h>

#include "store/nodes.hpp"
#include "store/people.hpp"
#include "store/postgres/test_server_fixture.hpp"
#include "store/store.hpp"
#include "testing/manual_clock.hpp"
#include "testing/temporary_folder.hpp"

namespace merpati::daemon {
namespace {

using namespace std::chrono_literals;
using store::take;

constexpr auto rows_deadline = 20s;

/// Another process of the same database, which follows nothing by itself.
struct OtherNode {
    OtherNode(const store::StoreOptions& options, std::string name)
        : store(take(store::open_store(options))) {
        take(store->nodes()->join({.name = std::move(name)}, 10s));
    }

    void change(std::move_only_function<Result<void>(store::Tables&)> run) const {
        store::WriteBatch batch;
        batch.changes.push_back({.run = std::move(run)});
        take(store->write(batch));
        EXPECT_TRUE(batch.changes.front().result);
    }
    model::AccountId create_account(std::string name) const {
        model::AccountId made;
        change([&](store::Tables& tables) -> Result<void> {
            made = take(tables.create_account({.name = std::move(name)}));
            return {};
        });
        return made;
    }

    std::unique_ptr<store::Store> store;
};

struct ForeignRowsTest : ::testing::Test {
    ForeignRowsTest() {
        take(store->nodes()->join({.name = "one"}, 10s));
        take(rows.begin());
        take(readers.read([&](store::Reader& reader) { return directory.load(reader); }));
        committer.on_row_changed = [this](store::RowChange&& change) { apply(change); };
        committer.start();
        rows.start();
    }
    ~ForeignRowsTest() override {
        rows.stop();
        committer.stop();
    }

    void apply(const store::RowChange& change) {
        const std::lock_guard lock{mutex};
        directory.apply(change);
        last = change;
        changed.notify_all();
    }
    template <class Condition>
    bool wait_until(Condition condition) {
        std::unique_lock lock{mutex};
        return changed.wait_for(lock, rows_deadline, condition);
    }
    Result<void> rename(model::AccountId account, std::string name) {
        return committer.change_and_wait([=](store::Tables& tables) -> Result<void> {
            store::AccountPatch patch;
            patch.name = name;
            const auto updated = tables.update_account(account, patch);
            return updated ? Result<void>{} : pass(updated);
        });
    }

    merpati::testing::TemporaryFolder folder;
    store::StoreOptions options{
        .url = store::postgres::TestServer::shared().create_migrated_database(),
        .key_file = folder.path() / "store.key",
        .must_sync = false};
    std::unique_ptr<store::Store> store = take(store::open_store(options));
    OtherNode other{options, "two"};
    SystemClock clock;
    store::ReaderPool readers{*store};
    admission::Directory directory;
    store::Committer committer{clock, *store, {}, [](const Error&) { FAIL(); }};
    std::mutex mutex;
    std::condition_variable changed;
    std::optional<store::RowChange> last;
    ForeignRows rows{{.clock = clock,
                      .journal = *store->row_journal(),
                      .readers = readers,
                      .committer = committer,
                      .directory = directory,
                      .on_row_changed = [this](store::RowChange&& change) { apply(change); },
                      .on_fenced = [](const Error& error) { FAIL() << error.describe(); },
                      .log = telemetry::Log::none()}};
};

TEST_F(ForeignRowsTest, AnAccountOfAnotherNodeIsKnownHere) {
    const auto made = other.create_account("Toko Ani");
    EXPECT_TRUE(wait_until([&] { return directory.find_account(made) != nullptr; }));
    EXPECT_EQ(directory.find_account(made)->account.name, "Toko Ani");
}

TEST_F(ForeignRowsTest, WhatAnotherNodeHasLeftIsKnownAfterCatchingUp) {
    for (int turn = 0; turn < 10; ++turn) {
        const auto made = other.create_account("Toko Ani");
        ASSERT_TRUE(rows.catch_up());
        EXPECT_NE(directory.find_account(made), nullptr);
    }
}

TEST_F(ForeignRowsTest, WhatThisNodeHasWrittenItselfStays) {
    const auto made = other.create_account("Toko Ani");
    ASSERT_TRUE(wait_until([&] { return directory.find_account(made) != nullptr; }));
    for (int turn = 0; turn < 20; ++turn) {
        const auto name = "Toko " + std::to_string(turn);
        other.change([&](store::Tables& tables) -> Result<void> {
            store::AccountPatch patch;
            patch.callback_url = "https://" + std::to_string(turn) + ".example";
            take(tables.update_account(made, patch));
            return {};
        });
        ASSERT_TRUE(rename(made, name));
        EXPECT_EQ(directory.find_account(made)->account.name, name);
    }
    EXPECT_TRUE(wait_until([&] {
        return directory.find_account(made)->account.callback_url == "https://19.example";
    }));
    EXPECT_EQ(directory.find_account(made)->account.name, "Toko 19");
}

TEST_F(ForeignRowsTest, ADeviceThatAnotherNodeRemovedIsPassedOnAsItWas) {
    const auto account = other.create_account("Toko Ani");
    const auto number = model::PhoneNumber::from_stored(6281100000001);
    other.change([&](store::Tables& tables) -> Result<void> {
        take(tables.add_device({.number = number, .account = account}, true));
        return {};
    });
    ASSERT_TRUE(wait_until([&] { return directory.find_device(number) != nullptr; }));
    EXPECT_TRUE(std::get<store::DeviceWritten>(*last).is_new);
    other.change([&](store::Tables& tables) { return tables.remove_device(number); });
    EXPECT_TRUE(wait_until([&] { return directory.find_device(number) == nullptr; }));
    EXPECT_EQ(std::get<store::DeviceRemoved>(*last).device.account, account);
}

TEST_F(ForeignRowsTest, ASessionThatEndsElsewhereEndsHere) {
    model::Session session;
    other.change([&](store::Tables& tables) -> Result<void> {
        const auto person = take(tables.people().create_person({.email = "ani@toko.example"}));
        session = take(tables.people().create_session(
            {.person = person.id, .digest = sha256("token"), .seen_at = clock.now()}));
        return {};
    });
    ASSERT_TRUE(
        wait_until([&] { return directory.people().find_session(session.digest).has_value(); }));
    other.change([&](store::Tables& tables) -> Result<void> {
        take(tables.people().end_session(session.id));
        return {};
    });
    EXPECT_TRUE(
        wait_until([&] { return !directory.people().find_session(session.digest).has_value(); }));
}

TEST_F(ForeignRowsTest, ManyRowsAtOnceAreAllRead) {
    constexpr int many = 1'500;
    std::vector<model::AccountId> made;
    other.change([&](store::Tables& tables) -> Result<void> {
        made.clear();
        for (int count = 0; count < many; ++count) {
            made.push_back(take(tables.create_account({.name = "Toko"})));
        }
        return {};
    });
    EXPECT_TRUE(wait_until([&] { return directory.count_accounts() == many; }));
}

TEST_F(ForeignRowsTest, ANodeThatIsFrozenHoldsUpACallerForASecondAtMost) {
    take(other.store->row_journal()->changed_rows());  // From here on it is frozen.
    const auto made = other.create_account("Toko Ani");
    ASSERT_TRUE(wait_until([&] { return directory.find_account(made) != nullptr; }));
    ASSERT_TRUE(rename(made, "Toko Budi"));
    const auto began = clock.steady_now();
    rows.wait_for_others();
    EXPECT_GE(clock.steady_now() - began, ForeignRows::wait_max);
    EXPECT_LT(clock.steady_now() - began, rows_deadline);

    take(other.store->row_journal()->changed_rows());
    take(other.store->row_journal()->note_followed());
    store::RowJournal::Moment moment;
    EXPECT_TRUE(take(store->row_journal()->all_follow(moment)));
}

/// A journal that answers as the test wants.
struct ScriptedJournal final : store::RowJournal {
    Result<std::vector<store::DirectoryRow>> changed_rows() override {
        const std::lock_guard lock{mutex};
        ++asked;
        changed.notify_all();
        if (is_late) {
            return fail(ErrorCode::fenced, "this node has not followed the others");
        }
        return std::vector<store::DirectoryRow>{{.id = 1}};
    }
    Result<void> note_followed() override { return {}; }
    Result<bool> all_follow(Moment& /*moment*/) override {
        clock.advance(300ms);
        return ++waits == follow_after;
    }

    bool wait_for_question() {
        std::unique_lock lock{mutex};
        return changed.wait_for(lock, rows_deadline, [this] { return asked > 0; });
    }

    merpati::testing::ManualClock clock;
    int waits = 0;
    int follow_after = 0;
    std::mutex mutex;
    std::condition_variable changed;
    int asked = 0;
    bool is_late = false;
};

struct ScriptedJournalTest : ::testing::Test {
    std::promise<void> fenced;
    merpati::testing::TemporaryFolder folder;
    std::unique_ptr<store::Store> store =
        take(store::open_store({.url = "sqlite:" + (folder.path() / "merpati.db").string()}));
    ScriptedJournal journal;
    store::ReaderPool readers{*store};
    admission::Directory directory;
    store::Committer committer{journal.clock, *store, {}, [](const Error&) { FAIL(); }};
    ForeignRows rows{{.clock = journal.clock,
                      .journal = journal,
                      .readers = readers,
                      .committer = committer,
                      .directory = directory,
                      .on_row_changed = [](store::RowChange&&) {},
                      .on_fenced = [this](const Error&) { fenced.set_value(); },
                      .log = telemetry::Log::none()}};
};

TEST_F(ScriptedJournalTest, ANodeThatHasMissedSomethingEnds) {
    journal.is_late = true;
    auto ended = fenced.get_future();
    rows.start();
    EXPECT_EQ(ended.wait_for(rows_deadline), std::future_status::ready);
    rows.stop();
}

TEST_F(ScriptedJournalTest, ACallerIsAnsweredAsSoonAsAllFollow) {
    journal.follow_after = 1;
    rows.wait_for_others();
    EXPECT_EQ(journal.waits, 1);
    journal.follow_after = 3;
    rows.wait_for_others();
    EXPECT_EQ(journal.waits, 3);
}

TEST_F(ScriptedJournalTest, ACallerIsAnsweredAfterASecondAlthoughSomebodyDoesNotFollow) {
    rows.wait_for_others();
    EXPECT_EQ(journal.waits, 4);
}

TEST_F(ScriptedJournalTest, StopsWhileItWaitsForACommitterThatDoesNotAnswer) {
    rows.start();
    EXPECT_TRUE(journal.wait_for_question());
    rows.stop();
    rows.stop();
    committer.start();  // Its late answer finds nobody.
    committer.stop();
}

}  // namespace
}  // namespace merpati::daemon
