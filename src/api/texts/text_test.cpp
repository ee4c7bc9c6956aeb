#include "api/texts/text.hpp"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/texts/state_reasons.hpp"

namespace merpati::api {
namespace {

TEST(LanguageTest, TheReadersLanguageIsTheOnePreferredOfThoseThatThereAre) {
    for (const std::string_view header :
         {"id", "id-ID", "ID", "in", "id-ID,id;q=0.9,en;q=0.8", "fr, id;q=0.5, en;q=0.4",
          "en;q=0.1 , id ; q=0.2", "id;q=0.001", "en;q=0, id;q=0.5"}) {
        EXPECT_EQ(language_of(header), Language::indonesian) << header;
    }
    for (const std::string_view header :
         {"", "en", "en-GB,en;q=0.9", "en,id", "en-US,en;q=0.9,id;q=0.8", "*", "*, id;q=0.5", "fr",
          "id;q=0", "id;q=x", "idx", "identity", ",,;;", "id;q=0.5, en;q=0.5"}) {
        EXPECT_EQ(language_of(header), Language::english) << header;
    }
}

TEST(TextTest, NoTwoRowsHaveTheSameEnglishText) {
    std::set<std::string_view> known;
    for (const auto part : all_texts()) {
        for (const auto& text : part) {
            EXPECT_TRUE(known.insert(text.english).second) << text.english;
            EXPECT_TRUE(is_whole(text)) << text.english;
        }
    }
}

TEST(TextTest, ARowIsWholeOnlyWithTheSameParametersInBothLanguages) {
    EXPECT_TRUE(is_whole({"{} is {}", "{1}: {0}"}));
    EXPECT_TRUE(is_whole({"{} is {}", "{1:text}: {0}"}));
    for (const Text& text :
         {Text{"a", ""}, Text{"", "a"}, Text{"{}", "a"}, Text{"a", "{0}"}, Text{"{} {}", "{0} {0}"},
          Text{"{}", "{1}"}, Text{"{}", "{0} {"}, Text{"{}", "{0:word}"}}) {
        EXPECT_FALSE(is_whole(text)) << text.english << " / " << text.indonesian;
    }
}

TEST(TextTest, ParametersAreKeptAndThoseThatAreTextsAreTranslatedToo) {
    EXPECT_EQ(in_indonesian("6281 is registered already"), "6281 sudah terdaftar");
    EXPECT_EQ(in_indonesian("6281 is a device of acc_2 already: remove it there first"),
              "6281 sudah menjadi perangkat acc_2: hapus dulu di sana");
    EXPECT_EQ(in_indonesian("'role' must be owner, operator or viewer"),
              "'role' harus owner, operator atau viewer");
    EXPECT_EQ(in_indonesian("'webhook' must be a public https URL: the URL names this machine"),
              "'webhook' harus URL https yang terbuka untuk umum: URL itu menunjuk ke mesin ini "
              "sendiri");
    EXPECT_EQ(in_indonesian("something that nobody has written"), std::nullopt);
    EXPECT_EQ(translated("something that nobody has written", Language::indonesian),
              "something that nobody has written");
    EXPECT_EQ(translated("there is no key 7", Language::english), "there is no key 7");
}

TEST(TextTest, WhatACallerWritesIntoAParameterMakesNoOtherText) {
    EXPECT_EQ(in_indonesian("there is no field 'a' b' here"), "tidak ada isian 'a' b' di sini");
    EXPECT_EQ(in_indonesian("there is no field '{0}' here"), "tidak ada isian '{0}' di sini");
    EXPECT_EQ(in_indonesian("there is no key is malformed"), "tidak ada kunci is malformed");
    const std::string much(200'000, '\'');
    EXPECT_EQ(in_indonesian("there is no field '" + much + "' here"),
              "tidak ada isian '" + much + "' di sini");
}

TEST(StateReasonTest, AReasonIsShownInTheReadersLanguageAndHasACode) {
    EXPECT_EQ(reason_text("Diputuskan atas permintaan", Language::english),
              "Disconnected on request");
    EXPECT_EQ(reason_text("Diputuskan atas permintaan", Language::indonesian),
              "Diputuskan atas permintaan");
    EXPECT_EQ(reason_of("Diputuskan atas permintaan")->code, "requested");
    EXPECT_EQ(reason_text("in a worker's own words", Language::english), "in a worker's own words");
    EXPECT_EQ(reason_of("in a worker's own words"), nullptr);
    EXPECT_EQ(reason_text("Platform membatasi akun ini: 368 Blocked", Language::english),
              "The platform restricts this account: 368 Blocked");
    EXPECT_EQ(reason_of("Platform menolak token atau nomor ini: 190")->code, "platform_refuses");
    EXPECT_EQ(reason_of("Diputuskan atas permintaan lain"), nullptr);
    std::set<std::string_view> codes;
    for (const auto& reason : state_reasons) {
        EXPECT_TRUE(codes.insert(reason.code).second) << reason.code;
        EXPECT_EQ(reason_of(reason.indonesian), &reason);
        EXPECT_FALSE(reason.english.empty());
    }
}

}  // namespace
}  // namespace merpati::api
