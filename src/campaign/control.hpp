// What the operations of campaigns ask of a running server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "admission/principal.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "connector/connector.hpp"
#include "media/media_fetcher.hpp"
#include "model/campaign.hpp"
#include "model/device.hpp"
#include "model/message.hpp"
#include "store/records.hpp"

namespace merpati::campaign {

/// How fast a running campaign is now, and when it will have sent everything at that rate.
struct Speed {
    double per_minute = 0;
    std::optional<Timestamp> ends_at;  // By the wall clock; empty: unknown.
};

/// A message that tries a campaign.
struct TestSend {
    model::PhoneNumber to;
    model::PhoneNumber from;
    std::string text;
    std::string media_url;  // Empty: no media.
    /// In place of a text; null: none.
    std::shared_ptr<const model::FilledTemplate> filled_template{};
    /// The key of the call, if the test is the first thing that it stores: in the same commit.
    std::optional<store::IdempotencyRecord> key{};
};

/// Changes of campaigns (campaign/acts.hpp) are seen by the running server at their commit; this is
/// for what needs more than the store. A stopped server's store has `StoppedControl`.
///
/// Threads: any, except the committer's and the scheduler's.
class Control {
public:
    virtual ~Control() = default;

    /// Waits until no message of a campaign that was paused or cancelled waits in a lane: then only
    /// sends that are under way are left. False: some still wait after `withdrawal_patience`.
    virtual bool wait_until_withdrawn(model::CampaignId id) = 0;
    static constexpr Millis withdrawal_patience{5'000};

    /// What a probe of the address says, as when a message is accepted. Waits for it. Empty: there
    /// is nobody to ask.
    [[nodiscard]] virtual std::optional<media::ProbeVerdict> probe_media(model::AccountId account,
                                                                         std::string url) = 0;

    /// The template in the business account of the device, as its platform has it now; empty: there
    /// is none. Waits for the platform. Errors: of connector::Connector::find_template, and
    /// conflict if there is nobody to ask.
    [[nodiscard]] virtual Result<std::optional<connector::MessageTemplate>> find_template(
        const model::Device& device, const model::CampaignTemplate& wanted) = 0;

    /// Empty: it does not run, or nothing is known yet.
    [[nodiscard]] virtual std::optional<Speed> speed_of(model::CampaignId id) = 0;

    /// Sends a message outside the campaign's counts (model::Message::test). It is charged, and
    /// takes the way of API messages (intake::Intake) for the caller. Errors: refused (too little
    /// credit), conflict (the sender is not the account's, its validity is over, the key was used
    /// meanwhile, or there is no running server), forbidden (the caller may not send any more),
    /// elsewhere (another node works for the account now), busy, timeout (not stored in time; it
    /// may still be sent).
    [[nodiscard]] virtual Result<model::MessageId> send_test(
        const model::Campaign& campaign, const TestSend& test,
        const admission::Principal& caller) = 0;
    static constexpr std::size_t tests_max = 10;
};

/// Of a stopped server's store.
class StoppedControl final : public Control {
public:
    bool wait_until_withdrawn(model::CampaignId /*id*/) override { return true; }
    [[nodiscard]] std::optional<media::ProbeVerdict> probe_media(model::AccountId /*account*/,
                                                                 std::string /*url*/) override {
        return std::nullopt;
    }
    [[nodiscard]] Result<std::optional<connector::MessageTemplate>> find_template(
        const model::Device& /*device*/, const model::CampaignTemplate& /*wanted*/) override {
        return fail(ErrorCode::conflict, "the server is stopped: it asks nobody");
    }
    [[nodiscard]] std::optional<Speed> speed_of(model::CampaignId /*id*/) override {
        return std::nullopt;
    }
    [[nodiscard]] Result<model::MessageId> send_test(
        const model::Campaign& /*campaign*/, const TestSend& /*test*/,
        const admission::Principal& /*caller*/) override {
        return fail(ErrorCode::conflict, "the server is stopped: it sends nothing");
    }
};

}  // namespace merpati::campaign
