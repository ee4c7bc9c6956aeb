#include "store/postgres/stored_text.hpp"

#include <set>

#include <gtest/gtest.h>

namespace merpati::store::postgres {
namespace {

using namespace std::string_view_literals;

constexpr auto escape = "\xEF\xB7\x90"sv;

TEST(StoredText, OrdinaryTextsAreStoredAsTheyAre) {
    for (const auto text : {""sv, "Halo"sv, "\xF0\x9F\x95\x8A \xEF\xB7\x91"sv}) {
        EXPECT_FALSE(must_encode(text));
        EXPECT_FALSE(is_encoded(text));
    }
}

TEST(StoredText, OthersComeBackAndStayDifferent) {
    const auto escaped = std::string{escape};
    std::set<std::string> stored;
    const std::set<std::string> texts{std::string{"\0", 1},
                                      std::string{"a\0\0b", 4},
                                      escaped,
                                      escaped + "0",
                                      escaped + "1",
                                      std::string{"\0", 1} + escaped + '\0'};
    for (const auto& text : texts) {
        EXPECT_TRUE(must_encode(text));
        const auto kept = encoded(text);
        EXPECT_FALSE(kept.contains('\0'));
        EXPECT_TRUE(is_encoded(kept));
        EXPECT_EQ(decoded(kept), text);
        stored.insert(kept);
    }
    EXPECT_EQ(stored.size(), texts.size());
}

TEST(StoredText, ATextThatNobodyEncodedIsStillRead) {
    EXPECT_EQ(decoded("a\xEF\xB7\x90"), "a\xEF\xB7\x90");
}

}  // namespace
}  // namespace merpati::store::postgres
