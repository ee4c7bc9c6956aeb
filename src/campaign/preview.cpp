#include "campaign/preview.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/utf8.hpp"
#include "campaign/media_check.hpp"
#include "campaign/text/campaign_text.hpp"
#include "campaign/text/column_name.hpp"
#include "connector/template_text.hpp"

namespace merpati::campaign {
namespace {

Preview preview_of(const PreviewInput& input, std::span<const std::string> columns,
                   model::PhoneNumber number, std::span<const std::string> values) {
    const auto& campaign = input.campaign;
    auto content = CampaignText::of(campaign.plan, columns);
    if (input.used_template) {
        content.use_template(*input.used_template);
    }
    auto rendered =
        content.render({.campaign = campaign.id,
                        .number = number,
                        .values = values,
                        .optout_url = input.links.url_of(campaign.account, number, campaign.id)});
    Preview shown{.text = std::move(rendered.text),
                  .variant = rendered.variant,
                  .media = std::move(rendered.media_url),
                  .characters = rendered.characters,
                  .filled_template = std::move(rendered.filled_template),
                  .problems = content.problems()};
    if (shown.filled_template != nullptr && input.used_template) {
        shown.sent_as = connector::sent_template(*input.used_template, *shown.filled_template);
    }
    std::ranges::copy(input.template_problems, std::back_inserter(shown.problems));
    if (shown.characters > input.characters_max) {
        shown.problems.push_back(too_long(shown.characters, input.characters_max));
    }
    if (!shown.media.empty()) {
        const MediaProbe nobody;
        MediaCheck media{input.policy, nobody};
        media.add(shown.media);
        std::ranges::move(media.finish(), std::back_inserter(shown.problems));
    }
    // Without its columns, a text has no values either.
    if (rendered.has_empty_value && content.problems().empty()) {
        shown.problems.push_back({.code = "empty_value",
                                  .detail = "this recipient is left out: a placeholder without a "
                                            "fallback has no value",
                                  .blocking = false});
    }
    return shown;
}

}  // namespace

Preview preview(const PreviewInput& input, const model::Recipient& row) {
    return preview_of(input, input.campaign.columns, row.number.value_or(example_number),
                      row.values);
}

Preview preview(const PreviewInput& input,
                std::span<const std::pair<std::string, std::string>> values) {
    auto columns = input.campaign.columns;
    if (columns.empty()) {
        for (const auto& [name, value] : values) {
            columns.push_back(name);
        }
    }
    std::vector<std::string> by_column(columns.size());
    auto number = example_number;
    for (const auto& [name, value] : values) {
        if (const auto column = find_column(columns, name)) {
            by_column[*column] = value;
        }
        if (column_key(name) == "number") {
            number = model::PhoneNumber::parse(trim_blanks(value)).value_or(number);
        }
    }
    return preview_of(input, columns, number, by_column);
}

Problem too_long(std::size_t characters, std::size_t characters_max) {
    return {.code = "text_too_long",
            .detail = fmt::format("a text has {} characters, and the devices send at most {}",
                                  characters, characters_max)};
}

}  // namespace merpati::campaign
