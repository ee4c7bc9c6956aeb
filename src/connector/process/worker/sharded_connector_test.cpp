// Workers that share the devices of a connector: the fault of one concerns its own devices only.
#include "connector/process/worker/sharded_connector.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <future>
#include <poll.h>

#include "connector/conformance/connector_fixture.hpp"
#include "connector/process/worker/scripted_worker_fixture.hpp"

namespace merpati::connector::process {
namespace {

using namespace std::chrono_literals;
using model::DeviceState;
using Kind = model::Outcome::Kind;

constexpr std::size_t workers = 3;

struct ShardedConnectorTest : ::testing::Test {
    ~ShardedConnectorTest() override { connector->stop(); }

    /// `missing`: how many workers have a program that does not exist.
    void start(std::size_t missing = 0) {
        std::vector<std::unique_ptr<WorkerConnector>> all;
        for (std::size_t index = 0; index < workers; ++index) {
            auto options = scripted_worker();
            if (index < missing) {
                options.command = [] { return std::vector<std::string>{"no-such-program"}; };
            }
            all.push_back(
                make_worker_connector(clock, random, std::move(options), telemetry::Log::none()));
        }
        connector = std::make_unique<ShardedConnector>(std::move(all));
        ASSERT_TRUE(connector->start(events, secrets));
    }
    /// A number of the worker with this index.
    static model::PhoneNumber number_of(std::size_t shard) {
        for (std::int64_t next = 6281100000001;; ++next) {
            const auto number = model::PhoneNumber::from_stored(next);
            if (ShardedConnector::shard_of(number, workers) == shard) {
                return number;
            }
        }
    }
    void connect(model::PhoneNumber number) {
        model::Device device;
        device.number = number;
        connector->start_device(device, {});
        events.wait_until(
            [&](const Reported& all) { return all.is(number, DeviceState::connected); });
    }
    model::Outcome send(model::PhoneNumber device, const std::string& recipient) {
        auto made = std::make_unique<model::Message>();
        made->id = ids.next();
        made->device = device;
        made->recipient = recipient;
        made->body = "halo";
        const auto before = events.wait_until([](const Reported&) { return true; }).outcomes.size();
        connector->send({.message = *made});
        messages.push_back(std::move(made));
        return events.wait_until([&](const Reported& all) { return all.outcomes.size() > before; })
            .outcomes.back()
            .second;
    }

    SystemClock clock;
    SystemRandom random;
    UuidSource ids{clock, random};
    MemorySecrets secrets;
    Recorder events;
    std::vector<std::unique_ptr<model::Message>> messages;
    std::unique_ptr<ShardedConnector> connector;
};

TEST_F(ShardedConnectorTest, AWorkersEndConcernsItsOwnDevicesOnly) {
    start();
    const std::array numbers{number_of(0), number_of(1), number_of(2)};
    for (const auto number : numbers) {
        connect(number);
    }
    EXPECT_EQ(connector->trouble(), "");
    EXPECT_EQ(send(numbers[0], "6281200998001").kind, Kind::unknown);  // Its worker is killed.
    const auto all = events.wait_until(
        [&](const Reported& reported) { return reported.states_of(numbers[0]).size() >= 3; });
    EXPECT_EQ(
        all.states_of(numbers[0]),
        (std::vector{DeviceState::connected, DeviceState::reconnecting, DeviceState::connected}));
    for (const auto other : {numbers[1], numbers[2]}) {
        EXPECT_EQ(send(other, "6281234567890").kind, Kind::sent);
        EXPECT_EQ(events.wait_until([](const Reported&) { return true; }).states_of(other),
                  std::vector{DeviceState::connected});
    }
}

TEST_F(ShardedConnectorTest, TheWorkersThatCannotWorkAreCounted) {
    start(2);
    connect(number_of(2));
    while (!connector->trouble().starts_with("2 of 3")) {
        ::poll(nullptr, 0, 1);
    }
    EXPECT_EQ(connector->trouble(), "2 of 3 workers: its worker cannot be started");
    EXPECT_TRUE(connector->capabilities()->typing) << "as of the worker that runs";
}

TEST_F(ShardedConnectorTest, NumbersInARowAreSharedEvenly) {
    start();
    std::array<int, workers> counts{};
    for (std::int64_t next = 0; next < 3'000; ++next) {
        ++counts.at(ShardedConnector::shard_of(
            model::PhoneNumber::from_stored(6281100000001 + next), workers));
    }
    for (const int count : counts) {
        EXPECT_NEAR(count, 1'000, 150);
    }
}

TEST_F(ShardedConnectorTest, TheReportsOfAllAreAwaited) {
    start();
    const auto number = number_of(1);
    connect(number);
    connector->stop_device(number);
    std::promise<void> reported;
    connector->after_reports([&] { reported.set_value(); });
    reported.get_future().get();
    EXPECT_TRUE(events.wait_until([](const Reported&) { return true; })
                    .is(number, DeviceState::disconnected));
}

}  // namespace
}  // namespace merpati::connector::process
