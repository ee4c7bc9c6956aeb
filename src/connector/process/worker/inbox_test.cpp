// A worker's requests in flight: a share for each account, a limit for each device.
#include "connector/process/worker/inbox.hpp"

#include <future>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "testing/manual_clock.hpp"

namespace merpati::connector::process {
namespace {

/// Does not answer that a report is durable, until `answer_all`.
class Unanswered final : public ConnectorEvents {
public:
    std::map<model::PhoneNumber, int> taken;
    std::map<model::PhoneNumber, int> states;
    DeviceRef last;  // The device of the last message.

    void outcome(const model::MessageId&, model::PhoneNumber, model::Outcome) override {}
    void device_state(const DeviceRef& device, model::DeviceState, std::string, Stored) override {
        ++states[device];
    }
    void device_restricted(const DeviceRef&, Timestamp, std::string, Stored) override {}
    void pairing(const DeviceRef&, PairingStep) override {}
    void late_status(LateStatus, Stored) override {}
    void inbound(InboundMessage message, Stored stored) override {
        last = message.device;
        ++taken[message.device];
        waiting.push_back(std::move(stored));
    }
    void capabilities_changed() override {}
    /// Now they are durable.
    void answer_all() {
        for (auto& stored : std::exchange(waiting, {})) {
            stored({});
        }
    }

private:
    std::vector<Stored> waiting;
};

/// Answers when the test says so.
class SlowSecrets final : public DeviceSecrets {
public:
    std::vector<std::pair<model::PhoneNumber, Got>> asked;
    std::size_t bytes = 0;  // What all reads together may hold.
    std::size_t puts = 0;

    void get(const DeviceRef& device, std::vector<std::string>, std::size_t bytes_max,
             Got got) override {
        asked.emplace_back(device, std::move(got));
        bytes += bytes_max;
    }
    void put(const DeviceRef&, Values, Others, ConnectorEvents::Stored) override { ++puts; }
};

struct InboxTest : ::testing::Test {
    InboxTest() {
        devices.begin(events);
        devices.worker_ready([this](std::string_view, boost::json::object fields, auto done) {
            requests.push_back(std::move(fields));
            unanswered.push_back(std::move(done));
        });
    }

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

