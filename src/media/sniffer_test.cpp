#include "media/sniffer.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

#include "base/encoding.hpp"
#include "media/samples_fixture.hpp"

namespace merpati::media {
namespace {

using namespace std::literals;

struct SnifferTest : ::testing::Test {
    [[nodiscard]] SniffedType sniff(std::string_view content) const {
        return sniffer.sniff(as_bytes(content));
    }
    [[nodiscard]] std::string sure(std::string_view content) const {
        const auto sniffed = sniff(content);
        return sniffed.certainty == Certainty::sure ? sniffed.name : "not sure";
    }

    Sniffer sniffer = Sniffer::open().value();
};

TEST_F(SnifferTest, IsSureOfMarks) {
    EXPECT_EQ(sure(sample("photo.png")), "image/png");
    EXPECT_EQ(sure("BEGIN:VCARD\r\nVERSION:3.0\r\n"), "text/vcard");
    EXPECT_EQ(sure("#!AMR\n\x7c\x7c\x7c"), "audio/amr");
    EXPECT_EQ(sure(""), "application/x-empty");
}

TEST_F(SnifferTest, IsSureOfMarkupThatBeginsAsMarkup) {
    EXPECT_EQ(sure("\xEF\xBB\xBF\r\n <!DOCTYPE html><html><body>x</body></html>"), "text/html");
    EXPECT_EQ(sure("<svg xmlns=\"http://www.w3.org/2000/svg\"><script/></svg>"), "image/svg+xml");
    EXPECT_EQ(sure("<?xml version=\"1.0\"?>\n<a/>"), "text/xml");
    EXPECT_EQ(sure("<?php echo 1;"), "text/x-php");
}

TEST_F(SnifferTest, TakesTextForNoMoreThanText) {
    for (const auto content :
         {"nama,telepon\nBudi,628123\n"sv, "nama,isi\n1,\"<html><b>x</b></html>\"\n"sv,
          "import os\ndef f():\n  return 1\n"sv, "{\"a\":1}"sv, "From: a@b\nSubject: x\n\nx\n"sv,
          "<bold>Halo</bold>"sv, "nama;kota\nBud\xe9;Jkt\n"sv}) {
        EXPECT_EQ(sniff(content).certainty, Certainty::text) << content;
    }
}

TEST_F(SnifferTest, SaysNothingOfUnknownBytes) {
    for (const auto* name : {"moving.h261", "moving.h263", "sound.l24"}) {
        EXPECT_EQ(sniff(sample(name)).certainty, Certainty::nothing) << name;
    }
    EXPECT_EQ(sniff(std::string(1'000, '\0')).certainty, Certainty::nothing);
}

TEST_F(SnifferTest, IsSureOfProgramsAndArchives) {
    EXPECT_EQ(sure("#!/bin/sh\necho\n"), "text/x-shellscript");
    std::string windows(512, '\0');
    windows.replace(0, 2, "MZ");
    windows[60] = '\x80';
    windows.replace(128, 4, "PE\0\0"s);
    windows.replace(132, 2, "\x4c\x01"s);
    windows.replace(152, 2, "\x0b\x01"s);
    EXPECT_TRUE(sure(windows) == "application/vnd.microsoft.portable-executable" ||
                sure(windows) == "application/x-dosexec")
        << sure(windows);
    EXPECT_EQ(sure("\x1f\x8b\x08\0\0\0\0\0\0\x03xxxxxxxx"sv), "application/gzip");
}

/// The examined part of a ZIP's first local header.
std::string zip_of(std::string_view entry) {
    std::string zip{"PK\x03\x04\x14\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0\x01\0\0\0"s};
    zip += static_cast<char>(entry.size());
    zip += "\0\0\0"s;
    zip += entry;
    return zip + "x";
}

TEST_F(SnifferTest, TellsPackagesByTheirFirstEntry) {
    EXPECT_EQ(sure(zip_of("foto.jpg")), "application/zip");
    EXPECT_EQ(sure(zip_of("docProps/thumbnail.jpeg")), "application/x-office-package");
    EXPECT_EQ(sure(zip_of("pass.json")), "application/x-pass-package");
    EXPECT_EQ(sure(zip_of("id.lproj/logo.png")), "application/x-pass-package");
    EXPECT_EQ(sure(zip_of("META-INF/MANIFEST.MF")).find("package"), std::string::npos);
    EXPECT_EQ(sure("PK\x03\x04"sv), "application/zip");
}

TEST_F(SnifferTest, TellsOpusFromOtherSoundInOgg) {
    EXPECT_EQ(sure(sample("opus.ogg")), "audio/ogg; codecs=opus");
    EXPECT_EQ(sure(sample("vorbis.ogg")), "audio/ogg");
}

TEST_F(SnifferTest, KnowsWideBandAmr) {
    EXPECT_EQ(sure("#!AMR-WB\n\x7c\x7c\x7c"), "audio/amr-wb");
}

TEST_F(SnifferTest, KnowsATextThatIsCutWithinACharacter) {
    for (std::size_t before = 8'185; before < 8'195; ++before) {
        const auto text = std::string(before, 'x') + "\xE2\x82\xAC" + std::string(100, 'x');
        EXPECT_EQ(sniff(text).certainty, Certainty::text) << before;
    }
}

TEST_F(SnifferTest, LooksAtNoMoreThanItsLimit) {
    std::string late(Sniffer::head_max, 'x');
    late += sample("photo.png");
    EXPECT_EQ(sniff(late).certainty, Certainty::text);
}

TEST_F(SnifferTest, HeedsNoEnvironment) {
    // NOLINTBEGIN(concurrency-mt-unsafe): the test has one thread.
    ::setenv("MAGIC", "/nonexistent", 1);
    const auto opened = Sniffer::open();
    ::unsetenv("MAGIC");
    // NOLINTEND(concurrency-mt-unsafe)
    ASSERT_TRUE(opened);
    EXPECT_EQ(opened->sniff(as_bytes(sample("photo.png"))).name, "image/png");
}

TEST_F(SnifferTest, SurvivesEveryBeginningOfEveryMark) {
    for (const auto* name : {"letter.doc", "list.xls", "letter.docx", "moving.mp4", "photo.tiff",
                             "letter.pdf", "moving.webm", "sound.rm"}) {
        auto content = sample(name);
        for (std::size_t size = 0; size < content.size(); size += 7) {
            EXPECT_LE(sniff(std::string_view{content}.substr(0, size)).name.size(), 100U);
            content[size] = static_cast<char>(~content[size]);
            EXPECT_LE(sniff(content).name.size(), 100U);
        }
    }
}

}  // namespace
}  // namespace merpati::media
