#include "store/postgres/numbered_sql.hpp"

#include <gtest/gtest.h>

namespace merpati::store::postgres {
namespace {

TEST(NumberedSql, CountsArgumentsInOrder) {
    EXPECT_EQ(numbered_sql("SELECT 1 WHERE a = ? AND b > ?"), "SELECT 1 WHERE a = $1 AND b > $2");
}

TEST(NumberedSql, KeepsNumbers) {
    EXPECT_EQ(numbered_sql("UPDATE t SET a = ?2, b = ?12 WHERE c = ?1"),
              "UPDATE t SET a = $2, b = $12 WHERE c = $1");
}

TEST(NumberedSql, KeepsWhatIsQuoted) {
    EXPECT_EQ(numbered_sql("SELECT '?', 'it''s ?1', \"a?\" WHERE b = ?"),
              "SELECT '?', 'it''s ?1', \"a?\" WHERE b = $1");
}

}  // namespace
}  // namespace merpati::store::postgres
