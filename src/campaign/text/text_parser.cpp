#include "campaign/text/text_parser.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/utf8.hpp"

namespace merpati::campaign {
namespace {

constexpr std::size_t excerpt_bytes_max = 40;

bool is_escaped(std::string_view source, std::size_t at) {
    return source[at] == '\\' && at + 1 < source.size() &&
           std::string_view{"{}|"}.contains(source[at + 1]);
}

struct FoundPlaceholder {
    Placeholder placeholder;
    std::size_t end = 0;
};

/// The fallback that begins at `at`, up to the braces that end it.
std::optional<FoundPlaceholder> read_fallback(std::string_view source, std::size_t at,
                                              std::string_view name) {
    std::string fallback;
    for (;;) {
        const auto stop = source.find_first_of("\\{}", at);
        if (stop == std::string_view::npos || source[stop] == '{') {
            return std::nullopt;
        }
        fallback += source.substr(at, stop - at);
        if (is_escaped(source, stop)) {
            fallback += source[stop + 1];
            at = stop + 2;
        } else if (source[stop] == '\\') {
            fallback += '\\';
            at = stop + 1;
        } else if (source.substr(stop).starts_with("}}")) {
            return FoundPlaceholder{
                .placeholder = {.name = std::string{name}, .fallback = std::move(fallback)},
                .end = stop + 2};
        } else {
            return std::nullopt;
        }
    }
}

/// Reads no further than the next brace after those at `at`, so that all attempts together take
/// linear time.
std::optional<FoundPlaceholder> read_placeholder(std::string_view source, std::size_t at) {
    if (!source.substr(at).starts_with("{{")) {
        return std::nullopt;
    }
    const auto begin = at + 2;
    const auto stop = source.find_first_of("{}|\n", begin);
    if (stop == std::string_view::npos || stop - begin > ParsedText::name_bytes_max) {
        return std::nullopt;
    }
    const auto name = source.substr(begin, stop - begin);
    if (source[stop] == '|') {
        return read_fallback(source, stop + 1, name);
    }
    if (source.substr(stop).starts_with("}}")) {
        return FoundPlaceholder{.placeholder = {.name = std::string{name}, .fallback = {}},
                                .end = stop + 2};
    }
    return std::nullopt;
}

class TextParser {
public:
    TextParser(std::string_view source, std::uint32_t first_index)
        : source_(source), next_index_(first_index) {}

    ParsedText parse() {
        if (source_.size() > text_bytes_max) {
            refuse(fmt::format("a text has more than {} bytes", text_bytes_max));
            return std::move(parsed_);
        }
        while (at_ < source_.size() && parsed_.problems.empty()) {
            step();
        }
        while (!open_.empty()) {
            spell_out(take_last(), false);
        }
        if (!parsed_.problems.empty()) {
            parsed_.parts.clear();
            return std::move(parsed_);
        }
        report_unended_choices();
        report_doubled_braces();
        return std::move(parsed_);
    }

private:
    /// A brace that is open.
    struct Brace {
        std::size_t at = 0;
        std::vector<TextSequence> options{1};
    };

    void step() {
        if (is_escaped(source_, at_)) {
            add_text(source_.substr(at_ + 1, 1));
            at_ += 2;
            return;
        }
        switch (source_[at_]) {
            case '{':
                begin();
                return;
            case '|':
                if (!open_.empty()) {
                    open_.back().options.emplace_back();
                    ++at_;
                    return;
                }
                break;
            case '}':
                if (!open_.empty()) {
                    ++at_;
                    end(take_last());
                    return;
                }
                break;
            default:
                break;
        }
        const auto stop = std::min(source_.find_first_of("\\{|}", at_ + 1), source_.size());
        add_text(source_.substr(at_, stop - at_));
        at_ = stop;
    }

