// The content of a campaign, from which each recipient's message is made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "campaign/problem.hpp"
#include "campaign/text/text_parts.hpp"
#include "connector/connector.hpp"
#include "model/campaign.hpp"
#include "model/ids.hpp"
#include "model/message.hpp"

namespace merpati::campaign {

/// What one recipient's message is made from.
struct RenderInput {
    model::CampaignId campaign;
    model::PhoneNumber number;
    std::span<const std::string> values;  // By the campaign's columns; missing ones are empty.
    std::string_view optout_url{};        // Empty: none.
};

struct Rendered {
    std::string text;
    std::uint32_t variant = 0;  // 1-based; 0: the campaign has no variants.
    std::string media_url{};    // Empty: no media.
    /// The plan's template, filled; null: it has none. `text` is empty as long as `use_template`
    /// was not called.
    std::shared_ptr<const model::FilledTemplate> filled_template{};
    /// The row is skipped: a placeholder without fallback has no value, so has the column of the
    /// media or anything that fills the template, or the text is blank and there is no file.
    bool has_empty_value = false;
    std::size_t characters = 0;  // Of `text`, as the limits of connectors count them.
};

/// A campaign's content, compiled once. Preview, check and the campaign itself use it, so what was
/// previewed is what is sent.
///
/// Operation: `of` compiles the texts (text_parser.hpp has their rules) and finds what is wrong in
/// them, whatever the recipients; `render` makes one recipient's message.
///
/// Result: depends only on plan, columns and input. Variant and choices depend only on campaign and
/// number (draw.hpp), so a message is the same at each preview, after each restart and in each
/// later version.
///
/// Values: data, never read as a text. They are inserted as they are, blanks at their ends
/// included. A value of blanks alone is no value. The platform takes no line breaks and no runs of
/// blanks in a variable of a template: each is one blank there.
///
/// Limits: of texts, in text_parser.hpp; `rendered_bytes_max`. `render` takes time in proportion to
/// the source and the result.
///
/// Threads: any, once it is made.
class CampaignText {
public:
    /// Longer results are cut here, between two characters. More than the longest text of any
    /// connector (65,536 characters), so that `characters` still shows that it is too long. For a
    /// template: of all its values together.
    static constexpr std::size_t rendered_bytes_max = 4UL * 65'536 + 4;
    static constexpr std::size_t variants_max = 5;

    [[nodiscard]] static CampaignText of(const model::CampaignPlan& plan,
                                         std::span<const std::string> columns);

    /// `no_message`: there is no text, or one cannot be read; the detail says why.
    /// `unknown_column`: a placeholder, or the media, names a column that the audience lacks, or a
    /// placeholder is malformed.
    /// `optout_missing`: recipients are to opt out by a link, and some of them would not get it.
    /// `template`: what fills a variable of the template is empty.
    [[nodiscard]] const std::vector<Problem>& problems() const noexcept { return problems_; }

    /// Whether any text holds `{{optout_url}}`.
    [[nodiscard]] bool uses_optout_url() const noexcept { return uses_optout_url_; }

    /// The plan's template as the platform has it: `render` shows its text from now on.
    void use_template(connector::MessageTemplate used) { used_template_ = std::move(used); }

    /// Also of a content with problems: placeholders of unknown columns have no value.
    [[nodiscard]] Rendered render(const RenderInput& input) const;

private:
    struct WeightedText {
        TextSequence parts;
        std::uint32_t weight = 1;
    };

    struct TemplateTexts {
        std::string name;
        std::string language;
        std::vector<TextSequence> variables;
        std::optional<TextSequence> header;
        std::vector<TextSequence> buttons;
    };

    CampaignText() = default;
    void find_problems(const model::CampaignPlan& plan, std::vector<Problem> found);
    void find_template_problems(const model::CampaignPlan& plan);
    [[nodiscard]] std::vector<const TextSequence*> template_texts() const;
    template <class ValueOf>
    [[nodiscard]] static std::shared_ptr<const model::FilledTemplate> filled(
        const TemplateTexts& texts, ValueOf value_of);
    [[nodiscard]] std::size_t variant_of(const RenderInput& input) const;

    std::vector<WeightedText> texts_;
    std::optional<TemplateTexts> template_;
    bool has_variants_ = false;
    std::optional<connector::MessageTemplate> used_template_;
    std::string media_url_;
    std::optional<Placeholder> media_column_;
    bool uses_optout_url_ = false;
    std::vector<Problem> problems_;
};

}  // namespace merpati::campaign
