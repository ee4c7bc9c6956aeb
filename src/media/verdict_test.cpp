#include "media/verdict.hpp"

#include <set>

#include <gtest/gtest.h>

#include "base/encoding.hpp"
#include "media/media_types.hpp"
#include "media/samples_fixture.hpp"

namespace merpati::media {
namespace {

using Kind = TypeVerdict::Kind;
using model::Revision;
using namespace std::literals;

constexpr const char* docx =
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
constexpr const char* xlsx = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
constexpr const char* pptx =
    "application/vnd.openxmlformats-officedocument.presentationml.presentation";
constexpr const char* opus = "audio/ogg; codecs=opus";

struct VerdictTest : ::testing::Test {
    [[nodiscard]] TypeVerdict judged(std::string_view declared, std::string_view content,
                                     Revision revision = Revision::a) const {
        return verdict_on(DeclaredType::of(declared), sniffer.sniff(as_bytes(content)), revision);
    }

    void expect_told(const char* file, const char* declared, std::string_view told) const {
        const auto verdict = judged(declared, sample(file));
        EXPECT_EQ(verdict.kind, Kind::acceptable) << file << " as " << declared;
        EXPECT_EQ(verdict.media_type, told) << file << " as " << declared;
    }

    void expect_refused(std::string_view content, const char* declared,
                        Revision revision = Revision::a) const {
        EXPECT_EQ(judged(declared, content, revision).kind, Kind::content_type_refused)
            << content.substr(0, 20) << " as " << declared;
    }

