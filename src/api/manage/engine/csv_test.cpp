#include "api/manage/engine/csv.hpp"

#include <gtest/gtest.h>

namespace merpati::api::manage {
namespace {

std::string cell(std::string_view text) {
    std::string csv;
    add_cell(csv, text);
    end_record(csv);
    return csv.substr(0, csv.size() - 2);
}

TEST(CsvTest, RecordsAreLinesOfCellsBetweenCommas) {
    std::string csv;
    for (int record = 0; record < 2; ++record) {
        add_cell(csv, "");
        add_cell(csv, "acc_1");
        add_field(csv, 628);
        add_field(csv, nullptr);
        end_record(csv);
    }
    EXPECT_EQ(csv, ",acc_1,628,\r\n,acc_1,628,\r\n");
}

TEST(CsvTest, WhatSeparatesIsQuoted) {
    EXPECT_EQ(cell("a,b"), "\"a,b\"");
    EXPECT_EQ(cell("kata \"tidak\""), "\"kata \"\"tidak\"\"\"");
}

TEST(CsvTest, ARecordStaysOnOneLine) {
    EXPECT_EQ(cell("a\r\nb"), "\"a  b\"");
    EXPECT_EQ(cell("a\x1b[31m"), "a [31m");
}

TEST(CsvTest, NoCellIsAFormula) {
    EXPECT_EQ(cell("=1+1"), "'=1+1");
    EXPECT_EQ(cell("+62"), "'+62");
    EXPECT_EQ(cell("-1"), "'-1");
    EXPECT_EQ(cell("@SUM(A1)"), "'@SUM(A1)");
    EXPECT_EQ(cell("\t=1"), "' =1");
    EXPECT_EQ(cell("=A1,\"x\""), "\"'=A1,\"\"x\"\"\"");
    EXPECT_EQ(cell("a=1"), "a=1");
    EXPECT_EQ(cell(" =1"), "' =1");
    EXPECT_EQ(cell("\"=1\""), "\"'\"\"=1\"\"\"");
    EXPECT_EQ(cell("\uff1d1+1"), "'\uff1d1+1");
    EXPECT_EQ(cell("\uff0b62"), "'\uff0b62");
    EXPECT_EQ(cell("\uff0d1"), "'\uff0d1");
    EXPECT_EQ(cell("\uff20SUM(A1)"), "'\uff20SUM(A1)");
    EXPECT_EQ(cell("\uff1c"), "\uff1c");
}

// Where lists are separated by ";", a spreadsheet begins a cell after each.
TEST(CsvTest, NoPartOfACellIsAFormula) {
    EXPECT_EQ(cell("x;=cmd|' /c calc'!A0;y"), "\"x;'=cmd|' /c calc'!A0;y\"");
    EXPECT_EQ(cell("x; +62;-1"), "\"x;' +62;'-1\"");
    EXPECT_EQ(cell("x;\uff1d1"), "\"x;'\uff1d1\"");
    EXPECT_EQ(cell("x;\"=1\""), "\"x;'\"\"=1\"\"\"");
    EXPECT_EQ(cell("x;y"), "\"x;y\"");
    EXPECT_EQ(cell(";"), "\";\"");
}

}  // namespace
}  // namespace merpati::api::manage
