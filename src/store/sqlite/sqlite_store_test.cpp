// Promises of the SQLite engine alone: one process at a time, durability, its key and its schema.
#include "store/sqlite/sqlite_store.hpp"

#include <fstream>
#include <sys/stat.h>

#include <gtest/gtest.h>

#include "store/conformance/store_fixture.hpp"
#include "store/secret_box.hpp"
#include "store/sqlite/connection.hpp"
#include "store/sqlite/schema.hpp"

namespace merpati::store {
namespace {

using namespace std::chrono_literals;

struct SqliteStoreTest : ::testing::Test {
    TemporaryDirectory directory;
    std::filesystem::path file = directory.path() / "merpati.db";
    std::filesystem::path key_file = directory.path() / "merpati.db.key";
    StoreOptions options{.url = "sqlite:" + file.string()};
    testing::ManualClock clock;

    void make_store() { ASSERT_TRUE(take(open_store(options))); }

    model::MessageId make_store_with_a_message() {
        const auto store = take(open_store(options));
        WriteBatch senders;
        senders.changes.push_back({.run = [](Tables& tables) -> Result<void> {
            take(tables.add_device({.account = take(tables.create_account({}))}, true));
            return {};
        }});
        EXPECT_TRUE(store->write(senders));
        WriteBatch batch;
        auto& message = batch.accepts.emplace_back(std::make_unique<model::Message>()).message;
        message->id = Uuid{7, 7};
        message->account = {1};
        message->body = "Halo";
        EXPECT_TRUE(store->write(batch));
        return Uuid{7, 7};
    }

    /// Changes a closed store behind the engine's back.
    void execute(const char* sql) {
        sqlite::Connection connection{file.string(), sqlite::Access::read_write};
        connection.execute((std::string{sql} + ";").c_str());
    }

    Error refusal() {
        auto opened = open_store(options);
        EXPECT_FALSE(opened);
        return opened ? Error{} : opened.error();
    }

