#include "config/suggest.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace merpati::config {
namespace {

/// No setting's name is longer, so a longer text is not compared.
constexpr std::size_t length_max = 64;
/// A word with more edits is another word.
constexpr std::size_t edits_max = 4;

/// The number of edits between two words, at most `limit`. A swap of neighbours counts as one
/// (optimal string alignment).
std::size_t edits_between(std::string_view left, std::string_view right, std::size_t limit) {
    const auto [shorter, longer] = std::minmax({left.size(), right.size()});
    if (longer - shorter >= limit) {
        return limit;
    }
    std::vector<std::size_t> before(right.size() + 1);
    std::vector<std::size_t> above(right.size() + 1);
    std::vector<std::size_t> row(right.size() + 1);
    for (std::size_t column = 0; column <= right.size(); ++column) {
        above[column] = column;
    }
    for (std::size_t i = 1; i <= left.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= right.size(); ++j) {
            const std::size_t replaced = above[j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1);
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
            if (i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1]) {
                row[j] = std::min(row[j], before[j - 2] + 1);
            }
        }
        std::swap(before, above);
        std::swap(above, row);
        if (std::ranges::min(above) >= limit && std::ranges::min(before) >= limit) {
            return limit;  // The next rows depend on these two only.
        }
    }
    return std::min(above[right.size()], limit);
}

bool ends_in_component(std::string_view word, std::string_view component) {
    return word.size() > component.size() && word.ends_with(component) &&
           word[word.size() - component.size() - 1] == '.';
}

std::optional<std::string_view> only_one_ending_in(std::string_view given,
                                                   std::span<const std::string_view> words) {
    const auto ends = [given](std::string_view word) { return ends_in_component(word, given); };
    const auto found = std::ranges::find_if(words, ends);
    if (found == words.end() || std::ranges::count_if(words, ends) != 1) {
        return std::nullopt;
    }
    return *found;
}

}  // namespace

std::optional<std::string_view> suggest(std::string_view given,
                                        std::span<const std::string_view> words) {
    if (given.empty() || given.size() > length_max) {
        return std::nullopt;
    }
    std::optional<std::string_view> nearest;
    std::size_t fewest = std::clamp<std::size_t>(given.size() / 3, 1, edits_max) + 1;
    for (const auto word : words) {
        const std::size_t edits = edits_between(given, word, fewest);
        if (edits < fewest) {
            fewest = edits;
            nearest = word;
        }
    }
    return nearest ? nearest : only_one_ending_in(given, words);
}

}  // namespace merpati::config
