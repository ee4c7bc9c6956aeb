#include "cli/table.hpp"

#include <array>

#include <gtest/gtest.h>

namespace merpati::cli {
namespace {

constexpr Column columns[]{"id", "name", "credit"};

TEST(TableTest, ColumnsAreAsWideAsWhatStandsInThem) {
    const boost::json::array rows{{{"id", "acc_1"}, {"name", "Toko"}, {"credit", 5}},
                                  {{"id", "acc_10"}, {"name", "Ä"}, {"credit", nullptr}}};
    EXPECT_EQ(render_table(rows, columns, ""),
              "ID      NAME  CREDIT\n"
              "acc_1   Toko  5\n"
              "acc_10  Ä     -\n");
}

TEST(TableTest, WhatIsTooLongForALineEndsInAnEllipsis) {
    std::string letters;
    for (int count = 0; count < 99; ++count) {
        letters += "ä";
    }
    const auto table = [](std::string_view id) {
        return render_table({boost::json::object{{"id", id}}}, std::array{Column{"id"}}, "");
    };
    EXPECT_EQ(table(letters + "ö"), "ID\n" + letters + "ö\n");
    EXPECT_EQ(table(letters + "öö"), "ID\n" + letters + "…\n");
    EXPECT_EQ(table(letters + "ö" + std::string(60'000, '6')), "ID\n" + letters + "…\n");
}

TEST(TableTest, AnEmptyListIsASentence) {
    EXPECT_EQ(render_table({}, columns, "There are none."), "There are none.\n");
}

TEST(TableTest, ARecordShowsTheFieldsItHas) {
    EXPECT_EQ(render_record({{"id", "acc_1"}, {"credit", true}}, columns),
              "id      acc_1\n"
              "credit  yes\n");
}

TEST(TableTest, ATitleIsTheFieldsNameUnlessTheColumnHasAnother) {
    constexpr Column titled[]{"next_attempt_at", {"took_ms", "took (ms)"}};
    const boost::json::object record{{"next_attempt_at", "soon"}, {"took_ms", 7}};
    EXPECT_EQ(render_table({record}, titled, ""),
              "NEXT ATTEMPT  TOOK (MS)\n"
              "soon          7\n");
    EXPECT_EQ(render_record(record, titled),
              "next attempt  soon\n"
              "took (ms)     7\n");
}

TEST(TableTest, ControlCharactersDoNotReachTheTerminal) {
    EXPECT_EQ(render_record({{"id", "a\x1b[2J\nb\x7f"}}, columns), "id  a?[2J?b?\n");
    EXPECT_EQ(render_record({{"id", "\u009b2Ja\u202eb"}}, columns), "id  ?2Ja?b\n");
    EXPECT_EQ(render_record({{"id", boost::json::array{"\u009b"}}}, columns), "id  ?\n");
}

}  // namespace
}  // namespace merpati::cli
