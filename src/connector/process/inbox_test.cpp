// A worker's requests that wait for an answer: a share for each account, and for each device.
#include "connector/process/inbox.hpp"

#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "testing/manual_clock.hpp"

namespace merpati::connector::process {
namespace {

/// Never says that anything is durable.
class Unanswered final : public ConnectorEvents {
public:
    std::map<model::PhoneNumber, int> taken;

    void outcome(const model::MessageId&, model::PhoneNumber, model::Outcome) override {}
    void device_state(model::PhoneNumber, model::DeviceState, std::string, Stored) override {}
    void pairing(model::PhoneNumber, PairingStep) override {}
    void late_status(LateStatus, Stored) override {}
    void inbound(InboundMessage message, Stored stored) override {
        ++taken[message.device];
        waiting.push_back(std::move(stored));
    }
    void capabilities_changed() override {}

private:
    std::vector<Stored> waiting;
};

class NoSecrets final : public DeviceSecrets {
public:
    void get(model::PhoneNumber, std::vector<std::string>, Got) override {}
    void put(model::PhoneNumber, Values, Others, ConnectorEvents::Stored) override {}
};

struct InboxTest : ::testing::Test {
    InboxTest() { devices.begin(events); }

    /// A device of the account, whose worker sends so many messages; how many were taken.
    int flood(std::int64_t account, std::int64_t device, int messages) {
        const auto number = model::PhoneNumber::from_stored(6281100000000 + device);
        model::Device record;
        record.number = number;
        record.account = {.value = account};
        devices.start(record, {});
        for (int count = 0; count < messages; ++count) {
            const auto line =
                fmt::format(R"({{"id":{},"op":"message.in","device":"{}","platform_id":"in-{}",)"
                            R"("from":"6281234567890","type":"text","text":"halo"}})",
                            ++last_id, number.text(), last_id);
            inbox->take(*parse_frame(line));
        }
        return events.taken[number];
    }

    testing::ManualClock clock;
    outbound::EventThread thread{"inbox-test"};
    Unanswered events;
    NoSecrets secrets;
    Devices devices{clock};
    LineLimit lines{clock, telemetry::Log::none()};
    int last_id = 0;
    std::shared_ptr<Inbox> inbox = std::make_shared<Inbox>(Inbox::Rooms{.clock = clock,
                                                                        .thread = thread,
                                                                        .events = events,
                                                                        .secrets = secrets,
                                                                        .devices = devices,
                                                                        .lines = lines,
                                                                        .worker = {},
                                                                        .on_capabilities = {}});
};

TEST_F(InboxTest, AnAccountWithManyDevicesThatFloodKeepsOutNoOther) {
    int taken = 0;
    for (int device = 1; device <= 30; ++device) {
        taken += flood(1, device, 100);
    }
    EXPECT_EQ(taken, requests_max / 2);
    for (int account = 2; account <= 4; ++account) {
        EXPECT_EQ(flood(account, 100 + account, 40), 40);
    }
}

TEST_F(InboxTest, ADeviceThatFloodsKeepsOutNoOtherOfItsAccount) {
    EXPECT_EQ(flood(1, 1, 1'000), requests_per_device_max);
    EXPECT_EQ(flood(1, 2, 40), 40);
}

}  // namespace
}  // namespace merpati::connector::process
