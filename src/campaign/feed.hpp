// The rows of one running campaign, on their way to the lanes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "base/queue_clock.hpp"
#include "base/uuid.hpp"
#include "campaign/open_campaigns.hpp"
#include "campaign/pace.hpp"
#include "campaign/text/campaign_text.hpp"
#include "store/campaigns.hpp"

namespace merpati::campaign {

/// How many rows each device of a campaign may take now.
using FreePlaces = std::map<model::PhoneNumber, std::size_t>;

/// Chooses a campaign's next rows, and makes their messages.
///
/// Operation: rows are taken in their order. A recipient keeps its sender: the device of the row,
/// or the one that last sent to this number, if the plan names it; others get the device with the
/// most room. A row whose sender has no room is set aside, so that it does not hold up the rows
/// behind it, and goes before them when there is room.
///
/// Memory: compiled texts and the rows that are set aside; `rest` frees both.
///
/// Limits: a batch has the rows that are asked for, or as many as are made in `time_max`;
/// `aside_max` rows are set aside.
///
/// Threads: one.
class Feed {
public:
    struct Rooms {
        const QueueClock& clock;
        UuidSource& ids;
        /// The address by which a recipient opts out.
        std::function<std::string(model::AccountId, model::PhoneNumber, model::CampaignId)>
            opt_out_url;
    };
    static constexpr std::size_t aside_max = 1'024;
    static constexpr Millis time_max{4};

    explicit Feed(const Rooms& rooms) : rooms_(rooms) {}

    /// The next rows; none: nothing can be queued before something changes. `callback`: of the
    /// account. `rows_max`: how many at most. Takes the rows' places from `places`. Errors: of
    /// CampaignReader.
    [[nodiscard]] Result<store::PlannedRows> next(const model::Campaign& campaign,
                                                  store::CampaignReader& reader, Spacing spacing,
                                                  Timestamp due_max, std::string_view callback,
                                                  FreePlaces& places, std::size_t rows_max);

    /// Rows may be pending again that were passed before: begins with the first one.
    void begin_anew();
    /// The same if it has passed all rows, and more are pending than it has set aside.
    void look_again(const model::Campaign& campaign);
    /// The campaign does not send for some time.
    void rest();

private:
    struct Batch;
    [[nodiscard]] Result<void> take_aside(Batch& batch);
    [[nodiscard]] Result<void> scan(Batch& batch);
    [[nodiscard]] Result<void> take(Batch& batch, const model::Recipient& recipient);
    [[nodiscard]] Result<std::optional<model::PhoneNumber>> sender_of(
        Batch& batch, const model::Recipient& recipient) const;
    [[nodiscard]] store::PlannedRow plan(Batch& batch, const model::Recipient& recipient,
                                         model::PhoneNumber device) const;
    [[nodiscard]] bool is_full(const Batch& batch) const;

    const Rooms& rooms_;
    std::unique_ptr<const CampaignText> text_;
    std::uint32_t passed_to_ = 0;  // The last row that was looked at.
    bool at_end_ = false;          // No pending row came after it.
    std::map<std::uint32_t, model::PhoneNumber> aside_;
};

}  // namespace merpati::campaign
