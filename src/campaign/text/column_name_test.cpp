#include "campaign/text/column_name.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace merpati::campaign {
namespace {

TEST(ColumnName, IgnoresCaseAndBlanksAtTheEnds) {
    EXPECT_EQ(column_key("\u00a0 Nama  Lengkap\t"), "nama  lengkap");
    const std::vector<std::string> columns{"Nama", " NO HP", "nama"};
    EXPECT_EQ(find_column(columns, " nama "), 0U);
    EXPECT_EQ(find_column(columns, "no hp"), 1U);
    EXPECT_EQ(find_column(columns, "nohp"), std::nullopt);
    EXPECT_EQ(find_column({}, ""), std::nullopt);
}

}  // namespace
}  // namespace merpati::campaign
