// A store opens with its own key alone, also if the row by which it checks the key is damaged.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/conformance/store_fixture.hpp"
#include "store/secret_box.hpp"
#include "store/sqlite/connection.hpp"

namespace merpati::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct StoreKeyTest : StoreTest {
    StoreKeyTest() {
        store.reset();
        options.on_damage = [this](std::string_view place) { places.emplace_back(place); };
    }

    void execute(const std::string& sql) {
        sqlite::Connection connection{file.string(), sqlite::Access::read_write};
        connection.execute((sql + ";").c_str());
    }
    void lose_key() { std::filesystem::remove(options.key_file); }
    void use_another_key() {
        lose_key();
        ASSERT_TRUE(SecretBox::create(options.key_file));
    }

    Error refusal() {
        auto opened = open_store(options);
        EXPECT_FALSE(opened);
        return opened ? Error{} : opened.error();
    }
    void expect_opens_and_says(std::size_t damages) {
        places.clear();
        store = take(open_store(options));
        ASSERT_TRUE(store);
        EXPECT_EQ(store->condition().damages(), damages);
        EXPECT_EQ(places.size(), damages);
        EXPECT_EQ(take(take(store->open_reader())->accounts()).size(), 1U);
        store.reset();
    }

    const std::string lost = "DELETE FROM meta WHERE name = 'key_check'";
    const std::string spoilt = "UPDATE meta SET value = x'00' WHERE name = 'key_check'";
    std::filesystem::path file = directory.path() / "merpati.db";
    std::vector<std::string> places;
};

TEST_P(StoreKeyTest, ADamagedCheckIsWrittenAgainWithAKeyThatOpensASecret) {
    for (const auto& damage : {lost, spoilt}) {
        SCOPED_TRACE(damage);
        execute(damage);
        expect_opens_and_says(1);
        EXPECT_THAT(places, ElementsAre("the check of the key file"));
        expect_opens_and_says(0);
    }
}

TEST_P(StoreKeyTest, ACheckThatCannotBeReadStopsNoStart) {
    const auto damage = GetParam().damage(directory.path(), "meta", 0);
    store = take(open_store(options));
    ASSERT_TRUE(store);
    EXPECT_EQ(take(take(store->open_reader())->clock_offset()), Millis{0});
    EXPECT_THAT(places, ElementsAre("the check of the key file", "the offset of queue time"));
}

TEST_P(StoreKeyTest, AnotherKeyIsRefusedWhateverIsDamaged) {
    use_another_key();
    for (const auto& damage : {std::string{"SELECT 1"}, spoilt, lost}) {
        SCOPED_TRACE(damage);
        execute(damage);
        const auto refused = refusal();
        EXPECT_EQ(refused.code, ErrorCode::conflict);
        EXPECT_THAT(refused.detail, HasSubstr(options.key_file.string()));
        EXPECT_THAT(refused.detail, HasSubstr("store.key_file"));
    }
    const auto damage = GetParam().damage(directory.path(), "meta", 0);
    const auto refused = refusal();
    EXPECT_EQ(refused.code, ErrorCode::conflict);
    EXPECT_THAT(refused.detail, HasSubstr("docs/backup.md"));
    EXPECT_THAT(places, IsEmpty());
}

TEST_P(StoreKeyTest, AMissingKeyIsNeverMadeAnewForAStoreWithSecrets) {
    lose_key();
    execute(lost);
    EXPECT_EQ(refusal().code, ErrorCode::conflict);
    EXPECT_FALSE(std::filesystem::exists(options.key_file));
}

TEST_P(StoreKeyTest, AKeyThatOpensOneSecretOfManyIsTheRightOne) {
    execute(spoilt +
            "; INSERT INTO account SELECT 0, name, plan, credit, expires_at, rate, callback_url, "
            "delivery, devices_max, x'00', NULL, NULL, created_at, country, NULL FROM account "
            "WHERE id = 1");
    expect_opens_and_says(1);
}

TEST_P(StoreKeyTest, AnOffsetOfQueueTimeThatNothingWritesIsSaid) {
    execute("INSERT OR REPLACE INTO meta VALUES('clock_offset', x'00')");
    store = take(open_store(options));
    EXPECT_EQ(take(take(store->open_reader())->clock_offset()), Millis{0});
    EXPECT_THAT(places, ElementsAre("the offset of queue time"));
}

INSTANTIATE_TEST_SUITE_P(Sqlite, StoreKeyTest, ::testing::ValuesIn(engines_by_damage()), name_of);

}  // namespace
}  // namespace merpati::store
