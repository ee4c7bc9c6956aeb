#include "media/media_types.hpp"

#include <set>

#include <gtest/gtest.h>

namespace merpati::media {
namespace {

using model::Revision;

TEST(Types, AreFoundInAnyCaseAndWithAnyParameters) {
    for (const auto* text : {"text/csv", "Text/CSV", " text/csv ", "text/csv; charset=utf-8",
                             "text/csv;charset=utf-8;header=present", "text/csv;"}) {
        const auto* type = find_media_type(text);
        ASSERT_NE(type, nullptr) << text;
        EXPECT_EQ(type->name, "text/csv") << text;
    }
    EXPECT_EQ(find_media_type("video/H263-1998")->name, "video/h263-1998");
}

TEST(Types, KnowOpusInOggByItsParameter) {
    const std::string_view opus = "audio/ogg; codecs=opus";
    for (const auto* text : {"audio/ogg; codecs=opus", "audio/ogg;codecs=opus",
                             "Audio/Ogg; Codecs=\"Opus\"", "audio/ogg; rate=48000; codecs=opus"}) {
        EXPECT_EQ(find_media_type(text)->name, opus) << text;
    }
    EXPECT_EQ(find_media_type("audio/ogg")->name, "audio/ogg");
    EXPECT_EQ(find_media_type("audio/ogg; codecs=vorbis")->name, "audio/ogg");
}

TEST(Types, OutsideTheListAreNotFound) {
    for (const auto* text : {"", ";", "application/octet-stream", "text/plain", "text/html",
                             "image/svg+xml", "image/heic", "application/zip", "video/ogg", "csv",
                             "text/csv, text/csv", "text/csv\r", "text/", "/csv"}) {
        EXPECT_EQ(find_media_type(text), nullptr) << text;
    }
}

TEST(Types, OfRevisionBHaveNoVideoAndNoGif) {
    int in_a = 0;
    int in_b = 0;
    for (const auto& type : media_types()) {
        const bool moving = type.name.starts_with("video/") || type.name == "image/gif";
        EXPECT_EQ(is_allowed(type, Revision::b), !moving) << type.name;
        in_a += is_allowed(type, Revision::a) ? 1 : 0;
        in_b += is_allowed(type, Revision::b) ? 1 : 0;
    }
    EXPECT_EQ(in_a, 52);
    EXPECT_EQ(in_b, 37);
    EXPECT_TRUE(is_allowed("IMAGE/GIF", Revision::a));
    EXPECT_FALSE(is_allowed("IMAGE/GIF", Revision::b));
    EXPECT_FALSE(is_allowed("image/heic", Revision::a));
}

TEST(Types, AreNamedOnceAndInLowerCase) {
    std::set<std::string_view> seen;
    for (const auto& type : media_types()) {
        EXPECT_TRUE(seen.insert(type.name).second) << type.name;
        EXPECT_EQ(find_media_type(type.name)->name, type.name);
    }
}

}  // namespace
}  // namespace merpati::media
