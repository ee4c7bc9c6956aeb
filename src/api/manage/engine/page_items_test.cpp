#include "api/manage/engine/page_items.hpp"

#include <string>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

namespace merpati::api::manage {
namespace {

TEST(PageItemsTest, APageEndsBeforeTheItemThatWouldMakeItTooLarge) {
    PageItems items;
    std::size_t added = 0;
    while (items.add(boost::json::object{{"text", std::string(1'000, 'x')}})) {
        ++added;
    }
    EXPECT_EQ(items.count(), added);
    const auto page = boost::json::serialize(items.take());
    EXPECT_LE(page.size(), PageItems::bytes_max);
    EXPECT_GT(page.size(), PageItems::bytes_max - 2'000);
}

TEST(PageItemsTest, OneItemAlwaysFits) {
    PageItems items;
    EXPECT_TRUE(items.add(boost::json::string(std::string(PageItems::bytes_max, 'x'))));
    EXPECT_FALSE(items.add(1));
    EXPECT_EQ(items.count(), 1U);
}

TEST(PageItemsTest, TheSizeOfAValueIsNeverUnderestimated) {
    for (const auto* const text :
         {R"({"a":[1,2.5,true,null,"x"],"b":{}})", R"("quote \" and \\ and \u0001\n")", "[]",
          R"(-9223372036854775808)", R"(1.7976931348623157e308)", "\"\xc3\xa9\""}) {
        const auto value = boost::json::parse(text);
        EXPECT_GE(json_bytes(value), boost::json::serialize(value).size()) << text;
    }
    const auto long_text = boost::json::value(std::string(10'000, '\n'));
    EXPECT_GE(json_bytes(long_text), boost::json::serialize(long_text).size());
}

}  // namespace
}  // namespace merpati::api::manage
