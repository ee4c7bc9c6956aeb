#include "api/texts/text.hpp"

#include <algorithm>
#include <vector>

#include "api/texts/audiences.hpp"
#include "api/texts/calls.hpp"
#include "api/texts/campaign_checks.hpp"
#include "api/texts/campaigns.hpp"
#include "api/texts/cloud.hpp"
#include "api/texts/devices.hpp"
#include "api/texts/messages.hpp"
#include "api/texts/people.hpp"

namespace merpati::api {
namespace {

constexpr std::array<std::span<const Text>, 8> rows{
    texts_of_audiences, texts_of_calls,   texts_of_campaign_checks, texts_of_campaigns,
    texts_of_cloud,     texts_of_devices, texts_of_messages,        texts_of_people};

static_assert(std::ranges::all_of(rows, [](auto part) {
    return std::ranges::all_of(part, [](const Text& text) { return is_whole(text); });
}));

/// A parameter that is a text may have a parameter that is one, and no more.
constexpr int nested_max = 3;

struct Match {
    const Text* text = nullptr;
    std::size_t literal = 0;  // How many characters are not of parameters.
    std::vector<std::string_view> parameters;
};

/// The parameters for which the row gives the text; empty: for none.
std::optional<std::vector<std::string_view>> match(std::string_view pattern,
                                                   std::string_view text) {
    std::vector<std::string_view> parameters;
    auto hole = pattern.find("{}");
    if (hole == std::string_view::npos) {
        return pattern == text ? std::optional{parameters} : std::nullopt;
    }
    if (!text.starts_with(pattern.substr(0, hole))) {
        return std::nullopt;
    }
    text.remove_prefix(hole);
    pattern.remove_prefix(hole + 2);
    for (;;) {
        hole = pattern.find("{}");
        const auto next = pattern.substr(0, hole);
        const bool is_last = hole == std::string_view::npos;
        if (is_last && !text.ends_with(next)) {
            return std::nullopt;
        }
        const auto end = is_last ? text.size() - next.size() : text.find(next);
        if (end == std::string_view::npos) {
            return std::nullopt;
        }
        parameters.push_back(text.substr(0, end));
        if (is_last) {
            return parameters;
        }
        text.remove_prefix(end + next.size());
        pattern.remove_prefix(hole + 2);
    }
}

/// The row that leaves least to parameters.
Match best_match(std::string_view text) {
    Match best;
    for (const auto part : rows) {
        for (const auto& row : part) {
            const auto literal = row.english.size() - 2 * parameters_of(row.english);
            if (best.text != nullptr && literal <= best.literal) {
                continue;
            }
            if (auto parameters = match(row.english, text)) {
                best = {.text = &row, .literal = literal, .parameters = *std::move(parameters)};
            }
        }
    }
    return best;
}

std::optional<std::string> in_indonesian(std::string_view english, int depth) {
    const auto found = best_match(english);
    if (found.text == nullptr) {
        return std::nullopt;
    }
    std::string made;
    auto rest = found.text->indonesian;
    for (auto hole = rest.find('{'); hole != std::string_view::npos; hole = rest.find('{')) {
        const auto parameter = found.parameters[static_cast<std::size_t>(rest[hole + 1] - '0')];
        const bool is_text = rest.substr(hole + 2).starts_with(':') && depth < nested_max;
        auto inner = is_text ? in_indonesian(parameter, depth + 1) : std::nullopt;
        made.append(rest.substr(0, hole)).append(inner ? *inner : std::string{parameter});
        rest.remove_prefix(rest.find('}', hole) + 1);
    }
    return made.append(rest);
}

}  // namespace

std::span<const std::span<const Text>> all_texts() noexcept {
    return rows;
}

std::optional<std::string> in_indonesian(std::string_view english) {
    return in_indonesian(english, 1);
}

std::string translated(std::string_view english, Language language) {
    auto other = language == Language::indonesian ? in_indonesian(english) : std::nullopt;
    return other ? *std::move(other) : std::string{english};
}

}  // namespace merpati::api
