// store/plan_text: a text that is stored is read back as it was, whatever it holds, and any other
// text is refused or read as a value that is stored and read back alike.
#include "store/plan_text.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/utf8.hpp"
#include "check.hpp"

namespace merpati::fuzz {
namespace {

void check_stored(std::string_view text) {
    if (const auto plan = store::plan_of(text)) {
        const auto again = store::plan_of(store::plan_text(*plan));
        check(again && *again == *plan, "a plan is read back as it was stored");
    }
    if (const auto list = store::list_of(text)) {
        check(store::list_of(store::list_text(*list)) == list,
              "a list is read back as it was stored");
    }
    if (const auto named = store::named_of(text)) {
        check(store::named_of(store::named_text(*named)) == named,
              "named texts are read back as they were stored");
    }
    if (const auto filled = store::template_of(text)) {
        check(store::template_of(store::template_text(*filled)) == filled,
              "a template is read back as it was stored");
    }
}

/// Words of the input, in every text of a plan.
void check_words(const std::vector<std::string>& words) {
    if (store::list_text(words).size() <= store::plan_bytes_max) {
        check(store::list_of(store::list_text(words)) == words, "any words are a list");
    }
    const auto word = [&](std::size_t place) {
        return words.empty() ? std::string{} : words[place % words.size()];
    };
    model::CampaignPlan plan;
    plan.name = word(0);
    plan.message = word(1);
    plan.variants = {{.message = word(2), .weight = 1}, {.message = word(3), .weight = 1'000}};
    plan.message_template = {.name = word(4),
                             .language = word(5),
                             .variables = words,
                             .header = word(11),
                             .buttons = words};
    plan.media = {.url = word(6), .column = word(7)};
    plan.timezone = word(8);
    plan.consent = word(9);
    plan.callback = word(10);
    const auto text = store::plan_text(plan);
    check(text.size() > store::plan_bytes_max || store::plan_of(text) == plan,
          "any words are a plan's");
    const model::FilledTemplate filled{.name = word(4),
                                       .language = word(5),
                                       .values = words,
                                       .header = word(11),
                                       .buttons = words};
    const auto stored = store::template_text(filled);
    check(stored.size() > store::plan_bytes_max || store::template_of(stored) == filled,
          "any words fill a template");
    store::NamedTexts named;
    for (const auto& one : words) {
        const bool is_new =
            std::ranges::none_of(named, [&](const auto& other) { return other.first == one; });
        if (is_new) {
            named.emplace_back(one, word(one.size()));
        }
    }
    check(store::named_of(store::named_text(named)) == named, "any words are named texts");
}

}  // namespace
}  // namespace merpati::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view input{reinterpret_cast<const char*>(data), size};
    merpati::fuzz::check_stored(input);
    if (merpati::is_utf8(input)) {  // Everything that is stored is.
        std::vector<std::string> words(1);
        for (const char c : input) {
            if (c == '\n') {
                words.emplace_back();
            } else {
                words.back() += c;
            }
        }
        merpati::fuzz::check_words(words);
    }
    return 0;
}
