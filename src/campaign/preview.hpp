// What the messages of a campaign look like.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "campaign/opt_out_links.hpp"
#include "campaign/problem.hpp"
#include "connector/connector.hpp"
#include "model/campaign.hpp"
#include "model/ids.hpp"
#include "model/message.hpp"
#include "outbound/address_policy.hpp"

namespace merpati::campaign {

/// The recipient of a preview whose values have no number.
inline constexpr auto example_number = model::PhoneNumber::from_stored(6'281'234'567'890);

struct PreviewInput {
    const model::Campaign& campaign;
    std::size_t characters_max = 4096;  // check.hpp, text_characters_max
    const OptOutLinks& links;
    const outbound::AddressPolicy& policy;
    /// Of a plan with a template: the platform's, if it is known, and what TemplateCheck found.
    std::optional<connector::MessageTemplate> used_template{};
    std::vector<Problem> template_problems{};
};

/// One recipient's message, as it will be sent.
struct Preview {
    std::string text;
    std::uint32_t variant = 0;  // 1-based; 0: the campaign has no variants.
    std::string media;          // Empty: none.
    std::size_t characters = 0;
    /// The campaign's template, filled; null: it has none.
    std::shared_ptr<const model::FilledTemplate> filled_template{};
    /// What its recipient reads; empty: the campaign has no template, or the platform does not give
    /// it.
    std::optional<model::SentTemplate> sent_as{};
    /// Of the texts, and of this message: `text_too_long`, `media` (of the address' form alone),
    /// `empty_value`.
    std::vector<Problem> problems;
};

/// Of a row of the audience. A row without a number is shown with the example's.
[[nodiscard]] Preview preview(const PreviewInput& input, const model::Recipient& row);

/// Of values by the names of their columns. Names that the audience lacks are ignored; of a
/// campaign without an audience, they are the columns. A value `number` that is a number is the
/// recipient's.
[[nodiscard]] Preview preview(const PreviewInput& input,
                              std::span<const std::pair<std::string, std::string>> values);

/// The problem of a text with too many characters.
[[nodiscard]] Problem too_long(std::size_t characters, std::size_t characters_max);

}  // namespace merpati::campaign
