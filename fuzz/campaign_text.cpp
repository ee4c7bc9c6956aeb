// campaign/text: a text never breaks the renderer, the same input gives the same bounded result,
// values appear as they are, and an escaped text reads as it was written. Also the words by which
// people opt out, and the tokens of links.
#include "campaign/text/campaign_text.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/utf8.hpp"
#include "campaign/opt_out_links.hpp"
#include "campaign/opt_out_words.hpp"
#include "campaign/preview.hpp"
#include "campaign/text/text_parser.hpp"
#include "check.hpp"

namespace merpati::fuzz {
namespace {

using campaign::CampaignText;
using campaign::Rendered;

constexpr std::string_view marker = "\x01value\x01";

Rendered render(const CampaignText& content, const std::vector<std::string>& values,
                std::int64_t number) {
    return content.render({.campaign = {7},
                           .number = model::PhoneNumber::from_stored(number),
                           .values = values,
                           .optout_url = "https://example.org/o/x"});
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
    for (auto place = text.find(from); place != std::string::npos;
         place = text.find(from, place + to.size())) {
        text.replace(place, from.size(), to);
    }
    return text;
}

void check_problems(const CampaignText& content) {
    for (const auto& problem : content.problems()) {
        check(problem.count > 0 && !problem.code.empty() && is_utf8(problem.detail),
              "a problem is told in UTF-8");
        check(problem.detail.size() < 4'096, "a problem is told briefly");
    }
}

void check_rendered(const CampaignText& content, std::string_view source,
                    const std::string& value) {
    for (const std::int64_t number : {6'281'100'000'001, 6'281'100'000'002, 6'281'100'000'003}) {
        const auto rendered = render(content, {value, ""}, number);
        const auto again = render(content, {value, ""}, number);
        check(rendered.text == again.text && rendered.variant == again.variant &&
                  rendered.has_empty_value == again.has_empty_value,
              "the same input gives the same result");
        check(rendered.text.size() <= CampaignText::rendered_bytes_max, "a result is bounded");
        check(rendered.characters == utf8_characters(rendered.text), "characters are counted");
        if (source.contains('\x01') || is_blank(value) || value.contains('\x01')) {
            continue;
        }
        const auto marked = render(content, {std::string{marker}, ""}, number);
        const auto expected = replaced(marked.text, marker, value);
        if (expected.size() < CampaignText::rendered_bytes_max) {
            check(rendered.text == expected, "values appear as they are");
        }
    }
}

void check_escaped(std::string_view source) {
    std::string escaped;
    for (const char c : source) {
        escaped += std::string_view{"{}|"}.contains(c) ? "\\" : "";
        escaped += c;
    }
    if (escaped.size() > campaign::text_bytes_max) {
        return;
    }
    const auto parsed = campaign::parse_text(escaped);
    check(parsed.problems.empty() && parsed.choices == 0, "an escaped text has no meaning");
    std::string text;
    for (const auto& part : parsed.parts) {
        const auto* literal = std::get_if<std::string>(&part.value);
        check(literal != nullptr, "an escaped text is text");
        text += *literal;
    }
    check(text == source, "an escaped text reads as it was written");
}

/// Reads the text as a token, and as changes to one.
void check_tokens(std::string_view text) {
    static const campaign::OptOutLinks links{campaign::OptOutLinks::Keys{}, ""};
    static const campaign::OptOutLinks::Target target{
        .account = {3}, .number = campaign::example_number, .campaign = {7}};
    const auto url = links.url_of(target.account, target.number, target.campaign);
    const auto token = std::string_view{url}.substr(3);
    check(links.open(token) == target, "a token opens as it was made");
    check(text == token || !links.open(text), "nobody guesses a token");
    if (text.size() >= 2) {
        std::string changed{token};
        changed[static_cast<unsigned char>(text[0]) % changed.size()] = text[1];
        check(changed == token || !links.open(changed), "a changed token does not open");
    }
}

}  // namespace
}  // namespace merpati::fuzz

/// A text, and after a line of its own, "--", the value of the column `nama`.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace merpati::fuzz;
    const std::string_view input{reinterpret_cast<const char*>(data), size};
    if (!merpati::is_utf8(input)) {
        return 0;  // Requests and audiences are UTF-8 when they come here.
    }
    const auto border = input.find("\n--\n");
    const auto source = input.substr(0, border);
    const std::string value{border == std::string_view::npos ? "Budi" : input.substr(border + 4)};
    static const std::vector<std::string> columns{"Nama", "kosong"};
    merpati::model::CampaignPlan plan;
    plan.message = source;
    const auto content = merpati::campaign::CampaignText::of(plan, columns);
    check_problems(content);
    check_rendered(content, source, value);
    plan.message.reset();
    plan.variants = {{.message = std::string{source}, .weight = 1},
                     {.message = "{{nama}}", .weight = 2}};
    check_rendered(merpati::campaign::CampaignText::of(plan, columns), source, value);
    check_escaped(source);
    const auto around = " \"" + std::string{source} + "\" ";
    check(around.size() > 256 ||
              merpati::campaign::reply_of(around) == merpati::campaign::reply_of(source),
          "what is around a word does not matter");
    check_tokens(source);
    return 0;
}
