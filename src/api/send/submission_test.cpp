#include "api/send/submission.hpp"

#include <gtest/gtest.h>

#include "testing/fixed_random.hpp"

namespace merpati::api {
namespace {

using std::chrono::seconds;

JsonFields fields(std::string_view body) {
    return *JsonFields::parse(body);
}

template <class T>
T value(const Decoded<T>& decoded) {
    return std::get<T>(decoded);
}
template <class T>
bool refused(const Decoded<T>& decoded, Refusal refusal) {
    const auto* found = std::get_if<Refusal>(&decoded);
    return found != nullptr && *found == refusal;
}

struct DelayTest : ::testing::Test {
    testing::FixedRandom random;
    Decoded<std::optional<seconds>> decode(std::string_view body, const RevisionRules& rules,
                                           std::uint32_t random_max = 30) {
        return decode_delay(fields(body), rules, random_max, random);
    }
};

TEST_F(DelayTest, TakesIntegersAndStringsOfThemWithinTheRevisionsBounds) {
    EXPECT_EQ(value(decode(R"({"delay":1})", revision_a)), seconds{1});
    EXPECT_EQ(value(decode(R"({"delay":"18000"})", revision_a)), seconds{18000});
    EXPECT_EQ(value(decode(R"({"delay":60})", revision_b)), seconds{60});
    EXPECT_EQ(value(decode("{}", revision_a)), std::nullopt);
}

TEST_F(DelayTest, NeverClamps) {
    for (const auto* body :
         {R"({"delay":0})",     R"({"delay":18001})", R"({"delay":-1})",
          R"({"delay":"1.5"})", R"({"delay":1.5})",   R"({"delay":" 1"})",
          R"({"delay":"+1"})",  R"({"delay":""})",    R"({"delay":"Random"})",
          R"({"delay":null})",  R"({"delay":true})",  R"({"delay":99999999999999999999})",
          R"({"delay":"01"})",  R"({"delay":"007"})", R"({"delay":"00000000001"})",
          R"({"delay":" 5"})",  R"({"delay":"5.0"})", R"({"delay":5.0})",
          R"({"delay":1e1})",   R"({"delay":"1e1"})"}) {
        EXPECT_TRUE(refused(decode(body, revision_a), Refusal::delay_invalid)) << body;
    }
    EXPECT_TRUE(refused(decode(R"({"delay":61})", revision_b), Refusal::delay_invalid));
}

TEST_F(DelayTest, RandomStaysWithinTheSettingAndTheRevisionsBound) {
    for (int turn = 0; turn < 500; ++turn) {
        EXPECT_LE(*value(decode(R"({"delay":"random"})", revision_a, 30)), seconds{30});
        EXPECT_LE(*value(decode(R"({"delay":"random"})", revision_b, 500)), seconds{60});
        EXPECT_GE(*value(decode(R"({"delay":"random"})", revision_b, 500)), seconds{1});
    }
}

TEST(ContentTest, TextOfWhiteSpaceAloneIsEmpty) {
    for (const auto* body : {R"({})", R"({"message":""})", R"({"message":" \t\r\n"})",
                             R"({"message":"\u0085\u00a0\u2028\u3000"})", R"({"message":5})",
                             R"({"message":null})", R"({"pesan":"x"})"}) {
        EXPECT_TRUE(refused(decode_content(fields(body), revision_a, model::MessageType::text),
                            Refusal::message_empty))
            << body;
    }
    EXPECT_EQ(
        value(decode_content(fields(R"({"pesan":" x "})"), revision_b, model::MessageType::text)),
        " x ");
}

TEST(ContentTest, AnInvisibleCharacterThatIsNoWhiteSpaceIsText) {
    for (const auto* text :
         {"\u200b", "\u200d", "\u2060", "\ufeff", "\u180e", "\u00ad", " \u200b "}) {
        const auto body = R"({"message":")" + std::string{text} + R"("})";
        EXPECT_EQ(value(decode_content(fields(body), revision_a, model::MessageType::text)), text);
    }
}

TEST(ContentTest, ACaptionMayBeMissing) {
    EXPECT_EQ(value(decode_content(fields("{}"), revision_a, model::MessageType::media)), "");
}

TEST(TypeTest, IsExactlyTextOrMedia) {
    EXPECT_EQ(value(decode_type(fields(R"({"Type":"text"})"))), model::MessageType::text);
    EXPECT_EQ(value(decode_type(fields(R"({"Type":"media"})"))), model::MessageType::media);
    for (const auto* body : {"{}", R"({"type":"text"})", R"({"Type":"Text"})",
                             R"({"Type":"image"})", R"({"Type":1})", R"({"Type":""})"}) {
        EXPECT_TRUE(refused(decode_type(fields(body)), Refusal::type_unsupported)) << body;
    }
}

TEST(RecipientFieldTest, IsAStringOrAnIntegerAndRemembersWhich) {
    EXPECT_FALSE(value(decode_recipient(fields(R"({"to":6281234567890})"))).quoted);
    EXPECT_TRUE(value(decode_recipient(fields(R"({"to":"abc"})"))).quoted);
    for (const auto* body : {"{}", R"({"to":null})", R"({"to":6.28e11})", R"({"to":["6281"]})",
                             R"({"to":true})", R"({"to":""})"}) {
        EXPECT_TRUE(refused(decode_recipient(fields(body)), Refusal::recipient_invalid)) << body;
    }
}

TEST(RecipientFieldTest, IsTakenAtAnyLength) {
    const std::string digits(5'000, '6');
    for (const auto& written : {digits, '"' + digits + '"'}) {
        EXPECT_EQ(value(decode_recipient(fields("{\"to\":" + written + "}"))).text, digits);
    }
}

TEST(TypingTest, IsABooleanOrItsWord) {
    EXPECT_TRUE(value(decode_typing(fields(R"({"typing":true})"), revision_a)));
    EXPECT_TRUE(value(decode_typing(fields(R"({"typing":"true"})"), revision_a)));
    EXPECT_FALSE(value(decode_typing(fields(R"({"typing":"false"})"), revision_a)));
    EXPECT_FALSE(value(decode_typing(fields("{}"), revision_a)));
    for (const auto* body : {R"({"typing":1})", R"({"typing":"yes"})", R"({"typing":null})"}) {
        EXPECT_TRUE(refused(decode_typing(fields(body), revision_a), Refusal::typing_invalid));
        EXPECT_FALSE(value(decode_typing(fields(body), revision_b)));
    }
}

TEST(CharactersTest, CountsCodePoints) {
    EXPECT_EQ(count_characters(""), 0U);
    EXPECT_EQ(count_characters("halo 🕊"), 6U);
}

}  // namespace
}  // namespace merpati::api
