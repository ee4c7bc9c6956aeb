#include "campaign/audience/json_upload.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "campaign/audience/upload_fixture.hpp"

namespace merpati::campaign {
namespace {

using namespace std::string_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

ReadUpload read_json(std::string_view text) {
    return read_upload(text, {.form = UploadForm::json});
}

TEST(JsonUploadTest, ReadsNumbersAsTextsAndIntegers) {
    const auto read = read_json(R"({"numbers": ["0812-345-678", 62812345679, "x", ""]})");
    EXPECT_EQ(read.fault, "");
    EXPECT_THAT(read.rows, ElementsAre("62812345678|0812-345-678|", "62812345679|62812345679|",
                                       "-|x|", "-||"));
    EXPECT_THAT(read_json(R"({"numbers":[]})").fault, "");
}

TEST(JsonUploadTest, ReadsRecipientsWithValues) {
    const auto read = read_json(
        R"({"recipients":[{"number":"0812345678","values":{"nama":" Budi ","saldo":1.50}},
            {"values":{"NAMA":"Ani","lunas":true,"x":null},"number":"y"},
            {"number":628123456789}]})");
    EXPECT_EQ(read.fault, "");
    EXPECT_EQ(read.columns, "nama;saldo;lunas;x");
    EXPECT_THAT(read.rows, ElementsAre("62812345678|0812345678|Budi;1.50", "-|y|Ani;;true",
                                       "628123456789|628123456789|"));
}

TEST(JsonUploadTest, ReadsTags) {
    EXPECT_THAT(read_json(R"({"tags":["vip","solo"]})").tags, ElementsAre("vip", "solo"));
    const auto reader = make_upload_reader({.form = UploadForm::json}, false);
    const auto taken =
        reader->take(R"({"tags":["vip"]})", [](UploadRow&&) { return Result<void>{}; });
    EXPECT_THAT(taken.error().detail, HasSubstr("must be one object with one field"));
}

TEST(JsonUploadTest, RefusesAllElse) {
    for (const auto* text : {"", "[]", "1", "null", "{}", R"({"other":[]})", R"({"numbers":1})",
                             R"({"numbers":[],"recipients":[]})", R"({"numbers":[]} x)"}) {
        EXPECT_NE(read_json(text).fault, "") << text;
    }
    for (const auto* text :
         {R"({"numbers":[null]})", R"({"numbers":[{}]})", R"({"numbers":[[]]})",
          R"({"numbers":[true]})", R"({"recipients":["0812345678"]})", R"({"recipients":[{}]})",
          R"({"recipients":[{"number":null}]})", R"({"recipients":[{"number":"1","x":1}]})",
          R"({"recipients":[{"number":"1","values":[]}]})",
          R"({"recipients":[{"number":"1","values":{"a":{}}}]})",
          R"({"recipients":[{"number":"1","values":{"a":[]}}]})",
          R"({"recipients":[{"number":"1","values":{"":"x"}}]})",
          R"({"recipients":[{"number":"1","number":"2"}]})"}) {
        EXPECT_THAT(read_json(text).fault, HasSubstr("entry 1: ")) << text;
    }
    for (const auto* text : {R"({"tags":[1]})", R"({"tags":[""]})", R"({"tags":{}})"}) {
        EXPECT_NE(read_json(text).fault, "") << text;
    }
    EXPECT_THAT(read_json(R"({"numbers":["0812345678")").fault, HasSubstr("this is not JSON"));
}

TEST(JsonUploadTest, KeepsToItsLimits) {
    EXPECT_THAT(read_json(R"({"numbers":[")" + std::string(5'000, '1') + R"("]})").fault,
                HasSubstr("entry 1: a text has more than 4096 bytes"));
    std::string many = R"({"recipients":[{"number":"0812345678","values":{)";
    for (int column = 0; column < 65; ++column) {
        many += (column == 0 ? "\"c" : ",\"c") + std::to_string(column) + "\":\"x\"";
    }
    EXPECT_THAT(read_json(many + "}}]}").fault, HasSubstr("more than 64 columns"));
    const auto reader = make_upload_reader({.form = UploadForm::json}, true);
    const auto sink = [](UploadRow&&) { return Result<void>{}; };
    ASSERT_TRUE(reader->take(std::string(upload_json_bytes_max, ' '), sink));
    EXPECT_THAT(reader->take(" ", sink).error().detail, HasSubstr("upload the list as CSV"));
}

}  // namespace
}  // namespace merpati::campaign
