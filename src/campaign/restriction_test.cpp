// Campaigns whose devices were restricted by their platform.
#include "campaign/runner_fixture.hpp"

namespace merpati::campaign {
namespace {

using namespace std::chrono_literals;
using model::DeviceState;

struct RestrictionTest : RunnerTest {
    /// A campaign that is paused because its device is restricted for a minute.
    void restrict_one() {
        add_account_and_device(3s);
        id = world->add_campaign(account, {device}, 50);
        ASSERT_TRUE(world->start_campaign(id));
        world->settle();
        until = clock.now() + 1min;
        world->set_device_state(device, DeviceState::restricted, until);
        world->settle();
        ASSERT_EQ(world->state(id), "paused restricted");
    }

    model::CampaignId id;
    Timestamp until;
};

TEST_F(RestrictionTest, ItGoesOnByItselfAtTheEnd) {
    restrict_one();
    world->advance(59s);
    EXPECT_EQ(world->state(id), "paused restricted");
    world->advance(2s);
    EXPECT_EQ(world->state(id), "paused restricted") << "its device may not write yet";
    world->set_device_state(device, DeviceState::connected);
    world->advance(1s);
    EXPECT_EQ(world->state(id), "running");
    EXPECT_EQ(world->campaign(id).until, std::nullopt);
    world->advance_by_seconds(180);
    EXPECT_EQ(world->state(id), "finished");
    EXPECT_EQ(sent(id), 50);
}

TEST_F(RestrictionTest, ItGoesOnAfterARestartToo) {
    restrict_one();
    restart();
    world->set_device_state(device, DeviceState::connected);
    world->advance(61s);
    EXPECT_EQ(world->state(id), "running");
}

TEST_F(RestrictionTest, APauseByAPersonKeepsIt) {
    restrict_one();
    const auto paused = world->pause_campaign(id);
    ASSERT_TRUE(paused);
    EXPECT_EQ(paused->until, std::nullopt);
    world->set_device_state(device, DeviceState::connected);
    world->advance(120s);
    EXPECT_EQ(world->state(id), "paused asked");
}

TEST_F(RestrictionTest, ALongerOneIsWaitedFor) {
    restrict_one();
    const auto later = until + 1h;
    world->set_device_state(device, DeviceState::restricted, later);
    world->advance(61s);
    EXPECT_EQ(world->state(id), "paused restricted");
    EXPECT_EQ(world->campaign(id).until, later);
    EXPECT_EQ(world->notices(account).size(), 2U) << "it was told of once";
}

TEST_F(RestrictionTest, ADeviceThatIsLostMeanwhileKeepsItPaused) {
    restrict_one();
    world->set_device_state(device, DeviceState::logged_out);
    world->advance(61s);
    EXPECT_EQ(world->state(id), "paused disconnected");
}

}  // namespace
}  // namespace merpati::campaign
