// A worker's requests in flight: a share for each account, a limit for each device.
#include "connector/process/inbox.hpp"

#include <future>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "testing/manual_clock.hpp"

namespace merpati::connector::process {
namespace {

/// Never answers that a report is durable.
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

/// Answers when the test says so.
class SlowSecrets final : public DeviceSecrets {
public:
    std::vector<std::pair<model::PhoneNumber, Got>> asked;

    void get(model::PhoneNumber device, std::vector<std::string>, Got got) override {
        asked.emplace_back(device, std::move(got));
    }
    void put(model::PhoneNumber, Values, Others, ConnectorEvents::Stored) override {}
};

struct InboxTest : ::testing::Test {
    InboxTest() { devices.begin(events); }

    /// Starts a device whose worker sends `messages` messages; returns how many were taken.
    int flood(std::int64_t account, std::int64_t device, int messages, std::size_t bytes = 4) {
        const auto number = start(account, device);
        const std::string text(bytes, 'a');
        for (int count = 0; count < messages; ++count) {
            const auto line =
                fmt::format(R"({{"id":{},"op":"message.in","device":"{}","platform_id":"in-{}",)"
                            R"("from":"6281234567890","type":"text","text":"{}"}})",
                            ++last_id, number.text(), last_id, text);
            inbox->take(*parse_frame(line));
        }
        return events.taken[number];
    }

    model::PhoneNumber start(std::int64_t account, std::int64_t device) {
        const auto number = model::PhoneNumber::from_stored(6281100000000 + device);
        model::Device record;
        record.number = number;
        record.account = {.value = account};
        devices.start(record, {});
        return number;
    }
    /// The worker asks `times` times for secrets of the device.
    void read(model::PhoneNumber device, int times) {
        for (int count = 0; count < times; ++count) {
            inbox->take(*parse_frame(
                fmt::format(R"({{"id":{},"op":"store.get","device":"{}","names":["creds"]}})",
                            ++last_id, device.text())));
        }
    }

    testing::ManualClock clock;
    outbound::EventThread thread{"inbox-test"};
    Unanswered events;
    SlowSecrets secrets;
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

TEST_F(InboxTest, AnAccountWhoseRequestsAreLongKeepsOutNoOther) {
    constexpr std::size_t bytes = 200'000;
    std::size_t taken = 0;
    for (int device = 1; device <= 10; ++device) {
        taken += static_cast<std::size_t>(flood(1, device, 10, bytes));
    }
    EXPECT_LE(taken * bytes, Worker::held_bytes_max / 2 + bytes);
    for (int account = 2; account <= 4; ++account) {
        EXPECT_GE(flood(account, 100 + account, 2, bytes), 2);
    }
}

TEST_F(InboxTest, AnAccountThatReadsMuchDelaysNoOther) {
    const auto greedy = start(1, 1);
    const auto other = start(2, 2);
    read(greedy, 50);
    const auto share = secrets.asked.size();
    EXPECT_EQ(share, Worker::held_bytes_max / 2 / DeviceSecrets::get_bytes_max);
    read(other, 2);
    ASSERT_EQ(secrets.asked.size(), share + 2);
    EXPECT_EQ(secrets.asked.back().first, other);
}

TEST_F(InboxTest, WhatWaitsToBeReadIsReadWhenThereIsRoom) {
    thread.start();
    const auto device = start(1, 1);
    std::size_t answered = 0;
    read(device, 20);
    while (answered < secrets.asked.size()) {
        auto got = std::move(secrets.asked[answered++].second);
        got(DeviceSecrets::Values{});
        std::promise<void> finished;
        ASSERT_TRUE(thread.post([&] { finished.set_value(); }));
        finished.get_future().wait();
    }
    EXPECT_EQ(answered, 20);
    thread.stop({});
}

}  // namespace
}  // namespace merpati::connector::process
