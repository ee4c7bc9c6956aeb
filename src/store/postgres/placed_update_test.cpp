#include "store/sql/placed_update.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/postgres/connection.hpp"
#include "store/postgres/test_server_fixture.hpp"

namespace merpati::store::postgres {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

/// Ten rows, of which `update` writes some. `other` is another program.
struct PlacedUpdateTest : ::testing::Test {
    PlacedUpdateTest() {
        other.run_script(
            "CREATE TABLE purse(id bigint PRIMARY KEY, coins bigint);"
            "INSERT INTO purse SELECT id, 0 FROM generate_series(1, 10) AS id;");
    }
    ~PlacedUpdateTest() override { TestServer::shared().drop_database(url); }

    /// Writes in a transaction, and returns the ids that had to be written again.
    std::vector<std::int64_t> write(const std::vector<std::int64_t>& ids, std::int64_t coins) {
        connection.begin();
        for (const auto id : ids) {
            update.run(id, coins);
        }
        const auto missed = update.missed();
        for (const auto id : missed) {
            update.run(id, coins);
        }
        EXPECT_THAT(update.missed(), IsEmpty());
        connection.commit();
        return missed;
    }
    std::string coins(std::int64_t id) {
        return other.query_text(
            ("SELECT coins FROM purse WHERE id = " + std::to_string(id)).c_str());
    }

    std::string url = TestServer::shared().create_database();
    Connection connection{take(ConnectionSettings::parse(url))};
    Connection other{take(ConnectionSettings::parse(url))};
    sql::PlacedUpdate update{connection, "UPDATE purse SET coins = ?2 WHERE id = ?1", 2};
};

TEST_F(PlacedUpdateTest, ARowThatNobodyElseWritesIsAtItsPlace) {
    for (std::int64_t coins_now = 1; coins_now <= 300; ++coins_now) {  // On several pages.
        ASSERT_THAT(write({1, 2, 3}, coins_now), IsEmpty());
    }
    EXPECT_EQ(coins(1), "300");
    EXPECT_EQ(coins(3), "300");
    EXPECT_EQ(coins(4), "0");
    ASSERT_TRUE(update.place_of(1));
    EXPECT_FALSE(update.place_of(4));
    EXPECT_EQ(
        other.query_text(
            ("SELECT " + std::string{connection.row_place()} + " FROM purse WHERE id = 1").c_str()),
        std::to_string(*update.place_of(1)));
}

TEST_F(PlacedUpdateTest, OtherVersionsAreNotPassed) {
    connection.execute("SET enable_seqscan = off");  // As for a table that is not this small.
    sql::Statement explain{
        connection,
        "EXPLAIN (COSTS OFF) SELECT coins FROM purse WHERE id = ?1 AND " + connection.is_at(2)};
    auto row = explain.query(std::int64_t{1}, std::int64_t{70'000});
    ASSERT_TRUE(row.next());
    EXPECT_THAT(std::string{row.text(0)}, HasSubstr("Tid Scan"));
}

TEST_F(PlacedUpdateTest, ARowThatAnotherProgramWroteIsMissedOnce) {
    EXPECT_THAT(write({1, 2}, 5), IsEmpty());
    other.run_script("UPDATE purse SET coins = 7 WHERE id = 2");
    EXPECT_THAT(write({1, 2}, 9), ElementsAre(2));
    EXPECT_EQ(coins(1), "9");
    EXPECT_EQ(coins(2), "9");
    EXPECT_THAT(write({1, 2}, 10), IsEmpty());
    EXPECT_EQ(coins(2), "10");
}

TEST_F(PlacedUpdateTest, APlaceThatIsAnotherRowsIsNotTaken) {
    EXPECT_THAT(write({1, 2, 3}, 5), IsEmpty());
    other.run_script("UPDATE purse SET coins = coins + 1");
    other.execute("VACUUM FULL purse");  // The rows take each other's places.
    EXPECT_THAT(write({1, 2, 3}, 9), UnorderedElementsAre(1, 2, 3));
    EXPECT_EQ(other.query_text("SELECT sum(coins)::bigint FROM purse"), std::to_string(3 * 9 + 7));
}

TEST_F(PlacedUpdateTest, WhatWasUndoneIsMissed) {
    EXPECT_THAT(write({1}, 5), IsEmpty());
    connection.begin();
    update.run(1, std::int64_t{6});
    EXPECT_THAT(update.missed(), IsEmpty());
    connection.roll_back();
    update.forget();
    EXPECT_THAT(write({1}, 7), ElementsAre(1));
    EXPECT_EQ(coins(1), "7");
}

TEST_F(PlacedUpdateTest, ARowThatIsGoneIsMissedAndNotWritten) {
    EXPECT_THAT(write({1}, 5), IsEmpty());
    other.run_script("DELETE FROM purse WHERE id = 1");
    EXPECT_THAT(write({1}, 7), ElementsAre(1));
    EXPECT_FALSE(update.place_of(1));
    EXPECT_EQ(other.query_text("SELECT count(*) FROM purse"), "9");
}

}  // namespace
}  // namespace merpati::store::postgres