    static unsigned mode_of(const std::filesystem::path& path) {
        struct stat status{};
        EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
        return status.st_mode & 0777U;
    }
};

TEST_F(SqliteStoreTest, ASecondOpenerIsRefused) {
    auto first = take(open_store(options));
    const auto refused = refusal();
    EXPECT_EQ(refused.code, ErrorCode::busy);
    EXPECT_TRUE(refused.detail.contains("another process has the store open")) << refused.detail;
    EXPECT_TRUE(refused.detail.contains(file.string())) << refused.detail;
    first.reset();
    EXPECT_TRUE(open_store(options));
}

TEST_F(SqliteStoreTest, ASecondOpenerIsRefusedWhateverPathItUses) {
    const auto first = take(open_store(options));
    const auto link = directory.path() / "link.db";
    std::filesystem::create_symlink(file, link);
    options.url = "sqlite:" + link.string();
    EXPECT_EQ(refusal().code, ErrorCode::busy);

    const auto other = directory.path() / "other.db";
    std::filesystem::create_hard_link(file, other);
    options.url = "sqlite:" + other.string();
    EXPECT_EQ(refusal().code, ErrorCode::busy);
}

TEST_F(SqliteStoreTest, AFileWithASecondNameIsRefusedUntilThatIsGone) {
    make_store();
    const auto other = directory.path() / "other.db";
    std::filesystem::create_hard_link(file, other);
    const auto refused = refusal();
    EXPECT_EQ(refused.code, ErrorCode::refused);
    EXPECT_TRUE(refused.detail.contains("hard links")) << refused.detail;
    std::filesystem::remove(other);
    make_store();
}

TEST_F(SqliteStoreTest, AStoreThatIsReplacedWhileItIsOpenStaysTaken) {
    const auto first = take(open_store(options));
    std::filesystem::rename(file, directory.path() / "moved.db");
    EXPECT_EQ(refusal().code, ErrorCode::busy);
    EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(SqliteStoreTest, WithoutCreateNothingIsMadeWhereNoStoreIs) {
    options.create = false;
    const auto refused = refusal();
    EXPECT_EQ(refused.code, ErrorCode::not_found);
    EXPECT_TRUE(refused.detail.contains(file.string())) << refused.detail;
    EXPECT_TRUE(std::filesystem::is_empty(directory.path()));

    std::ofstream{file}.flush();  // An empty file is no store either.
    EXPECT_EQ(refusal().code, ErrorCode::not_found);

    options.create = true;
    make_store();
    options.create = false;
    make_store();
}

TEST_F(SqliteStoreTest, RefusesAPlaceThatCannotBeMadeDurable) {
    const auto before = std::filesystem::current_path();
    std::filesystem::current_path(directory.path());
    options.url = "sqlite::memory:";
    const auto refused = refusal();
    std::filesystem::current_path(before);
    EXPECT_EQ(refused.code, ErrorCode::store_failed);
    EXPECT_TRUE(refused.detail.contains("cannot be made durable")) << refused.detail;
}

TEST_F(SqliteStoreTest, RefusesADirectoryThatIsNotThere) {
    options.url = "sqlite:" + (directory.path() / "nowhere" / "merpati.db").string();
    EXPECT_EQ(refusal().code, ErrorCode::io_failed);
}

TEST_F(SqliteStoreTest, ItsFilesAreTheOwnersAlone) {
    const auto store = take(open_store(options));
    EXPECT_EQ(mode_of(file), 0600U);
    EXPECT_EQ(mode_of(file.string() + "-wal"), 0600U);
    EXPECT_EQ(mode_of(key_file), 0600U);
}

TEST_F(SqliteStoreTest, RefusesASchemaOfANewerProgram) {
    make_store();
    execute("PRAGMA user_version = 999");
    const auto refused = refusal();
    EXPECT_EQ(refused.code, ErrorCode::conflict);
    EXPECT_TRUE(refused.detail.contains("version 999")) << refused.detail;
}

TEST_F(SqliteStoreTest, RefusesASchemaWhoseVersionIsNegative) {
    make_store();
    execute("PRAGMA user_version = -1");
    EXPECT_EQ(refusal().code, ErrorCode::conflict);
}

TEST_F(SqliteStoreTest, BringsAnOlderSchemaUpToDateOnlyWhenItMay) {
    const auto id = make_store_with_a_message();
    execute(
        "DROP INDEX completion_unsent; DROP INDEX callback_parked; DROP TABLE activity;"
        "DROP TABLE lane; ALTER TABLE queue DROP COLUMN failing_since;"
        "ALTER TABLE queue DROP COLUMN crashes; ALTER TABLE queue DROP COLUMN perhaps_sent;"
        "ALTER TABLE queue DROP COLUMN as_template;"
        "ALTER TABLE message DROP COLUMN template; ALTER TABLE completion DROP COLUMN as_template;"
        "DROP TABLE handed_over; DROP TABLE platform_event; DROP TABLE device_secret;"
        "DROP INDEX device_account; DROP INDEX api_key_account;"
        "ALTER TABLE message DROP COLUMN campaign; ALTER TABLE device DROP COLUMN warm_up_days;"
        "ALTER TABLE message DROP COLUMN campaign_row; ALTER TABLE account DROP COLUMN country;"
        "DROP TABLE campaign; DROP TABLE campaign_plan; DROP TABLE campaign_device;"
        "DROP TABLE campaign_outcome; DROP TABLE erasure;"
        "DROP TABLE campaign_recipient; DROP TABLE contact; DROP TABLE contact_count;"
        "DROP TABLE contact_tag; DROP TABLE suppression;"
        "DROP TABLE person; DROP TABLE membership; DROP TABLE session; DROP TABLE sign_in_link;"
        "DROP TABLE recovery_code; DROP TABLE audit;"
        "DROP TABLE message_event; DROP TABLE callback_attempt;"
        "ALTER TABLE completion DROP COLUMN took;"
        "ALTER TABLE callback DROP COLUMN attempts_before;"
        "ALTER TABLE callback DROP COLUMN last_took;"
        "ALTER TABLE callback DROP COLUMN last_answer;"
        "ALTER TABLE callback DROP COLUMN batch; ALTER TABLE callback DROP COLUMN batch_tail;"
        "ALTER TABLE callback DROP COLUMN batch_events;"
        "ALTER TABLE account DROP COLUMN callback_batch;"
        "ALTER TABLE api_key DROP COLUMN scopes;"
        "ALTER TABLE device DROP COLUMN state_reason; ALTER TABLE device DROP COLUMN paused_since;"
        "ALTER TABLE device DROP COLUMN pause_reason; ALTER TABLE device DROP COLUMN resumed_at;"
        "ALTER TABLE device DROP COLUMN after_pairing; ALTER TABLE device DROP COLUMN notified;"
        "ALTER TABLE device DROP COLUMN exported_at;"
        "ALTER TABLE device DROP COLUMN restricted_until; DROP INDEX device_cloud;"
        "ALTER TABLE device DROP COLUMN phone_number_id; ALTER TABLE device DROP COLUMN waba_id;"
        "ALTER TABLE device DROP COLUMN fallback_template;"
        "DROP TABLE ledger; DROP TABLE ledger_pruned; DROP TABLE usage; DROP TABLE message_block;"
        "DROP TABLE received_media; DROP TABLE invitation;"
        "DROP INDEX api_key_revoked; DROP INDEX api_key_expires; DROP INDEX api_key_live;"
        "UPDATE account SET credit = 9; UPDATE message SET flags = 64;"
        "INSERT INTO completion VALUES(7,2,200,'','',7200000,1,NULL);"
        "PRAGMA user_version = 1; PRAGMA application_id = 0");
    options.migrate = false;
    const auto refused = refusal();
    EXPECT_EQ(refused.code, ErrorCode::conflict);
    EXPECT_TRUE(refused.detail.contains("merpati migrate")) << refused.detail;

    options.migrate = true;
    {
        const auto reader = take(take(open_store(options))->open_reader());
        const auto kept = take(reader->message(id));
        ASSERT_TRUE(kept);
        EXPECT_EQ(kept->message.body, "Halo");
        EXPECT_EQ(kept->message.campaign, std::nullopt);
        EXPECT_EQ(kept->message.campaign_row, 0U);
        EXPECT_EQ(kept->message.filled_template, nullptr);
        EXPECT_EQ(take(reader->trail(id)).sent_as, std::nullopt);
        EXPECT_EQ(take(reader->accounts()).front().country, "62");
        EXPECT_EQ(take(reader->devices()).front().cloud, std::nullopt);
        // The ledger begins with earlier charges, usage with messages that had ended.
        const auto checked = take(check_integrity(options.url, Depth::quick, clock, 1h));
        EXPECT_TRUE(checked.ledger_faults.empty());
        const auto book = take(reader->ledger({1}, {}, 10));
        ASSERT_EQ(book.size(), 1U);
        EXPECT_EQ(book[0].charged, 1U);
        EXPECT_EQ(book[0].balance, 9);
        const auto usage = take(reader->usage({.since = {}, .until = Timestamp{24h}}));
        ASSERT_EQ(usage.size(), 1U);
        EXPECT_EQ(usage[0].sent, 1U);
    }
    sqlite::Connection connection{file.string(), sqlite::Access::read_only};
    EXPECT_EQ(connection.query_text("PRAGMA user_version"),
              std::to_string(sqlite::schema_version()));
    EXPECT_NE(connection.query_text("PRAGMA application_id"), "0");
    EXPECT_EQ(connection.query_text(
                  "SELECT count(*) FROM sqlite_schema WHERE name IN "
                  "('completion_unsent', 'callback_parked', 'activity', 'lane', "
                  "'device_account', 'device_cloud', 'api_key_account', 'handed_over', "
                  "'handed_over_of_device', 'platform_event', 'platform_event_message', "
                  "'device_secret', 'person', 'membership', "
                  "'session', 'sign_in_link', 'recovery_code', 'audit', 'message_event', "
                  "'callback_attempt', 'ledger', 'ledger_pruned', 'usage', 'received_media', "
                  "'invitation', 'api_key_revoked', 'api_key_expires', 'api_key_live', "
                  "'campaign', 'campaign_plan', 'campaign_device', 'campaign_recipient', "
                  "'contact', 'contact_count', 'contact_tag', 'suppression', "
                  "'erasure_due')"),
              "37");
}

TEST_F(SqliteStoreTest, LeavesAnotherProgramsDatabaseAlone) {
    execute("CREATE TABLE song(title TEXT)");
    const auto refused = refusal();
    EXPECT_EQ(refused.code, ErrorCode::conflict);
    EXPECT_TRUE(refused.detail.contains("another program")) << refused.detail;
    sqlite::Connection connection{file.string(), sqlite::Access::read_only};
    EXPECT_EQ(connection.query_text("SELECT count(*) FROM sqlite_schema"), "1");
}

TEST_F(SqliteStoreTest, LeavesAnotherProgramsDatabaseAloneWhateverItsVersion) {
    execute("CREATE TABLE song(title TEXT)");
    for (const int version : {-1, 1, 3, sqlite::schema_version(), 999}) {
        execute(("PRAGMA user_version = " + std::to_string(version)).c_str());
        const auto refused = refusal();
        EXPECT_EQ(refused.code, ErrorCode::conflict) << version;
        EXPECT_TRUE(refused.detail.contains("another program")) << refused.detail;
    }
    execute("CREATE TABLE meta(name TEXT, value TEXT); PRAGMA application_id = 7");
    EXPECT_TRUE(refusal().detail.contains("another program"));
    sqlite::Connection connection{file.string(), sqlite::Access::read_only};
    EXPECT_EQ(connection.query_text("SELECT count(*) FROM sqlite_schema"), "2");
}

TEST_F(SqliteStoreTest, AStoreKeepsItsMarkInABackup) {
    const auto store = take(open_store(options));
    const auto copy = directory.path() / "copy.db";
    ASSERT_TRUE(store->backup(copy));
    sqlite::Connection original{file.string(), sqlite::Access::read_only};
    sqlite::Connection copied{copy.string(), sqlite::Access::read_only};
    EXPECT_EQ(copied.query_text("PRAGMA application_id"),
              original.query_text("PRAGMA application_id"));
    EXPECT_NE(copied.query_text("PRAGMA application_id"), "0");
}

TEST_F(SqliteStoreTest, RefusesAFileThatIsNoDatabase) {
    std::ofstream{file} << std::string(10'000, 'x');
    EXPECT_EQ(refusal().code, ErrorCode::damaged);
}

TEST_F(SqliteStoreTest, AMissingKeyFileIsNamedAndNeverMadeAnew) {
    make_store();
    std::filesystem::remove(key_file);
    const auto refused = refusal();
    EXPECT_EQ(refused.code, ErrorCode::conflict);
    EXPECT_TRUE(refused.detail.contains(key_file.string())) << refused.detail;
    EXPECT_FALSE(std::filesystem::exists(key_file));
}

TEST_F(SqliteStoreTest, AKeyFileThatCannotBeReadIsNamedAndNoMissingStore) {
    const auto loop = directory.path() / "loop.key";
    std::filesystem::create_symlink(loop, loop);
    options.key_file = loop;
    const auto is_named = [&] {
        const auto refused = refusal();
        EXPECT_EQ(refused.code, ErrorCode::io_failed);
        EXPECT_TRUE(refused.detail.contains(loop.string())) << refused.detail;
    };
    is_named();
    options.key_file.clear();
    make_store();
    options.key_file = loop;
    is_named();
}

TEST_F(SqliteStoreTest, AnotherStoresKeyFileIsNamed) {
    make_store();
    std::filesystem::remove(key_file);
    ASSERT_TRUE(SecretBox::create(key_file));
    const auto refused = refusal();
    EXPECT_EQ(refused.code, ErrorCode::conflict);
    EXPECT_TRUE(refused.detail.contains(key_file.string())) << refused.detail;
}

TEST_F(SqliteStoreTest, ANewStoreTakesTheKeyFileThatIsThere) {
    ASSERT_TRUE(SecretBox::create(key_file));
    std::ifstream in{key_file};
    const std::string before{std::istreambuf_iterator<char>{in}, {}};
    make_store();
    std::ifstream again{key_file};
    EXPECT_EQ((std::string{std::istreambuf_iterator<char>{again}, {}}), before);
    make_store();
}

TEST_F(SqliteStoreTest, ResultsOfCallbacksFitIntoTheirPages) {
    const auto store = take(open_store(options));
    const auto id = [first = Uuid::sequence_at(clock.now())](std::int64_t number) {
        return Uuid{first + number, 0x2'3456'789A'BCDEU};
    };
    constexpr std::int64_t count = 400;
    WriteBatch adding;
    adding.changes.push_back({.run = [&](Tables& tables) -> Result<void> {
        for (std::int64_t number = 0; number < count; ++number) {
            take(tables.add_callback({.id = id(number),
                                      .account = {1},
                                      .url = "https://toko.example/status",
                                      .origin_key = 1,
                                      .body = std::string(250, '.'),
                                      .created_at = clock.now()}));
        }
        return {};
    }});
    EXPECT_TRUE(store->write(adding));
    sqlite::Connection reader{file.string(), sqlite::Access::read_only};
    const auto pages = reader.query_text("PRAGMA page_count");
    WriteBatch results;
    for (std::int64_t number = 0; number < count; ++number) {
        results.callback_updates.push_back(
            {.event = id(number),
             .progress = {.state = model::CallbackState::delivered,
                          .attempts = 1,
                          .due_at = clock.now(),
                          .last_status = 200,
                          .updated_at = clock.now(),
                          .batch = model::PostedBatch{.id = id(count), .events = 100}},
             .took = 5ms,
             .answer = R"({"ok":true})"});
    }
    EXPECT_TRUE(store->write(results));
    EXPECT_EQ(reader.query_text("PRAGMA page_count"), pages);
}

TEST_F(SqliteStoreTest, ABookThatDisagreesWithBalanceOrMessagesIsFound) {
    make_store();
    execute(
        "INSERT INTO account VALUES(1,'a','paid',9,NULL,'default','','at-least-once',1,x'00',"
        "NULL,NULL,0,'62',NULL);"
        "INSERT INTO message VALUES(1,1,1,1,'62','',NULL,NULL,64,0,0,NULL,NULL,NULL);"
        "INSERT INTO ledger VALUES(1,1,0,0,0,0,0,10,10,''),(1,2,1,0,0,1,0,-1,9,'')");
    const auto fault = [&]() -> std::string {
        const auto found = take(check_integrity(options.url, Depth::quick, clock, 1h));
        return found.ledger_faults.empty() ? "" : found.ledger_faults.front().what;
    };
    EXPECT_EQ(fault(), "");
    execute("UPDATE account SET credit = 11");
    EXPECT_EQ(fault(), "its credit is 11, but its ledger ends with 9");
    execute("UPDATE account SET credit = 9; UPDATE ledger SET amount = -2 WHERE number = 2");
    EXPECT_EQ(fault(), "the amounts in its ledger add up to 8, but its credit is 9");
    execute("UPDATE ledger SET amount = -1, charged = 2 WHERE number = 2");
    EXPECT_EQ(fault(), "its ledger has 2 messages charged, but 1 are");
    execute("DELETE FROM ledger");
    EXPECT_EQ(fault(), "its credit is 9, but its ledger ends with nothing");
}

TEST_F(SqliteStoreTest, AReserveThatTheLedgerDoesNotExplainIsFound) {
    make_store();
    execute(
        "INSERT INTO account VALUES(1,'a','paid',6,NULL,'default','','at-least-once',1,x'00',"
        "NULL,NULL,0,'62',NULL);"
        "INSERT INTO campaign VALUES(1,1,'running','',NULL,0,0,NULL,'draft','',0,0,1,1,0,"
        "3,0,0,0,0,0,0,0,0,0,0,0,0,0,0,3,0);"
        "INSERT INTO campaign_recipient VALUES(4294967297,1,62811,NULL,-2,0,200,0,-1,-1,-1,"
        "-1,0,'','[]');"
        "INSERT INTO message VALUES(1,1,1,1,'62','',NULL,NULL,80,0,0,1,4,NULL);"
        "INSERT INTO ledger VALUES(1,1,0,0,0,0,0,10,10,''),(1,2,5,0,0,0,0,-4,6,'cmp_1'),"
        "(1,3,1,0,0,1,0,0,6,'')");
    const auto found = [&] { return take(check_integrity(options.url, Depth::quick, clock, 1h)); };
    EXPECT_TRUE(found().ledger_faults.empty()) << found().ledger_faults.front().what;
    execute("UPDATE campaign SET reserved = 4");
    ASSERT_EQ(found().ledger_faults.size(), 1U);
    EXPECT_EQ(found().ledger_faults.front().what,
              "its campaigns hold 4 credits in reserve, but 3 are reserved");
    ASSERT_EQ(found().campaign_faults.size(), 1U);
    EXPECT_EQ(found().campaign_faults.front().what, "it counts 3 recipients as pending, but 1 are");
    execute("UPDATE campaign SET pending = 1");
    EXPECT_TRUE(found().campaign_faults.empty());
}

}  // namespace
}  // namespace merpati::store
