// What a copy refuses, and what others may do with its two stores meanwhile.
#include <string>

#include "store/nodes.hpp"
#include "store/secret_box.hpp"
#include "store/store_copy_fixture.hpp"

namespace merpati::store {
namespace {

struct StoreCopyRefusalsTest : StoreCopyTest {
    /// The code with which the store is refused to whoever opens it.
    ErrorCode code_of_open(const std::string& url) {
        const auto opened = open(url, std::chrono::milliseconds{100});
        EXPECT_FALSE(opened);
        return opened ? ErrorCode::timeout : opened.error().code;
    }
    NodeGeneration join(Store& store) {
        return take(store.nodes()->join({.name = "gateway-1", .address = {}, .version = {}},
                                        std::chrono::seconds{10}));
    }
};

TEST_F(StoreCopyRefusalsTest, ATargetWithRowsIsLeftAlone) {
    const auto from = filled_file("from.db");
    const auto to = filled_file("to.db");
    const auto before = rows_of(to);
    EXPECT_EQ(refusal(from, to, "the target is not empty"), ErrorCode::conflict);
    EXPECT_EQ(rows_of(to), before);
    EXPECT_TRUE(open(to));
}

TEST_F(StoreCopyRefusalsTest, ATargetThatWasOnlyOpenedIsEmpty) {
    const auto from = filled_file("from.db");
    const auto to = database();
    key_file = directory.path() / "other.key";
    take(open(to));
    key_file = directory.path() / "store.key";
    expect_copied(from, to);
    expect_same_rows(from, to);
    EXPECT_TRUE(open(to));
}

TEST_F(StoreCopyRefusalsTest, AnotherProgramsDatabaseIsLeftAlone) {
    const auto from = filled_file("from.db");
    const auto to = database();
    execute(to, "CREATE TABLE theirs(name text)");
    EXPECT_EQ(refusal(from, to, "another program"), ErrorCode::conflict);
}

TEST_F(StoreCopyRefusalsTest, AMissingSourceIsNotMade) {
    EXPECT_EQ(refusal(file("from.db"), file("to.db"), "there is no store"), ErrorCode::not_found);
    EXPECT_EQ(refusal(database(), file("to.db"), "there is no store"), ErrorCode::not_found);
    EXPECT_FALSE(std::filesystem::exists(directory.path() / "from.db"));
    EXPECT_FALSE(std::filesystem::exists(directory.path() / "to.db"));
}

TEST_F(StoreCopyRefusalsTest, UrlsThatAreNoneAreRefusedWithoutTheirPasswords) {
    const auto from = filled_file("from.db");
    EXPECT_EQ(refusal(from, from, "the same store"), ErrorCode::invalid_argument);
    for (const auto* url : {"mysql://u:secret@host/db", "postgresql://u:secret@a@b/db"}) {
        const auto refused = copy(from, url);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code, ErrorCode::invalid_argument);
        EXPECT_THAT(refused.error().detail, Not(::testing::HasSubstr("secret")));
    }
}

TEST_F(StoreCopyRefusalsTest, AnotherVersionsSchemaIsRefused) {
    const auto from = filled_file("from.db");
    execute(from, "PRAGMA user_version = 33");
    EXPECT_EQ(refusal(from, database(), "merpati migrate"), ErrorCode::conflict);
    execute(from, "PRAGMA user_version = 9999");
    EXPECT_EQ(refusal(from, database(), "9999"), ErrorCode::conflict);
}

TEST_F(StoreCopyRefusalsTest, AFileInUseIsRefused) {
    const auto from = filled_file("from.db");
    const auto to = file("to.db");
    auto user = take(open(from));
    EXPECT_EQ(refusal(from, to, "the source: another process"), ErrorCode::busy);
    user = take(open(to));
    EXPECT_EQ(refusal(from, to, "the target: another process"), ErrorCode::busy);
    user.reset();
    expect_copied(from, to);
}

TEST_F(StoreCopyRefusalsTest, ADatabaseWhereANodeIsAtWorkIsRefused) {
    const auto from = filled_file("from.db");
    const auto to = database();
    const auto store = take(open(to));
    join(*store);
    EXPECT_EQ(refusal(from, to, "\"gateway-1\" is at work"), ErrorCode::busy);
    EXPECT_EQ(refusal(to, file("to.db"), "\"gateway-1\" is at work"), ErrorCode::busy);
    ASSERT_TRUE(store->nodes()->leave());
    expect_copied(from, to);
}

TEST_F(StoreCopyRefusalsTest, ANodeThatIsSilentWritesNothingMore) {
    const auto from = filled_file("from.db");
    const auto to = database();
    const auto store = take(open(to));
    join(*store);
    execute(to, "UPDATE node_heartbeat SET seen_at = 0");
    expect_copied(from, to);
    WriteBatch batch;
    batch.changes.push_back({.run = [](Tables&) -> Result<void> { return {}; }});
    const auto written = store->write(batch);
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().code, ErrorCode::fenced);
    expect_same_rows(from, to);
}

