#include "campaign/audience_check.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "admission/checks.hpp"

namespace merpati::campaign {
namespace {

constexpr std::size_t countries_shown_max = 5;

}  // namespace

AudienceCheck::AudienceCheck(Input input)
    : input_(std::move(input)),
      texts_are_sound_(std::ranges::none_of(input_.content.problems(),
                                            [](const Problem& problem) {
                                                return problem.code == "no_message" ||
                                                       problem.code == "unknown_column" ||
                                                       problem.code == "template";
                                            })),
      media_(input_.policy, input_.probe) {}

Result<bool> AudienceCheck::step(store::CampaignReader& reader) {
    if (probes_next()) {
        media_.probe_some();
        return all_read_ && !media_.has_waiting();
    }
    const auto rows = reader.pending_rows(input_.campaign.id, last_row_, rows_max);
    if (!rows) {
        return pass(rows);
    }
    for (const auto& row : *rows) {
        if (auto judged = judge(row, reader); !judged) {
            return pass(judged);
        }
        last_row_ = row.row;
    }
    all_read_ = rows->size() < rows_max;
    return all_read_ && !media_.has_waiting();
}

Result<void> AudienceCheck::judge(const model::Recipient& recipient,
                                  store::CampaignReader& reader) {
    if (!recipient.number) {
        return {};
    }
    const auto skip = reader.check_recipient(input_.campaign, *recipient.number, input_.now);
    if (!skip) {
        return pass(skip);
    }
    if (*skip != model::SkipReason::none) {
        return {};
    }
    if (texts_are_sound_) {
        const auto rendered = input_.content.render({.campaign = input_.campaign.id,
                                                     .number = *recipient.number,
                                                     .values = recipient.values,
                                                     .optout_url = input_.example_url});
        if (rendered.has_empty_value) {
            empty_.add(recipient.row);
            return {};
        }
        if (rendered.characters > input_.characters_max) {
            too_long_characters_ = too_long_.rows == 0 ? rendered.characters : too_long_characters_;
            too_long_.add(recipient.row);
        }
        if (!rendered.media_url.empty()) {
            media_.add(rendered.media_url);
        }
    }
    ++recipients_;
    ++countries_[admission::country_code_of(recipient.number->text())];
    return {};
}

std::vector<Problem> AudienceCheck::problems() {
    std::vector<Problem> found;
    if (recipients_ == 0) {
        found.push_back({.code = "no_recipients",
                         .detail = input_.campaign.counts.total() == 0
                                       ? "the campaign has no recipients yet"
                                       : "no recipient would get a message"});
    }
    if (too_long_.rows > 0) {
        found.push_back({.code = "text_too_long",
                         .detail = fmt::format(
                             "the text of row {} has {} characters, and the devices send at "
                             "most {}",
                             too_long_.first_row, too_long_characters_, input_.characters_max),
                         .count = too_long_.rows});
    }
    std::ranges::move(media_.finish(), std::back_inserter(found));
    if (empty_.rows > 0) {
        found.push_back(
            {.code = "empty_value",
             .detail = fmt::format("rows without a value for a placeholder that has no fallback "
                                   "are left out; the first is row {}",
                                   empty_.first_row),
             .count = empty_.rows,
             .blocking = false});
    }
    if (auto others = foreign()) {
        found.push_back(*std::move(others));
    }
    return found;
}

std::optional<Problem> AudienceCheck::foreign() const {
    if (countries_.size() < 2) {
        return std::nullopt;
    }
    std::vector<std::pair<unsigned, std::int64_t>> sorted{countries_.begin(), countries_.end()};
    // The most first, then by code.
    std::ranges::sort(sorted, {},
                      [](const auto& entry) { return std::pair{-entry.second, entry.first}; });
    std::string others;
    for (std::size_t place = 1; place < std::min(sorted.size(), countries_shown_max + 1); ++place) {
        others += others.empty() ? "" : ", ";
        others += fmt::format("{} ({})", sorted[place].first, sorted[place].second);
    }
    others += sorted.size() > countries_shown_max + 1 ? ", …" : "";
    return Problem{.code = "foreign",
                   .detail = fmt::format("most numbers begin with {}, but some with {}: a "
                                         "spreadsheet may have removed their leading zeros",
                                         sorted.front().first, others),
                   .count = recipients_ - sorted.front().second,
                   .blocking = false};
}

}  // namespace merpati::campaign
