#include "api/qr_code.hpp"

#include <algorithm>
#include <cstdint>
#include <qrcodegen/qrcodegen.hpp>

#include <fmt/format.h>

namespace merpati::api {
namespace {

using qrcodegen::QrCode;

constexpr int quiet_zone = 4;  // Modules on each side (ISO/IEC 18004).
constexpr std::string_view black_on_white = "\x1b[30;107m";
constexpr std::string_view usual_colours = "\x1b[0m";

/// The character that shows two modules; true is dark.
constexpr std::string_view half_blocks(bool upper, bool lower) {
    if (upper) {
        return lower ? "█" : "▀";
    }
    return lower ? "▄" : " ";
}

std::optional<QrCode> encode(std::string_view text) {
    try {
        return QrCode::encodeBinary(std::vector<std::uint8_t>(text.begin(), text.end()),
                                    QrCode::Ecc::LOW);
    } catch (const qrcodegen::data_too_long&) {
        return std::nullopt;
    }
}

}  // namespace

std::optional<QrDrawing> draw_qr(std::string_view text) {
    const auto code = encode(text);
    if (!code) {
        return std::nullopt;
    }
    const int end = code->getSize() + quiet_zone;
    QrDrawing drawing{.columns = static_cast<std::size_t>(end + quiet_zone), .lines = {}};
    for (int y = -quiet_zone; y < end; y += 2) {
        auto& line = drawing.lines.emplace_back(black_on_white);
        for (int x = -quiet_zone; x < end; ++x) {
            // getModule answers false, which is light, for positions outside the code.
            line += half_blocks(code->getModule(x, y), code->getModule(x, y + 1));
        }
        line += usual_colours;
    }
    return drawing;
}

std::optional<std::string> qr_svg(std::string_view text) {
    const auto code = encode(text);
    if (!code) {
        return std::nullopt;
    }
    std::string path;
    for (int y = 0; y < code->getSize(); ++y) {
        for (int x = 0; x < code->getSize();) {
            int end = x;
            while (end < code->getSize() && code->getModule(end, y)) {
                ++end;
            }
            if (end > x) {
                path += fmt::format("M{} {}h{}v1h-{}z", x + quiet_zone, y + quiet_zone, end - x,
                                    end - x);
            }
            x = std::max(end, x + 1);
        }
    }
    const int side = code->getSize() + 2 * quiet_zone;
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {0}\" "
        "shape-rendering=\"crispEdges\"><path d=\"M0 0h{0}v{0}h-{0}z\" fill=\"#fff\"/>"
        "<path d=\"{1}\"/></svg>\n",
        side, path);
}

}  // namespace merpati::api
