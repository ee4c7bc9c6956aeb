#include "config/suggest.hpp"

#include <array>
#include <string>

#include <gtest/gtest.h>

namespace merpati::config {
namespace {

constexpr std::array<std::string_view, 4> words{"http.listen", "http.threads", "store.url",
                                                "metrics.listen"};

TEST(SuggestTest, FindsASlipOfTheFingers) {
    EXPECT_EQ(suggest("http.lisen", words), "http.listen");
    EXPECT_EQ(suggest("htpt.threads", words), "http.threads");
    EXPECT_EQ(suggest("store.uri", words), "store.url");
}

TEST(SuggestTest, FindsTheOneKeyWithThatLastPart) {
    EXPECT_EQ(suggest("threads", words), "http.threads");
    EXPECT_FALSE(suggest("listen", words)) << "two keys end so";
}

TEST(SuggestTest, SuggestsNothingWhereNothingIsNear) {
    EXPECT_FALSE(suggest("colour", words));
    EXPECT_FALSE(suggest("", words));
    EXPECT_FALSE(suggest(std::string(100'000, 'x'), words));
}

}  // namespace
}  // namespace merpati::config
