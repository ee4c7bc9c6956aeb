#include "campaign/text/campaign_text.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/single_blanks.hpp"
#include "base/utf8.hpp"
#include "campaign/text/draw.hpp"
#include "campaign/text/text_compiler.hpp"
#include "connector/template_text.hpp"

namespace merpati::campaign {
namespace {

constexpr std::uint32_t variant_index = 0;  // Of the variant's draw.
constexpr std::uint32_t first_choice_index = 1;

/// Makes one recipient's texts.
class Renderer {
public:
    Renderer(const RenderInput& input, bool& has_empty_value)
        : input_(input), has_empty_value_(has_empty_value) {}

    [[nodiscard]] std::string text_of(const TextSequence& parts) {
        std::string text;
        add(parts, text);
        return text;
    }

    [[nodiscard]] std::string value_of(const Placeholder& placeholder) const {
        switch (placeholder.source) {
            case Placeholder::Source::none:
                return {};
            case Placeholder::Source::column:
                return placeholder.column < input_.values.size() ? input_.values[placeholder.column]
                                                                 : std::string{};
            case Placeholder::Source::number:
                return input_.number.text();
            case Placeholder::Source::optout_url:
                return std::string{input_.optout_url};
        }
        return {};
    }

private:
    void add(const TextSequence& parts, std::string& text) {
        for (const auto& part : parts) {
            if (room_ == 0) {
                return;
            }
            if (const auto* literal = std::get_if<std::string>(&part.value)) {
                add(*literal, text);
            } else if (const auto* placeholder = std::get_if<Placeholder>(&part.value)) {
                add(*placeholder, text);
            } else {
                const auto& choice = std::get<TextChoice>(part.value);
                add(choice.options[draw(input_.campaign, input_.number, choice.index,
                                        choice.options.size())],
                    text);
            }
        }
    }

    void add(const Placeholder& placeholder, std::string& text) {
        const auto value = value_of(placeholder);
        if (!is_blank(value)) {
            add(value, text);
        } else if (placeholder.fallback) {
            add(*placeholder.fallback, text);
        } else {
            has_empty_value_ = true;
        }
    }

    /// The first piece that does not fit is cut between two characters, and is the last.
    void add(std::string_view piece, std::string& text) {
        const auto fitting = utf8_prefix(piece, room_);
        text += fitting;
        room_ = fitting.size() < piece.size() ? 0 : room_ - fitting.size();
    }