    void begin() {
        if (auto found = read_placeholder(source_, at_)) {
            current().push_back({std::move(found->placeholder)});
            at_ = found->end;
            return;
        }
        if (open_.size() == text_nesting_max) {
            refuse(
                fmt::format("more than {} braces are open at '{}': write a backslash before a "
                            "brace that is text",
                            text_nesting_max, excerpt(at_)));
            return;
        }
        open_.push_back({.at = at_});
        ++at_;
    }

    void end(Brace brace) {
        if (brace.options.size() == 1) {
            note_word(brace);
            spell_out(std::move(brace), true);
            return;
        }
        if (++parsed_.choices > text_choices_max) {
            refuse(fmt::format("a text has more than {} choices", text_choices_max));
            return;
        }
        current().push_back(
            {TextChoice{.index = next_index_++, .options = std::move(brace.options)}});
    }

    void note_word(const Brace& brace) {
        const auto& parts = brace.options.front();
        const auto* word =
            parts.size() == 1 ? std::get_if<std::string>(&parts.front().value) : nullptr;
        if (word != nullptr && word->size() <= ParsedText::name_bytes_max) {
            parsed_.braced_words.push_back(*word);
        }
    }

    /// Adds a brace that begins no choice as text, with what follows it.
    void spell_out(Brace brace, bool has_end) {
        text_braces_.push_back(brace.at);
        if (brace.options.size() > 1) {
            unended_choices_.push_back(brace.at);
        }
        add_text("{");
        for (std::size_t place = 0; place < brace.options.size(); ++place) {
            add_text(place > 0 ? "|" : "");
            for (auto& part : brace.options[place]) {
                if (const auto* text = std::get_if<std::string>(&part.value)) {
                    add_text(*text);
                } else {
                    current().push_back(std::move(part));
                }
            }
        }
        add_text(has_end ? "}" : "");
    }

    void report_unended_choices() {
        if (!unended_choices_.empty()) {
            parsed_.problems.push_back(
                {.code = "no_message",
                 .detail = fmt::format("a choice begins at '{}' and has no end: close it with a "
                                       "brace, or write a backslash before a brace that is text",
                                       excerpt(std::ranges::min(unended_choices_))),
                 .count = std::ssize(unended_choices_)});
        }
    }

    void report_doubled_braces() {
        const auto is_doubled = [this](std::size_t at) {
            return source_.substr(at + 1).starts_with('{');
        };
        std::erase_if(text_braces_, std::not_fn(is_doubled));
        if (!text_braces_.empty()) {
            parsed_.problems.push_back(
                {.code = "unknown_column",
                 .detail = fmt::format("the braces at '{}' are no placeholder: it has two on each "
                                       "side; write a backslash before a brace that is text",
                                       excerpt(std::ranges::min(text_braces_))),
                 .count = std::ssize(text_braces_)});
        }
    }

    void add_text(std::string_view text) {
        auto& parts = current();
        if (text.empty()) {
            return;
        }
        if (parts.empty() || !std::holds_alternative<std::string>(parts.back().value)) {
            parts.push_back({std::string{}});
        }
        std::get<std::string>(parts.back().value) += text;
    }

    TextSequence& current() { return open_.empty() ? parsed_.parts : open_.back().options.back(); }

    Brace take_last() {
        auto last = std::move(open_.back());
        open_.pop_back();
        return last;
    }

    [[nodiscard]] std::string_view excerpt(std::size_t at) const {
        return utf8_prefix(source_.substr(at), excerpt_bytes_max);
    }

    void refuse(std::string detail) {
        parsed_.problems.push_back({.code = "no_message", .detail = std::move(detail)});
    }

    std::string_view source_;
    std::uint32_t next_index_;
    std::size_t at_ = 0;
    std::vector<Brace> open_;
    std::vector<std::size_t> text_braces_;      // Places of braces that are text.
    std::vector<std::size_t> unended_choices_;  // Those with a bar and no end.
    ParsedText parsed_;
};

}  // namespace

ParsedText parse_text(std::string_view source, std::uint32_t first_index) {
    return TextParser{source, first_index}.parse();
}

}  // namespace merpati::campaign
