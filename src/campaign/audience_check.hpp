// What the recipients of a campaign would get.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "campaign/media_check.hpp"
#include "campaign/problem.hpp"
#include "campaign/text/campaign_text.hpp"
#include "model/campaign.hpp"
#include "store/campaigns.hpp"

namespace merpati::campaign {

/// Reads a campaign's pending rows and judges the messages that they would get now.
///
/// Operation: `step` until it is complete, then the rest. If the texts themselves have a problem,
/// rows are counted as if their texts had none.
class AudienceCheck {
public:
    struct Input {
        const model::Campaign& campaign;
        const CampaignText& content;
        std::size_t characters_max;  // Of a text.
        const outbound::AddressPolicy& policy;
        const MediaProbe& probe;
        std::string example_url;  // As long as each recipient's link to opt out.
        Timestamp now;            // By the wall clock.
    };
    explicit AudienceCheck(Input input);

    /// Rows in memory at once.
    static constexpr std::size_t rows_max = 1'000;

    /// Whether the next step asks hosts for files. It may then take as long as MediaProbe lets it.
    [[nodiscard]] bool probes_next() const noexcept {
        return media_.has_step() || (all_read_ && media_.has_waiting());
    }
    /// Judges some rows, or probes some files. Returns whether that was the last step. Errors:
    /// those of store::Reader.
    [[nodiscard]] Result<bool> step(store::CampaignReader& reader);

    /// Rows that would get a message.
    [[nodiscard]] std::int64_t recipients() const noexcept { return recipients_; }

    /// no_recipients, text_too_long, media, media_unchecked, empty_value, foreign.
    [[nodiscard]] std::vector<Problem> problems();

private:
    /// Rows with the same fault.
    struct Faulty {
        std::int64_t rows = 0;
        std::uint32_t first_row = 0;

        void add(std::uint32_t row) { first_row = rows++ == 0 ? row : first_row; }
    };

    [[nodiscard]] Result<void> judge(const model::Recipient& recipient,
                                     store::CampaignReader& reader);
    [[nodiscard]] std::optional<Problem> foreign() const;

    const Input input_;
    const bool texts_are_sound_;
    MediaCheck media_;
    std::uint32_t last_row_ = 0;  // That was judged.
    bool all_read_ = false;
    std::int64_t recipients_ = 0;
    Faulty empty_;
    Faulty too_long_;
    std::size_t too_long_characters_ = 0;         // Of the first one.
    std::map<unsigned, std::int64_t> countries_;  // Recipients by country code; 0: no such code.
};

}  // namespace merpati::campaign
