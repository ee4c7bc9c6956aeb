#include "config/file.hpp"

#include <gtest/gtest.h>

namespace merpati::config {
namespace {

TEST(FileTest, JoinsTablesWithDotsAndKeepsLines) {
    const auto entries = read_toml(
        "[http]\nlisten = [\"a\", \"b\"]\nthreads = 2\n[http.tls]\nkey = \"k\"\n[api]\n"
        "revision_b.wait = 3\n[simulator]\ndedupe = true\n",
        "x.toml");
    ASSERT_TRUE(entries);
    ASSERT_EQ(entries->size(), 5U);
    EXPECT_EQ((*entries)[0].key, "http.listen");
    EXPECT_EQ((*entries)[0].value, "a,b");
    EXPECT_EQ((*entries)[0].line, 2U);
    EXPECT_EQ((*entries)[2].key, "http.tls.key");
    EXPECT_EQ((*entries)[2].line, 5U);
    EXPECT_EQ((*entries)[3].key, "api.revision_b.wait");
    EXPECT_EQ((*entries)[3].form, FileEntry::Form::bare);
    EXPECT_EQ((*entries)[4].value, "true");
}

TEST(FileTest, NamesTheLineThatIsNotToml) {
    const auto entries = read_toml("[http]\nthreads = \n", "x.toml");
    ASSERT_FALSE(entries);
    EXPECT_EQ(entries.error().code, ErrorCode::invalid_argument);
    EXPECT_TRUE(entries.error().detail.starts_with("x.toml:2: ")) << entries.error().detail;
}

TEST(FileTest, ASecondValueOfAKeyIsAnError) {
    EXPECT_FALSE(read_toml("[http]\nthreads = 1\nthreads = 2\n", "x.toml"));
}

TEST(FileTest, WhatNoSettingCanBeIsToldApart) {
    for (const auto* text : {"a = 1.5", "a = 2026-01-01", "a = [1]", "a = [[\"x\"]]",
                             "a = [{b = 1}]", "a = [\"x,y\"]"}) {
        const auto entries = read_toml(text, "x.toml");
        ASSERT_TRUE(entries) << text;
        EXPECT_EQ(entries->at(0).form, FileEntry::Form::other) << text;
    }
}

TEST(FileTest, AMissingFileOrADirectoryIsAnError) {
    for (const auto* file : {"/nonexistent/merpati.toml", "/"}) {
        const auto entries = read_file(file);
        ASSERT_FALSE(entries);
        EXPECT_EQ(entries.error().code, ErrorCode::io_failed);
        EXPECT_TRUE(entries.error().detail.starts_with(file)) << entries.error().detail;
    }
}

TEST(FileTest, AValueIsReadAsItWasWritten) {
    for (const auto* text : {"", "/etc/ca.pem", R"(C:\certificates)", R"(a "quoted" name)",
                             R"(\\\)", "caf\xc3\xa9", "tab\tand\x01"}) {
        const auto entries = read_toml("key = " + toml_string(text) + '\n', "file");
        ASSERT_TRUE(entries) << entries.error().detail;
        EXPECT_EQ(entries->front().value, text);
    }
}

}  // namespace
}  // namespace merpati::config
