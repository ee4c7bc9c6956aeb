// The campaigns' control of a running server.
#pragma once

#include <functional>

#include "campaign/control.hpp"
#include "campaign/open_campaigns.hpp"
#include "intake/intake.hpp"

namespace merpati::campaign {

/// Threads: as Control. Its calls wait with deadlines.
class RunningControl final : public Control {
public:
    struct Rooms {
        intake::Intake& intake;
        media::MediaFetcher& media_fetcher;
        OpenCampaigns& open;
        /// The account's address for callbacks.
        std::function<std::string(model::AccountId)> callback_of;
        /// Asks the device's platform (connector::Connector::find_template).
        std::function<void(const model::Device&, std::string name, std::string language,
                           connector::Connector::TemplateFound)>
            find_template{};
    };
    explicit RunningControl(Rooms rooms) : rooms_(std::move(rooms)) {}

    bool wait_until_withdrawn(model::CampaignId id) override {
        return rooms_.open.wait_until_withdrawn(id, withdrawal_patience);
    }
    [[nodiscard]] std::optional<media::ProbeVerdict> probe_media(model::AccountId account,
                                                                 std::string url) override;
    [[nodiscard]] Result<std::optional<connector::MessageTemplate>> find_template(
        const model::Device& device, const model::CampaignTemplate& wanted) override;
    [[nodiscard]] std::optional<Speed> speed_of(model::CampaignId id) override {
        return rooms_.open.speed_of(id);
    }
    [[nodiscard]] Result<model::MessageId> send_test(const model::Campaign& campaign,
                                                     const TestSend& test,
                                                     const admission::Principal& caller) override;

private:
    [[nodiscard]] std::unique_ptr<model::Message> message_of(const model::Campaign& campaign,
                                                             const TestSend& test) const;

    const Rooms rooms_;
};

}  // namespace merpati::campaign
