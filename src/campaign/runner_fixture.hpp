// A CampaignWorld that a test may start again, with an account and its device.
#pragma once

#include <algorithm>
#include <memory>
#include <string>

#include "campaign/campaign_fixture.hpp"
#include "testing/temporary_folder.hpp"

namespace merpati::campaign {

struct RunnerTest : ::testing::Test {
    RunnerTest() { begin(); }

    void begin() {
        world = std::make_unique<CampaignWorld>("sqlite:" + folder.file("merpati.db"), clock);
    }
    /// Ends the process and starts it again.
    void restart() {
        world.reset();
        begin();
    }
    void add_account_and_device(Millis gap = Millis{0}) {
        account = world->add_account();
        device = world->add_device(account, gap);
    }
    [[nodiscard]] std::int64_t pending(model::CampaignId id) const {
        return world->count(id, model::RecipientState::pending);
    }
    [[nodiscard]] std::int64_t queued(model::CampaignId id) const {
        return world->count(id, model::RecipientState::queued);
    }
    [[nodiscard]] std::int64_t sent(model::CampaignId id) const {
        return world->count(id, model::RecipientState::sent);
    }
    /// How many messages each of two campaigns has sent, by the first digits of its recipients.
    [[nodiscard]] std::size_t sent_after(std::int64_t first) const {
        const auto all = world->platform->recipients();
        return static_cast<std::size_t>(std::ranges::count_if(all, [first](const auto& number) {
            return std::stoll(number) > 6281000000000 + first;
        }));
    }

    testing::TemporaryFolder folder;
    testing::ManualClock clock;
    std::unique_ptr<CampaignWorld> world;
    model::AccountId account;
    model::PhoneNumber device;
};

}  // namespace merpati::campaign
