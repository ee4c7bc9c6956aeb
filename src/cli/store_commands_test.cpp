// Copies of stores, from file to file.
#include <filesystem>

#include "cli/cli_fixture.hpp"
#include "cli/stopped_store.hpp"

namespace merpati::cli::testing {
namespace {

struct StoreCommandsTest : CliTest {
    std::string from = "sqlite:" + folder.file("m.db");
    std::string to = "sqlite:" + folder.file("new.db");
};

TEST_F(StoreCommandsTest, ACopyTellsItsCountsAndItsKeyFile) {
    json({"account", "create", "Toko Ani"});
    json({"key", "create", "acc_1"});
    const auto copied = json({"store", "copy", from, to}).json();
    EXPECT_EQ(copied.at("complete"), true);
    EXPECT_EQ(std::string{copied.at("key_file").as_string()}, folder.file("m.db.key"));
    bool has_account = false;
    for (const auto& table : copied.at("tables").as_array()) {
        EXPECT_EQ(table.at("from"), table.at("to"));
        has_account = has_account || (table.at("table") == "account" && table.at("to") == 1);
    }
    EXPECT_TRUE(has_account);

    const auto again = run({"store", "copy", from, to});
    EXPECT_EQ(again.code, exit_done) << again.err;
    EXPECT_THAT(again.out, ::testing::ContainsRegex("\napi_key +1 +1\n"));
    EXPECT_THAT(again.out, Not(HasSubstr("campaign")));
    EXPECT_THAT(again.out, HasSubstr("each table has as many on both sides"));
    EXPECT_THAT(again.out, HasSubstr(folder.file("m.db.key")));

    environment["MERPATI_STORE__URL"] = to;
    environment["MERPATI_STORE__KEY_FILE"] = folder.file("m.db.key");
    EXPECT_EQ(json({"account", "list"}).json().at(0).at("name"), "Toko Ani");
    EXPECT_EQ(json({"account", "create", "Toko Budi"}).text("id"), "acc_2");
}

TEST_F(StoreCommandsTest, ARefusedCopySaysWhyWithoutPasswords) {
    json({"account", "create", "Toko Ani"});
    const std::vector<std::pair<std::vector<std::string>, std::string>> refusals{
        {{"sqlite:" + folder.file("none.db"), to}, "the source: there is no store at"},
        {{from, from}, "the same store"},
        {{from, "mysql://u:secret@host/db"}, "the target: 'mysql"},
        {{from, "postgresql://u:secret@/db?host=/nowhere"}, "nowhere"},
    };
    for (const auto& [urls, text] : refusals) {
        const auto refused = run({"store", "copy", urls[0], urls[1]});
        EXPECT_EQ(refused.code, exit_failed) << text;
        EXPECT_THAT(refused.err, HasSubstr(text));
        EXPECT_THAT(refused.err, Not(HasSubstr("secret")));
        EXPECT_THAT(refused.out, IsEmpty());
    }
    EXPECT_EQ(run({"store", "copy", from}).code, exit_usage);
}

TEST_F(StoreCommandsTest, AStoreThatIsOpenIsNotCopied) {
    json({"account", "create", "Toko Ani"});
    config::Settings settings;
    settings.store.url = from;
    const SystemClock clock;
    SystemRandom random;
    const auto user = StoppedStore::open(settings, clock, random, false);
    ASSERT_TRUE(user);
    const auto refused = run({"store", "copy", from, to});
    EXPECT_EQ(refused.code, exit_failed);
    EXPECT_THAT(refused.err, HasSubstr("the source: another process has the store open"));
}

}  // namespace
}  // namespace merpati::cli::testing
