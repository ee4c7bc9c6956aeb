#include "devices/notices.hpp"

#include <gtest/gtest.h>

#include "testing/fixed_random.hpp"
#include "testing/manual_clock.hpp"

namespace merpati::devices {
namespace {

using model::DeviceState;
using model::MessageState;

struct NoticesTest : ::testing::Test {
    testing::ManualClock clock;
    QueueClock queue_clock{clock};
    testing::FixedRandom random;
    UuidSource ids{clock, random};
    Notices notices{queue_clock, ids};
    model::Message message{.id = ids.next(),
                           .account = {.value = 7},
                           .device = *model::PhoneNumber::parse("6281100000001"),
                           .recipient = "6281234567890",
                           .callback_url = "https://toko.example.com/status"};
    model::Device device{.number = message.device,
                         .account = {.value = 7},
                         .webhook_url = "https://toko.example.com/device"};
};

TEST_F(NoticesTest, TheEndOfAMessageIsToldToItsCallback) {
    const auto callback =
        notices.of_end(message, {.state = MessageState::cancelled, .finished_at = clock.now()});
    ASSERT_TRUE(callback);
    EXPECT_EQ(callback->kind, model::CallbackKind::message_status);
    EXPECT_EQ(callback->message, message.id);
    EXPECT_EQ(callback->account, message.account);
    EXPECT_EQ(callback->url, message.callback_url);
    EXPECT_NE(callback->body.find(message.id.text()), std::string::npos) << callback->body;
}

TEST_F(NoticesTest, NobodyIsToldOfAHeldMessageOrWhereNoCallbackWasAskedFor) {
    EXPECT_FALSE(notices.of_end(message, {.state = MessageState::held}));
    message.callback_url.clear();
    EXPECT_FALSE(notices.of_end(message, {.state = MessageState::failed}));
}

TEST_F(NoticesTest, AWebhookHearsThatItsDeviceIsUpOrDown) {
    const std::pair<DeviceState, const char*> states[] = {
        {DeviceState::connected, R"("event":"device.connected")"},
        {DeviceState::disconnected, R"("event":"device.disconnected")"},
        {DeviceState::banned, R"("data":{"state":"banned","reason":"why \"so\""})"},
    };
    for (const auto& [state, words] : states) {
        device.state = state;
        const auto callback = notices.of_state(device, "why \"so\"");
        ASSERT_TRUE(callback) << words;
        EXPECT_EQ(callback->kind, model::CallbackKind::device_event);
        EXPECT_EQ(callback->url, device.webhook_url);
        EXPECT_NE(callback->body.find(words), std::string::npos) << callback->body;
    }
}

TEST_F(NoticesTest, PairingAndDevicesWithoutAWebhookAreNoEvent) {
    device.state = DeviceState::pairing;
    EXPECT_FALSE(notices.of_state(device, {}));
    device.state = DeviceState::connected;
    device.webhook_url.clear();
    EXPECT_FALSE(notices.of_state(device, {}));
}

}  // namespace
}  // namespace merpati::devices