    const RenderInput& input_;
    std::size_t room_ = CampaignText::rendered_bytes_max;  // Of all texts together.
    bool& has_empty_value_;
};

/// Why the plan has nothing to send; empty: it has.
std::optional<std::string> missing_message(const model::CampaignPlan& plan) {
    const int kinds =
        (plan.message ? 1 : 0) + (plan.variants.empty() ? 0 : 1) + (plan.message_template ? 1 : 0);
    if (kinds != 1) {
        return kinds == 0 ? "there is no message: give a text, variants or a template"
                          : "there is more than one message: keep the text, the variants or the "
                            "template";
    }
    if (plan.variants.size() > CampaignText::variants_max) {
        return fmt::format("there are more than {} variants", CampaignText::variants_max);
    }
    const auto is_empty = [](const model::Variant& variant) { return is_blank(variant.message); };
    if (!plan.media && ((plan.message && is_blank(*plan.message)) ||
                        std::ranges::any_of(plan.variants, is_empty))) {
        return "a text is empty";
    }
    return std::nullopt;
}

}  // namespace

CampaignText CampaignText::of(const model::CampaignPlan& plan,
                              std::span<const std::string> columns) {
    CampaignText content;
    TextCompiler compiler{columns};
    const auto compile = [&compiler](std::string_view source) {
        auto index = first_choice_index;  // One variant is sent, so all may use the same draws.
        return compiler.compile(source, index);
    };
    content.has_variants_ = !plan.variants.empty();
    for (const auto& variant : plan.variants) {
        content.texts_.push_back({.parts = compile(variant.message), .weight = variant.weight});
    }
    if (plan.message && plan.variants.empty()) {
        content.texts_.push_back({.parts = compile(*plan.message)});
    }
    if (const auto& used = plan.message_template) {
        auto index = first_choice_index;
        auto& texts = content.template_.emplace();
        texts.name = used->name;
        texts.language = used->language;
        for (const auto& variable : used->variables) {
            texts.variables.push_back(compiler.compile(variable, index));
        }
        if (!used->header.empty()) {
            texts.header = compiler.compile(used->header, index);
        }
        for (const auto& button : used->buttons) {
            texts.buttons.push_back(compiler.compile(button, index));
        }
    }
    if (plan.media) {
        content.media_url_ = plan.media->url;
        if (!plan.media->column.empty()) {
            content.media_column_ = compiler.column(plan.media->column);
        }
    }
    content.find_problems(plan, compiler.problems());
    return content;
}

void CampaignText::find_problems(const model::CampaignPlan& plan, std::vector<Problem> found) {
    if (auto missing = missing_message(plan)) {
        problems_.push_back({.code = "no_message", .detail = *std::move(missing)});
    }
    std::ranges::move(found, std::back_inserter(problems_));
    const auto may_have = [](const auto& text) { return may_have_optout_url(text.parts); };
    uses_optout_url_ = std::ranges::any_of(texts_, may_have) ||
                       std::ranges::any_of(template_texts(), [](const auto* text) {
                           return may_have_optout_url(*text);
                       });
    find_template_problems(plan);
    const auto lacking = std::ranges::count_if(
        texts_, [](const auto& text) { return !always_has_optout_url(text.parts); });
    const bool is_readable = std::ranges::none_of(
        problems_, [](const Problem& problem) { return problem.code == "no_message"; });
    if (plan.optout == model::OptOutWay::link && lacking > 0 && is_readable) {
        problems_.push_back(
            {.code = "optout_missing",
             .detail = "not every text has the placeholder optout_url, by which people opt out: "
                       "add it to each text and to each option of a choice, or let people opt out "
                       "by a keyword",
             .count = lacking});
    }
}

void CampaignText::find_template_problems(const model::CampaignPlan& plan) {
    if (!plan.message_template) {
        return;
    }
    const auto& variables = plan.message_template->variables;
    for (std::size_t place = 0; place < variables.size(); ++place) {
        if (is_blank(variables[place])) {
            problems_.push_back(
                {.code = "template",
                 .detail = fmt::format("variable {} of the template is empty", place + 1)});
        }
    }
    if (!plan.message_template->header.empty() && is_blank(plan.message_template->header)) {
        problems_.push_back(
            {.code = "template", .detail = "the text of the template's header is empty"});
    }
    const auto& buttons = plan.message_template->buttons;
    for (std::size_t place = 0; place < buttons.size(); ++place) {
        if (is_blank(buttons[place])) {
            problems_.push_back(
                {.code = "template",
                 .detail = fmt::format("text {} of the template's buttons is empty", place + 1)});
        }
    }
    if (plan.optout == model::OptOutWay::link &&
        std::ranges::none_of(template_->variables, always_has_optout_url)) {
        problems_.push_back(
            {.code = "optout_missing",
             .detail = "no variable of the template has the placeholder optout_url, by which "
                       "people opt out: add it to one, or let people opt out by a keyword"});
    }
}

/// What fills the template.
std::vector<const TextSequence*> CampaignText::template_texts() const {
    std::vector<const TextSequence*> all;
    if (!template_) {
        return all;
    }
    for (const auto& variable : template_->variables) {
        all.push_back(&variable);
    }
    if (template_->header) {
        all.push_back(&*template_->header);
    }
    for (const auto& button : template_->buttons) {
        all.push_back(&button);
    }
    return all;
}

/// The template with the value that `value_of` gives for each of its texts.
template <class ValueOf>
std::shared_ptr<const model::FilledTemplate> CampaignText::filled(const TemplateTexts& texts,
                                                                  ValueOf value_of) {
    model::FilledTemplate made{.name = texts.name, .language = texts.language, .values = {}};
    for (const auto& variable : texts.variables) {
        made.values.push_back(value_of(variable));
    }
    if (texts.header) {
        made.header = value_of(*texts.header);
    }
    for (const auto& button : texts.buttons) {
        made.buttons.push_back(value_of(button));
    }
    return std::make_shared<const model::FilledTemplate>(std::move(made));
}

Rendered CampaignText::render(const RenderInput& input) const {
    Rendered rendered;
    Renderer renderer{input, rendered.has_empty_value};
    rendered.media_url = media_url_;
    if (media_column_) {
        rendered.media_url = trim_blanks(renderer.value_of(*media_column_));
        rendered.has_empty_value = rendered.media_url.empty();
    }
    if (template_) {
        rendered.filled_template = filled(*template_, [&](const TextSequence& text) {
            auto value = with_single_blanks(renderer.text_of(text));
            rendered.has_empty_value = rendered.has_empty_value || value.empty();
            return value;
        });
    }
    if (template_ && used_template_) {
        rendered.text = connector::filled_text(used_template_->body, used_template_->variable_names,
                                               rendered.filled_template->values);
        rendered.characters = utf8_characters(rendered.text);
    }
    if (texts_.empty()) {
        return rendered;
    }
    const auto place = has_variants_ ? variant_of(input) : 0;
    rendered.variant = has_variants_ ? static_cast<std::uint32_t>(place + 1) : 0;
    rendered.text = renderer.text_of(texts_[place].parts);
    rendered.characters = utf8_characters(rendered.text);
    if (rendered.media_url.empty() && is_blank(rendered.text)) {
        rendered.has_empty_value = true;
    }
    return rendered;
}

/// The place of the recipient's variant: each gets its weight's part of the draws.
std::size_t CampaignText::variant_of(const RenderInput& input) const {
    std::uint64_t total = 0;
    for (const auto& text : texts_) {
        total += text.weight;
    }
    if (total == 0) {
        return 0;
    }
    auto drawn = draw(input.campaign, input.number, variant_index, total);
    std::size_t place = 0;
    while (drawn >= texts_[place].weight) {
        drawn -= texts_[place].weight;
        ++place;
    }
    return place;
}

}  // namespace merpati::campaign
