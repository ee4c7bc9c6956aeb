#include "cli/text_file.hpp"

#include <fmt/format.h>

#include "base/utf8.hpp"
#include "cli/body_file.hpp"

namespace merpati::cli {
namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

}  // namespace

Result<std::string> read_text_file(const std::string& path, std::size_t bytes_max) {
    auto file = BodyFile::open(path);
    if (!file) {
        return pass(file);
    }
    const std::size_t most = bytes_max + byte_order_mark.size() + 2;
    std::string text;
    for (;;) {
        const auto piece = file->next();
        if (!piece) {
            return pass(piece);
        }
        text += *piece;
        if (piece->empty() || text.size() > most) {
            break;
        }
    }
    if (text.starts_with(byte_order_mark)) {
        text.erase(0, byte_order_mark.size());
    }
    if (text.ends_with('\n')) {
        text.pop_back();
        if (text.ends_with('\r')) {
            text.pop_back();
        }
    }
    if (text.size() > bytes_max) {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("{} is longer than {} bytes", path, bytes_max));
    }
    if (!is_utf8(text)) {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("{} is not UTF-8: save it as UTF-8", path));
    }
    return text;
}

}  // namespace merpati::cli
