// Publishes what happens in an account to the event streams that watch it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "admission/directory.hpp"
#include "api/events/event_hub.hpp"
#include "campaign/open_campaigns.hpp"
#include "connector/connector.hpp"
#include "devices/late_statuses.hpp"
#include "model/message.hpp"
#include "model/outcome.hpp"
#include "store/reader_pool.hpp"
#include "store/write_batch.hpp"

namespace merpati::daemon {

/// Makes events from the reports of the rooms. While no account is watched, most calls cost one
/// atomic read.
///
/// Threads: any; `row_changed` on the committer's thread, before the directories apply the change;
/// `credit_of`, and what events are made of, on the hub's.
class Publisher {
public:
    Publisher(api::EventHub& hub, const admission::Directory& directory,
              const campaign::OpenCampaigns& campaigns, store::ReaderPool& readers)
        : hub_(hub), directory_(directory), campaigns_(campaigns), readers_(readers) {}

    /// Makes `message.updated`, and `account.credit` if the message was charged.
    void message(const model::Message& message, model::MessageState state);
    /// Makes `message.updated` for a message that was delivered or read after its end.
    [[nodiscard]] std::function<void(const devices::LateStatuses::Progressed&)> progress_listener();
    /// Makes `callback.attempt`.
    [[nodiscard]] std::function<void(const store::QueuedCallback&)> attempt_listener();
    /// Makes `device.qr`, without the step's payload.
    [[nodiscard]] std::function<void(const model::Device&, const connector::PairingStep&)>
    pairing_listener();
    /// Makes `campaign.progress`.
    void campaign_progress(const model::Campaign& campaign);
    /// Makes `device.state`, `campaign.state` and `account.credit`.
    void row_changed(const store::RowChange& change);

    /// The account's credit in the store; empty: it has none, or it cannot be read.
    [[nodiscard]] std::optional<std::int64_t> credit_of(model::AccountId account);

private:
    [[nodiscard]] model::MessageState state_of(const model::MessageId& message);
    void callback_attempt(const store::QueuedCallback& attempted);
    void pairing_step(const model::Device& device, const connector::PairingStep& step);
    void device_state(const model::Device& device, std::string_view state);
    void campaign_written(const model::Campaign& campaign);

    api::EventHub& hub_;
    const admission::Directory& directory_;
    const campaign::OpenCampaigns& campaigns_;
    store::ReaderPool& readers_;
};

}  // namespace merpati::daemon
