// QR codes for people: as text for a terminal, and as a picture.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace merpati::api {

struct QrDrawing {
    std::size_t columns = 0;         // Of each line, escape sequences not counted.
    std::vector<std::string> lines;  // UTF-8, without line ends.
};

/// `text` as a QR code of the lowest error correction with its quiet zone. A character shows two
/// modules, one above the other. The colours are set (ECMA-48), black on white, so that it can be
/// scanned from dark and from light terminals. Empty: the text is too long for a QR code.
[[nodiscard]] std::optional<QrDrawing> draw_qr(std::string_view text);

/// The same code as an SVG document, black on white, which scales to any size. Empty: as above.
[[nodiscard]] std::optional<std::string> qr_svg(std::string_view text);

}  // namespace merpati::api
