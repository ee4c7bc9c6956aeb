#include "api/manage/engine/download_head.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace merpati::api::manage {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(DownloadHeadTest, AnswersOnlyTypesThatNoBrowserRuns) {
    EXPECT_EQ(download_type("image/jpeg"), "image/jpeg");
    EXPECT_EQ(download_type("Audio/OGG; codecs=opus"), "audio/ogg");
    for (const auto* said : {"text/html", "image/svg+xml", "application/xhtml+xml", "", "x",
                             "image/png\r\nSet-Cookie: a=b", "text/javascript"}) {
        EXPECT_EQ(download_type(said), "application/octet-stream") << said;
    }
}

TEST(DownloadHeadTest, ANameAddsNoHeaderAndNoFolder) {
    const auto lines = download_headers("a\r\nSet-Cookie: b=\"c\"/../d\\e\x1b\xff", "image/png");
    EXPECT_THAT(lines, Not(HasSubstr("\r\nSet-Cookie")));
    EXPECT_THAT(lines, HasSubstr("attachment; filename=\"a__Set-Cookie_ b__c__.._d_e__\"; "));
    EXPECT_EQ(std::ranges::count(lines, '\n'), 2);
}

TEST(DownloadHeadTest, ANameInAnyScriptIsKept) {
    EXPECT_THAT(download_headers("fotó 1.jpg", "image/jpeg"),
                HasSubstr("filename=\"fot__ 1.jpg\"; filename*=UTF-8''fot%C3%B3%201.jpg\r\n"));
    EXPECT_THAT(download_headers("", "image/jpeg"), HasSubstr("filename=\"media.jpg\""));
    EXPECT_THAT(download_headers(std::string(10'000, 'n'), "image/jpeg"),
                HasSubstr(std::string(255, 'n') + "\r\n"));
}

}  // namespace
}  // namespace merpati::api::manage
