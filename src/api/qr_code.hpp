// QR codes, as text for a terminal and as an SVG image.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace merpati::api {

struct QrDrawing {
    std::size_t columns = 0;         // Of each line, without escape sequences.
    std::vector<std::string> lines;  // UTF-8, without line ends.
};

/// `text` as a QR code with the lowest error correction level and a quiet zone. One character shows
/// two modules, one above the other. Escape sequences (ECMA-48) set black on white, so that the
/// code can be scanned from dark and from light terminals. Empty: the text is too long for a QR
/// code.
[[nodiscard]] std::optional<QrDrawing> draw_qr(std::string_view text);

/// The same code as an SVG document, black on white. Empty: as above.
[[nodiscard]] std::optional<std::string> qr_svg(std::string_view text);

}  // namespace merpati::api
