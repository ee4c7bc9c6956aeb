// The campaigns' control of a running server.
#pragma once

#include <functional>

#include "base/queue_clock.hpp"
#include "base/uuid.hpp"
#include "campaign/control.hpp"
#include "campaign/open_campaigns.hpp"
#include "scheduler/scheduler.hpp"
#include "store/committer.hpp"

namespace merpati::campaign {

/// Threads: as Control. Its calls wait with deadlines.
class RunningControl final : public Control {
public:
    struct Means {
        const QueueClock& clock;
        UuidSource& ids;
        store::Committer& committer;
        scheduler::Scheduler& scheduler;
        media::MediaFetcher& media_fetcher;
        OpenCampaigns& open;
        /// The account's address for callbacks.
        std::function<std::string(model::AccountId)> callback_of;
        /// Called for each message that was stored, on the committer's thread.
        std::function<void(const model::Message&)> on_accepted{};
        /// Asks the device's platform (connector::Connector::find_template).
        std::function<void(const model::Device&, std::string name, std::string language,
                           connector::Connector::TemplateFound)>
            find_template{};
    };
    explicit RunningControl(Means means) : means_(std::move(means)) {}

    bool wait_until_withdrawn(model::CampaignId id) override {
        return means_.open.wait_until_withdrawn(id, withdrawal_patience);
    }
    [[nodiscard]] std::optional<media::ProbeVerdict> probe_media(model::AccountId account,
                                                                 std::string url) override;
    [[nodiscard]] Result<std::optional<connector::MessageTemplate>> find_template(
        const model::Device& device, const model::CampaignTemplate& wanted) override;
    [[nodiscard]] std::optional<Speed> speed_of(model::CampaignId id) override {
        return means_.open.speed_of(id);
    }
    [[nodiscard]] Result<std::vector<model::MessageId>> send_tests(
        const model::Campaign& campaign, const std::vector<TestSend>& tests) override;

private:
    [[nodiscard]] std::unique_ptr<model::Message> message_of(const model::Campaign& campaign,
                                                             const TestSend& test) const;
    [[nodiscard]] Result<model::MessageId> send(std::unique_ptr<model::Message> message);

    const Means means_;
};

}  // namespace merpati::campaign