    /// Waits until all that was posted to the thread has run.
    void thread_run() {
        std::promise<void> ran;
        ASSERT_TRUE(thread.post([&] { ran.set_value(); }));
        ran.get_future().wait();
    }
    /// That of the latest `device.start`.
    std::uint64_t generation() {
        return static_cast<std::uint64_t>(requests.back().at("generation").to_number<double>());
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
    WorkerDevices devices{clock, 100};
    LineLimit lines{clock, telemetry::Log::none()};
    std::vector<boost::json::object> requests;
    std::vector<Worker::Answered> unanswered;
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

TEST_F(InboxTest, WhatCarriesAnEarlierGenerationIsNotTaken) {
    const auto number = start(1, 1);
    const auto say = [&](std::uint64_t with) {
        inbox->take(*parse_frame(fmt::format(
            R"({{"id":{},"op":"message.in","device":"{}","generation":{},"platform_id":"in-{}",)"
            R"("from":"6281234567890","type":"text","text":"halo"}})",
            ++last_id, number.text(), with, last_id)));
        return events.taken[number];
    };
    const auto one = generation();
    EXPECT_EQ(say(one), 1);
    EXPECT_EQ(say(one - 1), 1);
    EXPECT_EQ(say(one + 1), 1);
    devices.forget(number);
    (void)start(2, 1);
    EXPECT_EQ(say(one), 1) << "the number has another owner";
    EXPECT_EQ(say(generation()), 2);
    ASSERT_TRUE(events.last.identity);
    EXPECT_EQ(events.last.identity->account.value, 2);
}

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
    EXPECT_LE(taken * bytes, Inbox::report_bytes_max / 2 + bytes);
    for (int account = 2; account <= 4; ++account) {
        EXPECT_GE(flood(account, 100 + account, 2, bytes), 2);
    }
}

TEST_F(InboxTest, AnAccountThatReadsMuchDelaysNoOther) {
    const auto greedy = start(1, 1);
    const auto other = start(2, 2);
    read(greedy, 64);
    read(start(1, 3), 64);
    const auto share = secrets.asked.size();
    EXPECT_EQ(share, Inbox::read_bytes_max / 2 / Inbox::short_read_bytes);
    read(other, 2);
    ASSERT_EQ(secrets.asked.size(), share + 2);
    EXPECT_EQ(secrets.asked.back().first, other);
    EXPECT_LE(secrets.bytes, Inbox::read_bytes_max);
}

TEST_F(InboxTest, ReadsKeepOutNeitherStatesNorReportsNorValues) {
    for (int device = 1; device <= 8; ++device) {
        read(start(1, device), 60);
    }
    EXPECT_EQ(flood(1, 20, 30), 30);
    inbox->take(*parse_frame(
        fmt::format(R"({{"id":{},"op":"store.put","device":"{}","values":{{"a":null}}}})",
                    ++last_id, start(1, 21).text())));
    EXPECT_EQ(secrets.puts, 1U);
}

TEST_F(InboxTest, WhenAnAccountsReportsAreRefusedItsStatesAreTaken) {
    (void)flood(1, 1, 30, 200'000);
    EXPECT_EQ(flood(1, 2, 1, 200'000), 0) << "its share of the bytes is used up";
    const auto number = start(1, 3);
    inbox->take(*parse_frame(fmt::format(
        R"({{"id":{},"op":"device.state","device":"{}","generation":{},"state":"connected"}})",
        ++last_id, number.text(), generation())));
    EXPECT_EQ(events.states[number], 1);
}

struct RunningInboxTest : InboxTest {
    RunningInboxTest() { thread.start(); }
    ~RunningInboxTest() override { thread.stop({}); }
    /// Answers the reads so far, and waits until their answers were taken.
    void answer_reads(const Result<DeviceSecrets::Values>& with) {
        auto asked = std::exchange(secrets.asked, {});
        for (auto& [device, got] : asked) {
            got(with);
        }
        thread_run();
    }
};

TEST_F(RunningInboxTest, AFloodIsRefusedWhenItsRateIsUsedUp) {
    constexpr std::size_t bytes = 200'000;
    for (int count = 0; count < 1'000; ++count) {
        (void)flood(1, 1, 1, bytes);
        events.answer_all();
        thread_run();
    }
    const auto stored = static_cast<std::uint64_t>(events.taken[start(1, 1)]) * bytes;
    EXPECT_LE(stored, WriteBudget::device_rate * (WriteBudget::burst_seconds + 1));
    EXPECT_GE(stored, WriteBudget::device_rate * (WriteBudget::burst_seconds - 1));
    EXPECT_EQ(flood(2, 2, 1, bytes), 1);
}

TEST_F(RunningInboxTest, WhatWaitsToBeReadIsReadWhenThereIsRoom) {
    const auto device = start(1, 1);
    const auto other = start(1, 2);
    read(device, 64);
    read(other, 64);
    std::size_t answered = 0;
    while (!secrets.asked.empty()) {
        answered += secrets.asked.size();
        answer_reads(DeviceSecrets::Values{});
    }
    EXPECT_EQ(answered, 128);
}

TEST_F(RunningInboxTest, ALongReadIsReadAgainWithRoomForIt) {
    read(start(1, 1), 1);
    EXPECT_EQ(std::exchange(secrets.bytes, 0), Inbox::short_read_bytes);
    answer_reads(fail(ErrorCode::refused, "too many secrets for one read"));
    ASSERT_EQ(secrets.asked.size(), 1U);
    EXPECT_EQ(secrets.bytes, DeviceSecrets::get_bytes_max);
    answer_reads(fail(ErrorCode::refused, "too many secrets for one read"));
    EXPECT_TRUE(secrets.asked.empty()) << "it is answered too_large";
    // All room is free again.
    read(start(1, 2), 64);
    EXPECT_EQ(secrets.asked.size(), Inbox::read_bytes_max / 2 / Inbox::short_read_bytes);
}

}  // namespace
}  // namespace merpati::connector::process
