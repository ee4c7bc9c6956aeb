// The parts of a campaign's text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace merpati::campaign {

struct TextPart;
using TextSequence = std::vector<TextPart>;

struct Placeholder {
    enum class Source : std::uint8_t {
        none,  // It never has a value.
        column,
        number,
        optout_url,
    };

    std::string name;                     // As written.
    std::optional<std::string> fallback;  // Taken where there is no value.
    Source source = Source::none;
    std::size_t column = 0;
    friend bool operator==(const Placeholder&, const Placeholder&) = default;
};

/// One of several texts is drawn.
struct TextChoice {
    std::uint32_t index = 0;  // Of its draw (draw.hpp).
    std::vector<TextSequence> options;
    friend bool operator==(const TextChoice&, const TextChoice&) = default;
};

struct TextPart {
    std::variant<std::string, Placeholder, TextChoice> value;
    friend bool operator==(const TextPart&, const TextPart&) = default;
};

}  // namespace merpati::campaign
