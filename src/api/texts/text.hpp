// Texts for people: one row holds a text in both languages.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "api/texts/language.hpp"

namespace merpati::api {

/// One text. The English one is its key, as in gettext: rooms that know nothing of languages write
/// it into an Error. Each "{}" stands for a parameter; the Indonesian text names them by their
/// places, "{0}", "{1}"; "{0:text}" if it is a text that is translated too.
struct Text {
    std::string_view english;
    std::string_view indonesian;
};

/// A text without parameters, in the language.
[[nodiscard]] constexpr std::string_view text_in(const Text& text, Language language) noexcept {
    return language == Language::indonesian ? text.indonesian : text.english;
}

/// How many parameters the English text has.
[[nodiscard]] constexpr std::size_t parameters_of(std::string_view english) {
    std::size_t count = 0;
    for (auto place = english.find("{}"); place != std::string_view::npos;
         place = english.find("{}", place + 2)) {
        ++count;
    }
    return count;
}

/// Whether both texts are there, and have the same parameters, each once.
[[nodiscard]] constexpr bool is_whole(const Text& text) {
    if (text.english.empty() || text.indonesian.empty()) {
        return false;
    }
    const auto count = parameters_of(text.english);
    std::size_t found = 0;
    for (auto place = text.indonesian.find('{'); place != std::string_view::npos;
         place = text.indonesian.find('{', place + 1)) {
        ++found;
    }
    for (std::size_t number = 0; number < count; ++number) {
        const std::array<char, 2> begin{'{', static_cast<char>('0' + number)};
        const auto place = text.indonesian.find(std::string_view{begin.data(), begin.size()});
        if (place == std::string_view::npos) {
            return false;
        }
        const auto rest = text.indonesian.substr(place + begin.size());
        if (!rest.starts_with('}') && !rest.starts_with(":text}")) {
            return false;
        }
    }
    return found == count;
}

/// All rows, for lists and tests.
[[nodiscard]] std::span<const std::span<const Text>> all_texts() noexcept;

/// The text in Indonesian. Empty: there is no row for it.
[[nodiscard]] std::optional<std::string> in_indonesian(std::string_view english);

/// The text in the language, or as it is where there is no row for it.
[[nodiscard]] std::string translated(std::string_view english, Language language);

}  // namespace merpati::api