    Sniffer sniffer = Sniffer::open().value();
};

struct Row {
    const char* declared;
    const char* file;
    const char* told;  // The expected type; null: the declared one.
};

/// A real file of every type of the list.
constexpr Row rows[] = {
    {"text/vcard", "contact.vcf", nullptr},
    {"text/x-vcard", "contact.vcf", "text/vcard"},
    {"text/csv", "list.csv", nullptr},
    {"text/rtf", "letter.rtf", nullptr},
    {"text/richtext", "letter.richtext", nullptr},
    {"text/calendar", "meeting.ics", nullptr},
    {"text/directory", "person.directory", nullptr},
    {"application/pdf", "letter.pdf", nullptr},
    {"application/vcard", "contact.vcf", "text/vcard"},
    {"application/msword", "letter.doc", nullptr},
    {"application/vnd.ms-excel", "list.xls", nullptr},
    {"application/vnd.ms-powerpoint", "slides.ppt", nullptr},
    {"application/vnd.apple.pkpass", "card.pkpass", nullptr},
    {pptx, "slides.pptx", nullptr},
    {xlsx, "list.xlsx", nullptr},
    {docx, "letter.docx", nullptr},
    {"image/jpeg", "photo.jpg", nullptr},
    {"image/jpg", "photo.jpg", "image/jpeg"},
    {"image/png", "photo.png", nullptr},
    {"image/webp", "photo.webp", nullptr},
    {"image/bmp", "photo.bmp", nullptr},
    {"image/tiff", "photo.tiff", nullptr},
    {"image/gif", "moving.gif", nullptr},
    {"audio/basic", "sound.au", nullptr},
    {"audio/l24", "sound.l24", nullptr},
    {"audio/mp4", "sound.m4a", nullptr},
    {"audio/mpeg", "sound.mp3", nullptr},
    {"audio/ogg", "vorbis.ogg", nullptr},
    {"audio/aac", "sound.aac", nullptr},
    {"audio/vnd.rn-realaudio", "sound.ra", nullptr},
    {opus, "opus.ogg", nullptr},
    {"audio/vnd.wave", "sound.wav", nullptr},
    {"audio/3gpp", "sound.3gp", nullptr},
    {"audio/3gpp2", "sound.3g2", nullptr},
    {"audio/ac3", "sound.ac3", nullptr},
    {"audio/webm", "sound.webm", nullptr},
    {"audio/amr-nb", "sound.amr", "audio/amr"},
    {"audio/amr", "sound.amr", nullptr},
    {"video/mpeg4", "moving.mpeg4", nullptr},
    {"video/mp4", "moving.mp4", nullptr},
    {"video/mpeg", "moving.mpg", nullptr},
    {"video/webm", "moving.webm", nullptr},
    {"video/quicktime", "moving.mov", nullptr},
    {"video/3gpp", "moving.3gp", nullptr},
    {"video/3gpp2", "moving.3g2", nullptr},
    {"video/3gpp-tt", "subtitle.3gp", nullptr},
    {"video/h261", "moving.h261", nullptr},
    {"video/h263", "moving.h263", nullptr},
    {"video/h263-1998", "moving.h263p", nullptr},
    {"video/h263-2000", "moving.h263p", nullptr},
    {"video/h264", "moving.h264", nullptr},
    {"video/h265", "moving.h265", nullptr},
};

TEST_F(VerdictTest, AcceptsARealFileOfEveryType) {
    std::set<std::string_view> tried;
    for (const auto& row : rows) {
        const auto content = sample(row.file);
        ASSERT_FALSE(content.empty()) << row.file;
        const std::string_view told = row.told == nullptr ? row.declared : row.told;
        expect_told(row.file, row.declared, told);
        const auto in_b = judged(row.declared, content, Revision::b);
        const auto expected =
            is_allowed(row.declared, Revision::b) ? Kind::acceptable : Kind::declared_type_refused;
        EXPECT_EQ(in_b.kind, expected) << row.declared;
        tried.insert(row.declared);
    }
    for (const auto& type : media_types()) {
        EXPECT_TRUE(tried.contains(type.name)) << type.name;
    }
}

TEST_F(VerdictTest, TellsTheContentsTypeWhereItIsSure) {
    expect_told("photo.png", "image/jpeg", "image/png");
    expect_told("sound.mp3", "audio/ogg", "audio/mpeg");
    expect_told("letter.docx", "application/msword", docx);
    expect_told("contact.vcf", "text/directory", "text/vcard");
    expect_told("letter.rtf", "application/msword", "text/rtf");
    expect_told("moving.mp4", "video/mpeg4", "video/mp4");
    expect_told("opus.ogg", "audio/ogg", opus);
    expect_told("vorbis.ogg", opus, "audio/ogg");
    expect_told("photo.jpg", "text/csv", "image/jpeg");
}

TEST_F(VerdictTest, TellsTheDeclaredTypeWhereOneMarkIsOfMany) {
    expect_told("sound_isom.mp4", "audio/mp4", "audio/mp4");
    expect_told("sound.3gp", "audio/mp4", "audio/mp4");
    expect_told("moving.mp4", "video/3gpp", "video/3gpp");
    expect_told("sound.webm", "video/webm", "video/webm");
    expect_told("slides.ppt", "application/vnd.ms-excel", "application/vnd.ms-excel");
    expect_told("sound.rm", "audio/vnd.rn-realaudio", "audio/vnd.rn-realaudio");
    expect_told("moving.m2v", "video/mpeg", "video/mpeg");
    expect_told("sound_bare.mp3", "audio/l24", "audio/l24");
}

TEST_F(VerdictTest, TakesTheContainerOfASoundForSound) {
    for (const auto* file : {"sound_isom.mp4", "sound.3gp", "sound.webm"}) {
        const auto verdict = judged("audio/mpeg", sample(file), Revision::b);
        EXPECT_EQ(verdict.kind, Kind::acceptable) << file;
        EXPECT_TRUE(verdict.media_type.starts_with("audio/")) << file;
    }
}

TEST_F(VerdictTest, JudgesTheDeclaredTypeFirst) {
    const auto png = sample("photo.png");
    for (const auto* declared : {"application/octet-stream", "text/plain", "text/html",
                                 "image/svg+xml", "application/zip", "binary", ";"}) {
        EXPECT_EQ(judged(declared, png).kind, Kind::declared_type_refused) << declared;
    }
    EXPECT_EQ(judged("video/mp4", png, Revision::b).kind, Kind::declared_type_refused);
    EXPECT_EQ(judged("IMAGE/PNG; q=1", png).kind, Kind::acceptable);
}

TEST_F(VerdictTest, RefusesContentThatIsSurelyOutsideTheList) {
    for (const auto& type : media_types()) {
        const auto* declared = type.name.data();
        expect_refused("<!DOCTYPE html><html><body>x</body></html>", declared);
        expect_refused("<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>", declared);
        expect_refused("#!/bin/sh\nrm -rf /\n", declared);
        expect_refused(
            "\x7f"
            "ELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\x3e\0\x01\0\0\0xxxxxxxxxxxxxxxx"sv,
            declared);
        expect_refused("\x1f\x8b\x08\0\0\0\0\0\0\x03xxxxxxxx"sv, declared);
        expect_refused(
            "PK\x03\x04\x14\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0\x01\0\0\0\x05\0\0\0a.jpgx"sv,
            declared);
        expect_refused("", declared);
    }
}

TEST_F(VerdictTest, RefusesWhatRevisionBHasNot) {
    expect_refused(sample("moving.gif"), "image/png", Revision::b);
    expect_refused(sample("moving.mov"), "audio/mp4", Revision::b);
    expect_refused(sample("moving.mpg"), "audio/mpeg", Revision::b);
    expect_refused(sample("moving.mp4"), "image/jpeg", Revision::b);
}

TEST_F(VerdictTest, RefusesTextUnderATypeWithAMark) {
    const auto soft_error = "{\"error\":\"not found\"}";
    expect_refused(soft_error, "image/jpeg");
    expect_refused(soft_error, "application/pdf");
    expect_refused(soft_error, "audio/l24");
    EXPECT_EQ(judged("text/csv", soft_error).kind, Kind::acceptable);
}

TEST_F(VerdictTest, LetsUnknownBytesPassAsDeclared) {
    const auto unknown = sample("sound.l24");
    EXPECT_EQ(judged("image/jpeg", unknown).media_type, "image/jpeg");
    EXPECT_EQ(judged("video/h263", unknown).media_type, "video/h263");
}

TEST_F(VerdictTest, AsksTheContentAloneWhereNothingIsDeclared) {
    EXPECT_EQ(judged("", sample("photo.png")).media_type, "image/png");
    EXPECT_EQ(judged("", sample("moving.mp4")).media_type, "video/mp4");
    EXPECT_EQ(judged("", sample("moving.mp4"), Revision::b).kind, Kind::content_type_refused);
    EXPECT_EQ(judged("", sample("list.csv")).kind, Kind::content_type_refused);
    EXPECT_EQ(judged("", sample("moving.h261")).kind, Kind::content_type_refused);
    EXPECT_EQ(judged("", sample("slides.ppt")).kind, Kind::content_type_refused);
}

}  // namespace
}  // namespace merpati::media
