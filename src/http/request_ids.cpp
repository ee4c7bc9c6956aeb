#include "http/request_ids.hpp"

#include "base/ascii.hpp"

namespace merpati::http {
namespace {

constexpr std::size_t counter_begin = 24;  // The last group of the printed form.

}  // namespace

RequestIds::RequestIds(Random& random) {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < text_.size(); ++i) {
        if (i % 16 == 0) {
            bits = random.next();
        }
        text_[i] = hex_digits[bits & 15];
        bits >>= 4;
    }
    text_[8] = text_[13] = text_[18] = text_[23] = '-';
    text_[14] = '8';                                             // The version,
    text_[19] = hex_digits[8 + hex_digits.find(text_[19]) % 4];  // and the variant.
}

std::string_view RequestIds::next() noexcept {
    std::uint64_t bits = counter_++;
    for (std::size_t i = text_.size(); i-- > counter_begin; bits >>= 4) {
        text_[i] = hex_digits[bits & 15];
    }
    return {text_.data(), text_.size()};
}

}  // namespace merpati::http
