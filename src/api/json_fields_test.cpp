#include "api/json_fields.hpp"

#include <gtest/gtest.h>

#include "base/json_text.hpp"

namespace merpati::api {
namespace {

TEST(JsonFieldsTest, ReadsStringsIntegersAndBooleans) {
    const auto fields =
        JsonFields::parse(R"( {"to":6281234567890,"from":"628\u0031","typing":true,"x":null} )");
    ASSERT_TRUE(fields);
    EXPECT_TRUE(fields->find("to")->is_integer());
    EXPECT_EQ(fields->find("to")->text, "6281234567890");
    EXPECT_EQ(fields->find("from")->text, "6281");
    EXPECT_TRUE(fields->find("typing")->boolean);
    EXPECT_EQ(fields->find("x")->kind, JsonField::Kind::other);
    EXPECT_FALSE(fields->has("To"));
}

TEST(JsonFieldsTest, AFractionIsNoIntegerAndALongIntegerKeepsItsDigits) {
    const auto fields = JsonFields::parse(
        R"({"a":6.28e11,"b":1.0,"c":123456789012345678901234567890,"d":-5,"e":[1,{"f":2}],"g":"h"})");
    ASSERT_TRUE(fields);
    EXPECT_EQ(fields->find("a")->kind, JsonField::Kind::other);
    EXPECT_EQ(fields->find("b")->kind, JsonField::Kind::other);
    EXPECT_EQ(fields->find("c")->text, "123456789012345678901234567890");
    EXPECT_EQ(fields->find("d")->text, "-5");
    EXPECT_EQ(fields->find("e")->kind, JsonField::Kind::other);
    EXPECT_FALSE(fields->has("f"));
    EXPECT_EQ(fields->find("g")->text, "h");
}

TEST(JsonFieldsTest, AnIntegerMayHaveAnyNumberOfDigits) {
    for (const auto length : {65U, 400U, 65'000U}) {
        const std::string digits(length, '9');
        const auto fields = JsonFields::parse("{\"to\":" + digits + "}");
        ASSERT_TRUE(fields) << length;
        EXPECT_TRUE(fields->find("to")->is_integer());
        EXPECT_EQ(fields->find("to")->text, digits);
    }
}

TEST(JsonFieldsTest, RefusesEverythingThatIsNotOneCleanObject) {
    for (const std::string body : {"",
                                   " ",
                                   "null",
                                   "[]",
                                   "\"x\"",
                                   "1",
                                   "{",
                                   "{}}",
                                   "{} x",
                                   R"({"a":1,})",
                                   R"({"a":1 "b":2})",
                                   R"({"a":1,"a":2})",
                                   R"({"x":{"a":1,"a":2}})",
                                   R"({"x":[{"a":1,"\u0061":2}]})",
                                   "{\"a\":\"\xff\"}",
                                   R"({"a":"\ud800"})",
                                   "{'a':1}",
                                   R"({"a":01})",
                                   R"({"a":NaN})",
                                   "{\"a\":\"\n\"}",
                                   "\xEF\xBB\xBF{}",
                                   "{/*x*/}"}) {
        EXPECT_FALSE(JsonFields::parse(body)) << body;
    }
}

std::string nested(int depth) {
    std::string body = R"({"a":)";
    for (int level = 1; level < depth; ++level) {
        body += '[';
    }
    body += '1';
    body.append(static_cast<std::size_t>(depth - 1), ']');
    return body + '}';
}

TEST(JsonFieldsTest, NestsSixteenDeepAndNoDeeper) {
    EXPECT_TRUE(JsonFields::parse(nested(16)));
    EXPECT_FALSE(JsonFields::parse(nested(17)));
}

/// An object of `fields` fields, with `inside` before the closing brace.
std::string wide(int fields, std::string_view inside = "") {
    std::string body = "{";
    for (int field = 0; field < fields; ++field) {
        body += (field == 0 ? "\"f" : ",\"f") + std::to_string(field) + "\":1";
    }
    return body.append(inside) + "}";
}

TEST(JsonFieldsTest, TakesAsManyFieldsAsTheBodyHolds) {
    const auto fields = JsonFields::parse(wide(20'000, ",\"to\":\"6281234567890\""));
    ASSERT_TRUE(fields);
    EXPECT_EQ(fields->find("to")->text, "6281234567890");
    EXPECT_TRUE(JsonFields::parse("{\"x\":[" + wide(20'000) + "," + wide(20'000) + "]}"));
}

TEST(JsonFieldsTest, FindsADuplicateAmongManyAtAnyPlaceAndDepth) {
    for (const int fields : {2, 15, 16, 17, 300}) {
        for (const int again : {0, fields / 2, fields - 1}) {
            const auto body = wide(fields, ",\"f" + std::to_string(again) + "\":1");
            EXPECT_FALSE(JsonFields::parse(body)) << body;
            EXPECT_FALSE(JsonFields::parse("{\"x\":[{\"f0\":" + body + "}]}")) << body;
        }
        EXPECT_TRUE(JsonFields::parse("{\"f0\":" + wide(fields) + ",\"f1\":1}"));
    }
}

TEST(JsonFieldsTest, WritesStringsThatReadBack) {
    const std::string text = "tanda \"kutip\" \\ \n\t\x01 🕊";
    std::string out = "{\"a\":";
    append_json_string(out, text);
    EXPECT_EQ(JsonFields::parse(out + "}")->find("a")->text, text);
}

}  // namespace
}  // namespace merpati::api