TEST_F(StoreCopyRefusalsTest, ATargetIsNotOpenedBeforeItIsComplete) {
    const auto from = filled_file("from.db");
    for (const auto& to : {file("to.db"), database()}) {
        begin_copy(from, to);
        EXPECT_EQ(code_of_open(to), ErrorCode::conflict);
        EXPECT_EQ(refusal(to, file("further.db"), "not complete"), ErrorCode::conflict);
        expect_copied(from, to);
        EXPECT_TRUE(open(to));
    }
}

TEST_F(StoreCopyRefusalsTest, ASourceIsNotOpenedWhileItIsCopied) {
    const auto origin = filled_file("origin.db");
    const auto from = database();
    expect_copied(origin, from);
    for (const auto& source : {origin, from}) {
        auto wanted = options(source, file("to.db"));
        std::filesystem::remove(directory.path() / "to.db");
        int calls = 0;
        wanted.on_progress = [&](const CopyProgress&) {
            if (++calls == 20) {
                EXPECT_EQ(code_of_open(source), ErrorCode::busy);
            }
        };
        EXPECT_TRUE(copy(wanted));
        EXPECT_TRUE(open(source));
    }
}

TEST_F(StoreCopyRefusalsTest, ASourceThatWasUsedInBetweenEndsTheCopy) {
    const auto origin = filled_file("origin.db");
    const auto from = database();
    expect_copied(origin, from);
    for (const auto& source : {origin, from}) {
        const auto to = source == origin ? database() : file("to.db");
        begin_copy(source, to);
        take(open(source));
        EXPECT_EQ(refusal(source, to, "somebody has used the source"), ErrorCode::conflict);
    }
}

TEST_F(StoreCopyRefusalsTest, AnotherSourceDoesNotContinueACopy) {
    const auto from = filled_file("from.db");
    const auto other = filled_file("other.db");
    const auto to = database();
    begin_copy(from, to);
    EXPECT_EQ(refusal(other, to, "another store"), ErrorCode::conflict);
    expect_copied(from, to);
}

TEST_F(StoreCopyRefusalsTest, ACopyThatWasOpenedIsNotCopiedOver) {
    const auto from = filled_file("from.db");
    const auto to = database();
    expect_copied(from, to);
    take(open(to));
    EXPECT_EQ(refusal(from, to, "the target is not empty"), ErrorCode::conflict);
}

TEST_F(StoreCopyRefusalsTest, ASecondCopyIntoATargetGivesWay) {
    const auto from = filled_file("from.db");
    const auto to = database();
    auto wanted = options(from, to);
    int calls = 0;
    wanted.on_progress = [&](const CopyProgress&) {
        if (++calls == 21) {  // Between two batches.
            execute(to,
                    "UPDATE meta SET value = convert_to('other', 'UTF8') "
                    "WHERE name = 'copy_target'");
        }
    };
    EXPECT_EQ(refusal(wanted, "another copy into this target"), ErrorCode::busy);
}

TEST_F(StoreCopyRefusalsTest, CountsThatDifferKeepTheTargetClosed) {
    const auto from = filled_file("from.db");
    const auto to = database();
    auto wanted = options(from, to);
    int calls = 0;
    wanted.on_progress = [&](const CopyProgress& progress) {
        if (progress.total > 0 && progress.rows == progress.total && ++calls == 2) {
            execute(to, "DELETE FROM lane WHERE device = 1000");
        }
    };
    const auto copied = take(copy(wanted));
    EXPECT_FALSE(copied.is_equal());
    const auto lane = std::ranges::find(copied.tables, "lane", &CopiedRows::table);
    EXPECT_EQ(lane->source, 5);
    EXPECT_EQ(lane->target, 4);
    EXPECT_EQ(code_of_open(to), ErrorCode::conflict);
}

TEST_F(StoreCopyRefusalsTest, TheKeyFileMustBeTheSourcesOwn) {
    const auto from = filled_file("from.db");
    auto wanted = options(from, file("to.db"));
    wanted.key_file = directory.path() / "other.key";
    EXPECT_EQ(refusal(wanted, "other.key is missing"), ErrorCode::conflict);
    ASSERT_TRUE(SecretBox::create(wanted.key_file));
    EXPECT_EQ(refusal(wanted, "other.key is not the key file"), ErrorCode::conflict);
    EXPECT_FALSE(std::filesystem::exists(directory.path() / "to.db"));
    wanted.from = database();
    expect_copied(from, wanted.from);
    wanted.key_file.clear();
    EXPECT_EQ(refusal(wanted, "store.key_file"), ErrorCode::invalid_argument);
}

TEST_F(StoreCopyRefusalsTest, TheKeyFileBesideAnSqliteFileIsFound) {
    const auto from = filled_file("from.db");
    const auto beside = directory.path() / "from.db.key";
    std::filesystem::copy_file(key_file, beside);
    auto wanted = options(from, database());
    for (const auto& given : {std::filesystem::path{}, directory.path() / "missing.key"}) {
        wanted.key_file = given;
        EXPECT_EQ(take(copy(wanted)).key_file, beside);
    }
}

TEST_F(StoreCopyRefusalsTest, ADamagedSourceIsNamedWithItsTable) {
    const auto from = filled_file("from.db");
    execute(from, "UPDATE contact SET name = CAST(x'ff' AS TEXT) WHERE account = 1000");
    EXPECT_EQ(refusal(from, database(), "the table \"contact\""), ErrorCode::damaged);
}

}  // namespace
}  // namespace merpati::store
