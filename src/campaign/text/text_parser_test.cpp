#include "campaign/text/text_parser.hpp"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

namespace merpati::campaign {
namespace {

/// The parts in one line: text as it is, placeholders as <name> or <name:fallback>, choices as
/// [a/b].
std::string shown(const TextSequence& parts) {
    std::string line;
    for (const auto& part : parts) {
        if (const auto* text = std::get_if<std::string>(&part.value)) {
            line += *text;
        } else if (const auto* placeholder = std::get_if<Placeholder>(&part.value)) {
            line += '<' + placeholder->name;
            line += placeholder->fallback ? ':' + *placeholder->fallback : "";
            line += '>';
        } else {
            std::string options;
            for (const auto& option : std::get<TextChoice>(part.value).options) {
                options += '/' + shown(option);
            }
            line += '[' + options.substr(1) + ']';
        }
    }
    return line;
}

std::string parsed(std::string_view source) {
    const auto text = parse_text(source);
    return text.problems.empty() ? shown(text.parts)
                                 : text.problems.front().code + ": " + text.problems.front().detail;
}

TEST(TextParser, ReadsPlaceholders) {
    EXPECT_EQ(parsed("Halo {{name}}!"), "Halo <name>!");
    EXPECT_EQ(parsed("{{ Nama Lengkap }}"), "< Nama Lengkap >");
    EXPECT_EQ(parsed("{{a}}{{b}}"), "<a><b>");
    EXPECT_EQ(parsed("{{}}"), "<>");
}

TEST(TextParser, ReadsFallbacks) {
    EXPECT_EQ(parsed("{{name|Kak}}"), "<name:Kak>");
    EXPECT_EQ(parsed("{{name|}}"), "<name:>");
    EXPECT_EQ(parsed("{{name| Kak }}"), "<name: Kak >");
    EXPECT_EQ(parsed("{{name|a|b}}"), "<name:a|b>");
    EXPECT_EQ(parsed("{{name|\\{a\\}\\|\\b\n}}"), "<name:{a}|\\b\n>");
}

TEST(TextParser, ReadsChoicesWithinChoices) {
    EXPECT_EQ(parsed("{a|b}"), "[a/b]");
    EXPECT_EQ(parsed("{a|b|{c|d}}"), "[a/b/[c/d]]");
    EXPECT_EQ(parsed("{{a|b}|c}"), "[[a/b]/c]");
    EXPECT_EQ(parsed("{|a|}"), "[/a/]");
    EXPECT_EQ(parsed("{Halo|Hai} {Pak|Bu} {{name}}"), "[Halo/Hai] [Pak/Bu] <name>");
}

TEST(TextParser, TellsPlaceholdersInChoicesFromChoices) {
    EXPECT_EQ(parsed("{{{name}}|Kak}"), "[<name>/Kak]");
    EXPECT_EQ(parsed("{Kak|{{name}}}"), "[Kak/<name>]");
    EXPECT_EQ(parsed("{{{{a}}|b}|c}"), "[[<a>/b]/c]");
    EXPECT_EQ(parsed("{x|{{a|b}}}"), "[x/<a:b>]");
}

TEST(TextParser, ReadsEscapedBracesAndBarsAsText) {
    EXPECT_EQ(parsed("\\{a|b\\}"), "{a|b}");
    EXPECT_EQ(parsed("\\{\\{name\\}\\}"), "{{name}}");
    EXPECT_EQ(parsed("{a\\|b|c\\}}"), "[a|b/c}]");
    EXPECT_EQ(parsed("C:\\dir \\\\ \\"), "C:\\dir \\\\ \\");
}

TEST(TextParser, LeavesBracesWithoutMeaningAsTheyAre) {
    EXPECT_EQ(parsed("{hello}"), "{hello}");
    EXPECT_EQ(parsed("{}"), "{}");
    EXPECT_EQ(parsed(":{ dan :} dan |"), ":{ dan :} dan |");
    EXPECT_EQ(parsed("{ {{name}} }"), "{ <name> }");
    EXPECT_EQ(parsed(":{ {a|b}"), ":{ [a/b]");
    EXPECT_EQ(parsed("{a{b}|c}"), "[a{b}/c]");
    EXPECT_EQ(parsed("a}}b"), "a}}b");
}

TEST(TextParser, FindsMalformedPlaceholders) {
    for (const auto* source :
         {"Halo {{name, apa kabar", "Halo {{name}, apa kabar", "{{name|Kak}", "{{name|{Kak}}}",
          "{{a\nb}}", "{x|{{name}", "{{{name}}}", "{{a}b}"}) {
        const auto text = parse_text(source);
        ASSERT_FALSE(text.problems.empty()) << source;
    }
    const auto text = parse_text("a {{b c {{d e");
    ASSERT_EQ(text.problems.size(), 1U);
    EXPECT_EQ(text.problems[0].code, "unknown_column");
    EXPECT_EQ(text.problems[0].detail,
              "the braces at '{{b c {{d e' are no placeholder: it has two on each side; write a "
              "backslash before a brace that is text");
    EXPECT_EQ(text.problems[0].count, 2);
    EXPECT_TRUE(text.problems[0].blocking);
}

TEST(TextParser, FindsChoicesWithoutAnEnd) {
    const auto text = parse_text("Diskon {50%|60% hari ini");
    ASSERT_EQ(text.problems.size(), 1U);
    EXPECT_EQ(text.problems[0].code, "no_message");
    EXPECT_EQ(text.problems[0].detail,
              "a choice begins at '{50%|60% hari ini' and has no end: close it with a brace, or "
              "write a backslash before a brace that is text");
}

TEST(TextParser, NotesWordsBetweenSingleBraces) {
    EXPECT_EQ(parse_text("Halo {name} {a|{b}} {{c}} \\{d\\}").braced_words,
              (std::vector<std::string>{"name", "b"}));
}

TEST(TextParser, NumbersChoicesFromTheGivenIndex) {
    const auto text = parse_text("{a|{b|c}} {d|e}", 5);
    EXPECT_EQ(text.choices, 3U);
    const auto& outer = std::get<TextChoice>(text.parts[0].value);
    EXPECT_EQ(std::get<TextChoice>(outer.options[1][0].value).index, 5U);
    EXPECT_EQ(outer.index, 6U);
    EXPECT_EQ(std::get<TextChoice>(text.parts[2].value).index, 7U);
}

std::string repeated(std::string_view piece, std::size_t times) {
    std::string text;
    for (std::size_t count = 0; count < times; ++count) {
        text += piece;
    }
    return text;
}

TEST(TextParser, KeepsItsLimits) {
    EXPECT_EQ(parsed(std::string(text_bytes_max, 'a')).size(), text_bytes_max);
    EXPECT_EQ(parsed(std::string(text_bytes_max + 1, 'a')),
              "no_message: a text has more than 16384 bytes");
    const auto nested = [](std::size_t depth) {
        return repeated("{a|", depth) + "b" + repeated("}", depth);
    };
    EXPECT_TRUE(parse_text(nested(text_nesting_max)).problems.empty());
    EXPECT_TRUE(parsed(nested(text_nesting_max + 1))
                    .starts_with("no_message: more than 16 braces are open at '{a|b}}"));
    EXPECT_TRUE(parse_text(repeated("{a|b}", text_choices_max)).problems.empty());
    EXPECT_EQ(parsed(repeated("{a|b}", text_choices_max + 1)),
              "no_message: a text has more than 1000 choices");
}

/// A quadratic reader would take minutes for all of them.
TEST(TextParser, TakesLinearTime) {
    const auto begin = std::chrono::steady_clock::now();
    for (const auto* piece : {"{", "}", "|", "{{", "{{a|", "{{a|\\{", "{a}", "{a|b}", "\\", "{|"}) {
        for (int round = 0; round < 20; ++round) {
            (void)parse_text(repeated(piece, text_bytes_max / std::string_view{piece}.size()));
            (void)parse_text("{x|" + repeated(piece, 16'000 / std::string_view{piece}.size()));
        }
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds{20});
}

}  // namespace
}  // namespace merpati::campaign
