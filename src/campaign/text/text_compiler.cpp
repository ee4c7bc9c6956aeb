#include "campaign/text/text_compiler.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/utf8.hpp"
#include "campaign/text/column_name.hpp"
#include "campaign/text/text_parser.hpp"

namespace merpati::campaign {
namespace {

constexpr std::size_t shown_columns_max = 12;
constexpr std::size_t shown_bytes_max = 64;
constexpr std::size_t unknown_max = 20;  // Problems about single columns.

bool holds_optout_url(const TextPart& part) {
    const auto* placeholder = std::get_if<Placeholder>(&part.value);
    return placeholder != nullptr && placeholder->source == Placeholder::Source::optout_url;
}

}  // namespace

TextCompiler::TextCompiler(std::span<const std::string> columns) : columns_(columns) {
    for (std::size_t place = 0; place < columns.size(); ++place) {
        by_key_.try_emplace(column_key(columns[place]), place);
    }
}

TextSequence TextCompiler::compile(std::string_view source, std::uint32_t& first_index) {
    auto parsed = parse_text(source, first_index);
    first_index += parsed.choices;
    std::ranges::move(parsed.problems, std::back_inserter(problems_));
    for (const auto& word : parsed.braced_words) {
        if (is_known(column_key(word))) {
            problems_.push_back(
                {.code = "unknown_column",
                 .detail = fmt::format("'{}' stands between single braces: a column stands between "
                                       "two on each side; write a backslash before a brace that is "
                                       "text",
                                       utf8_prefix(trim_blanks(word), shown_bytes_max))});
            break;
        }
    }
    connect(parsed.parts);
    return std::move(parsed.parts);
}

Placeholder TextCompiler::column(std::string_view name) {
    Placeholder placeholder{.name = std::string{name}, .fallback = {}};
    if (const auto found = by_key_.find(column_key(name)); found != by_key_.end()) {
        placeholder.source = Placeholder::Source::column;
        placeholder.column = found->second;
    } else {
        ++unknown_[std::string{trim_blanks(name)}];
    }
    return placeholder;
}

std::vector<Problem> TextCompiler::problems() const {
    auto all = problems_;
    for (const auto& [name, count] : unknown_) {
        all.push_back({.code = "unknown_column",
                       .detail = fmt::format("the audience has no column '{}'; it has {}",
                                             utf8_prefix(name, shown_bytes_max), columns_text()),
                       .count = count});
        if (all.size() == problems_.size() + unknown_max) {
            break;
        }
    }
    return all;
}

void TextCompiler::connect(TextSequence& parts) {
    for (auto& part : parts) {
        if (auto* placeholder = std::get_if<Placeholder>(&part.value)) {
            connect(*placeholder);
        } else if (auto* choice = std::get_if<TextChoice>(&part.value)) {
            for (auto& option : choice->options) {
                connect(option);
            }
        }
    }
}

void TextCompiler::connect(Placeholder& placeholder) {
    const auto key = column_key(placeholder.name);
    if (key == "number") {
        placeholder.source = Placeholder::Source::number;
    } else if (key == "optout_url") {
        placeholder.source = Placeholder::Source::optout_url;
    } else if (key != "name" || by_key_.contains(key)) {
        auto fallback = std::move(placeholder.fallback);
        placeholder = column(placeholder.name);
        placeholder.fallback = std::move(fallback);
    }
}

bool TextCompiler::is_known(std::string_view key) const {
    return key == "number" || key == "name" || key == "optout_url" || by_key_.contains(key);
}

std::string TextCompiler::columns_text() const {
    if (columns_.empty()) {
        return "none";
    }
    std::string text;
    for (const auto& column : columns_.first(std::min(columns_.size(), shown_columns_max))) {
        text += text.empty() ? "" : ", ";
        text += utf8_prefix(column, shown_bytes_max);
    }
    return columns_.size() > shown_columns_max ? text + ", …" : text;
}

bool always_has_optout_url(const TextSequence& parts) {
    return std::ranges::any_of(parts, [](const TextPart& part) {
        const auto* choice = std::get_if<TextChoice>(&part.value);
        return holds_optout_url(part) ||
               (choice != nullptr && std::ranges::all_of(choice->options, always_has_optout_url));
    });
}

bool may_have_optout_url(const TextSequence& parts) {
    return std::ranges::any_of(parts, [](const TextPart& part) {
        const auto* choice = std::get_if<TextChoice>(&part.value);
        return holds_optout_url(part) ||
               (choice != nullptr && std::ranges::any_of(choice->options, may_have_optout_url));
    });
}

}  // namespace merpati::campaign
