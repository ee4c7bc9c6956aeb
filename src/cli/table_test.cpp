#include "cli/table.hpp"

#include <array>

#include <gtest/gtest.h>

namespace merpati::cli {
namespace {

constexpr std::array columns{Column{"ID", "id"}, Column{"NAME", "name"},
                             Column{"CREDIT", "credit"}};

TEST(TableTest, ColumnsAreAsWideAsWhatStandsInThem) {
    const boost::json::array rows{{{"id", "acc_1"}, {"name", "Toko"}, {"credit", 5}},
                                  {{"id", "acc_10"}, {"name", "Ä"}, {"credit", nullptr}}};
    EXPECT_EQ(render_table(rows, columns, ""),
              "ID      NAME  CREDIT\n"
              "acc_1   Toko  5\n"
              "acc_10  Ä     -\n");
}

TEST(TableTest, AnEmptyListIsASentence) {
    EXPECT_EQ(render_table({}, columns, "There are none."), "There are none.\n");
}

TEST(TableTest, ARecordShowsTheFieldsItHas) {
    EXPECT_EQ(render_record({{"id", "acc_1"}, {"credit", true}}, columns),
              "ID      acc_1\n"
              "CREDIT  yes\n");
}

TEST(TableTest, ControlCharactersDoNotReachTheTerminal) {
    EXPECT_EQ(render_record({{"id", "a\x1b[2J\nb\x7f"}}, columns), "ID  a?[2J?b?\n");
}

}  // namespace
}  // namespace merpati::cli
