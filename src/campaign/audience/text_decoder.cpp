#include "campaign/audience/text_decoder.hpp"

#include "base/utf8.hpp"
#include "campaign/audience/characters.hpp"

namespace merpati::campaign {
namespace {

constexpr std::string_view utf8_mark = "\xEF\xBB\xBF";
constexpr std::string_view little_endian_mark = "\xFF\xFE";
constexpr std::string_view big_endian_mark = "\xFE\xFF";

}  // namespace

Result<void> TextDecoder::take(std::string_view piece, std::string& text) {
    if (chosen_) {
        append(piece, text);
        return {};
    }
    waiting_ += piece;
    if (waiting_.size() < utf8_mark.size()) {
        return {};
    }
    if (auto chosen = choose(); !chosen) {
        return pass(chosen);
    }
    const auto first = std::exchange(waiting_, {});
    append(first, text);
    return {};
}

Result<void> TextDecoder::finish(std::string& text) {
    if (!chosen_) {
        if (auto chosen = choose(); !chosen) {
            return pass(chosen);
        }
        const auto first = std::exchange(waiting_, {});
        append(first, text);
    }
    if (!waiting_.empty()) {
        text += replacement_character;
        waiting_.clear();
    }
    return {};
}

Result<void> TextDecoder::choose() {
    chosen_ = true;
    const bool is_little = waiting_.starts_with(little_endian_mark);
    if (is_little || waiting_.starts_with(big_endian_mark)) {
        auto opened = CharsetConverter::open(is_little ? "UTF-16LE" : "UTF-16BE", 2);
        if (!opened) {
            return pass(opened);
        }
        utf16_ = std::move(*opened);
        waiting_.erase(0, little_endian_mark.size());
    } else if (waiting_.starts_with(utf8_mark)) {
        waiting_.erase(0, utf8_mark.size());
    }
    return {};
}

void TextDecoder::append(std::string_view piece, std::string& text) {
    if (!utf16_) {
        text += piece;
        return;
    }
    if (waiting_.empty()) {
        utf16_->append_to(text, piece);
        waiting_ = piece;
        return;
    }
    waiting_ += piece;
    std::string_view all = waiting_;
    utf16_->append_to(text, all);
    waiting_ = std::string{all};
}

Result<std::string> CellDecoder::text_of(std::string_view cell) {
    if (is_utf8(cell)) {
        return std::string{cell};
    }
    if (!windows_) {
        auto opened = CharsetConverter::open("CP1252", 1);
        if (!opened) {
            return pass(opened);
        }
        windows_ = std::move(*opened);
    }
    std::string text;
    windows_->append_to(text, cell);
    return text;
}

}  // namespace merpati::campaign
