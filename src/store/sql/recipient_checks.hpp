// Checks whether a campaign may reach a number, and finds what the account sent to it before.
#pragma once

#include <optional>

#include "model/campaign.hpp"
#include "store/sql/connection.hpp"

namespace merpati::store::sql {

/// Limits: of a number's rows, those of the account's `campaigns_looked_at` newest campaigns that
/// have the number are looked at.
///
/// Threads: those of its connection. Throws Failure.
class RecipientChecks {
public:
    static constexpr std::size_t campaigns_looked_at = 500;

    explicit RecipientChecks(Connection& connection);

    /// Why the campaign must not send to the number now; none: it may. Suppression comes first,
    /// then exclusion and frequency.
    [[nodiscard]] model::SkipReason check(const model::Campaign& campaign,
                                          model::PhoneNumber number, Timestamp at);
    [[nodiscard]] bool is_suppressed(model::AccountId account, model::PhoneNumber number);

    /// Whether the audience, staged rows included, has the number.
    [[nodiscard]] bool has(const model::Campaign& campaign, model::PhoneNumber number);

    /// What a campaign of the account last sent to the number.
    struct LastSend {
        model::CampaignId campaign;
        model::PhoneNumber device;
    };
    [[nodiscard]] std::optional<LastSend> last_send(model::AccountId account,
                                                    model::PhoneNumber number);

private:
    [[nodiscard]] bool is_excluded(const model::Campaign& campaign, model::PhoneNumber number,
                                   Timestamp at);
    [[nodiscard]] bool is_too_frequent(const model::Campaign& campaign, model::PhoneNumber number,
                                       Timestamp at);

    Statement suppressed_;
    Statement row_of_campaign_;
    Statement sent_since_;
    Statement rows_;
};

}  // namespace merpati::store::sql
