#include "api/qr_code.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace merpati::api {
namespace {

// tests/pairing.test.ts decodes the codes with a QR reader.

TEST(QrCodeTest, AnAddressOfAPairingFitsA80ColumnTerminal) {
    const auto drawing =
        draw_qr("https://platform.example/linked_devices#" + std::string(240, 'k'));
    ASSERT_TRUE(drawing);
    EXPECT_LE(drawing->columns, 80U);
    EXPECT_EQ(drawing->lines.size(), (drawing->columns + 1) / 2);
}

TEST(QrCodeTest, EveryLineSetsItsColoursAndGivesThemBack) {
    const auto drawing = draw_qr("QR");
    ASSERT_TRUE(drawing);
    EXPECT_TRUE(std::ranges::all_of(drawing->lines, [](const std::string& line) {
        return line.starts_with("\x1b[30;107m") && line.ends_with("\x1b[0m");
    }));
}

TEST(QrCodeTest, TheQuietZoneIsLight) {
    const auto drawing = draw_qr("QR");
    ASSERT_TRUE(drawing);
    EXPECT_EQ(drawing->columns, 29U);  // 21 modules and 4 on each side.
    const auto light = "\x1b[30;107m" + std::string(29, ' ') + "\x1b[0m";
    EXPECT_EQ(drawing->lines[0], light);
    EXPECT_EQ(drawing->lines[1], light);
    EXPECT_NE(drawing->lines[2], light);
    EXPECT_EQ(drawing->lines.back(), light);
}

TEST(QrCodeTest, ATextThatIsTooLongIsNone) {
    EXPECT_TRUE(draw_qr(std::string(2'953, 'x')));
    EXPECT_FALSE(draw_qr(std::string(2'954, 'x')));
}

TEST(QrCodeTest, APictureIsBlackOnWhiteWithItsQuietZone) {
    const auto picture = qr_svg("QR");
    ASSERT_TRUE(picture);
    EXPECT_TRUE(
        picture->starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 29 29\""));
    EXPECT_TRUE(picture->contains("M0 0h29v29h-29z\" fill=\"#fff\""));
    EXPECT_TRUE(picture->contains("M4 4h7v1h-7z"));  // The first line of the finder pattern.
    EXPECT_FALSE(qr_svg(std::string(2'954, 'x')));
}

}  // namespace
}  // namespace merpati::api
