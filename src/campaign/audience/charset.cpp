#include "campaign/audience/charset.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <iconv.h>

#include <fmt/format.h>

#include "base/assert.hpp"
#include "campaign/audience/characters.hpp"

namespace merpati::campaign {

void CharsetConverter::Close::operator()(void* handle) const noexcept {
    (void)::iconv_close(handle);
}

Result<CharsetConverter> CharsetConverter::open(const char* name, std::size_t unit) {
    const auto opened = ::iconv_open("UTF-8", name);
    // iconv's sign of failure is the address of all bits.
    if (std::bit_cast<std::intptr_t>(opened) == -1) {
        return fail(ErrorCode::io_failed, fmt::format("iconv cannot convert {}", name));
    }
    return CharsetConverter{opened, unit};
}

void CharsetConverter::append_to(std::string& text, std::string_view& bytes) {
    // iconv takes pointers to bytes that it does not change.
    auto* from = const_cast<char*>(bytes.data());
    auto left = bytes.size();
    while (left > 0) {
        std::array<char, 4'096> converted;
        auto* to = converted.data();
        auto room = converted.size();
        const auto done = ::iconv(handle_.get(), &from, &left, &to, &room);
        const auto why = errno;
        text.append(converted.data(), converted.size() - room);
        if (done != static_cast<std::size_t>(-1) || why == E2BIG) {
            continue;
        }
        if (why == EINVAL) {
            break;
        }
        text += replacement_character;
        const auto skipped = std::min(left, unit_);
        from += skipped;
        left -= skipped;
    }
    bytes.remove_prefix(bytes.size() - left);
}

}  // namespace merpati::campaign
