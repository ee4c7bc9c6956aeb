#include "cli/qr_code.hpp"

#include <cstdint>
#include <qrcodegen/qrcodegen.hpp>

namespace merpati::cli {
namespace {

using qrcodegen::QrCode;

constexpr int quiet_zone = 4;  // Modules on each side (ISO/IEC 18004).
constexpr std::string_view black_on_white = "\x1b[30;107m";
constexpr std::string_view usual_colours = "\x1b[0m";

/// By whether the upper and the lower module are dark.
constexpr std::string_view half_blocks(bool upper, bool lower) {
    if (upper) {
        return lower ? "█" : "▀";
    }
    return lower ? "▄" : " ";
}

}  // namespace

std::optional<QrDrawing> draw_qr(std::string_view text) {
    std::optional<QrCode> code;
    try {
        code = QrCode::encodeBinary(std::vector<std::uint8_t>(text.begin(), text.end()),
                                    QrCode::Ecc::LOW);
    } catch (const qrcodegen::data_too_long&) {
        return std::nullopt;
    }
    const int end = code->getSize() + quiet_zone;
    QrDrawing drawing{.columns = static_cast<std::size_t>(end + quiet_zone), .lines = {}};
    for (int y = -quiet_zone; y < end; y += 2) {
        auto& line = drawing.lines.emplace_back(black_on_white);
        for (int x = -quiet_zone; x < end; ++x) {
            // Beyond the code every module is light.
            line += half_blocks(code->getModule(x, y), code->getModule(x, y + 1));
        }
        line += usual_colours;
    }
    return drawing;
}

}  // namespace merpati::cli
