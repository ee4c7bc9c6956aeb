// A faulty worker costs no message and no memory, and affects no other device.
#include "connector/process/worker/worker_connector.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <poll.h>
#include <unistd.h>
#include <utility>

#include "connector/conformance/connector_fixture.hpp"
#include "connector/process/codec/launch.hpp"
#include "connector/process/codec/packet.hpp"
#include "connector/process/program/child.hpp"
#include "connector/process/program/launcher_fixture.hpp"
#include "connector/process/worker/scripted_worker_fixture.hpp"
#include "testing/temporary_folder.hpp"

namespace merpati::connector::process {
namespace {

using namespace std::chrono_literals;
using model::DeviceState;
using Kind = model::Outcome::Kind;

/// Never answers that messages received by one device are durable.
class NeverStored final : public ConnectorEvents {
public:
    NeverStored(Recorder& events, model::PhoneNumber device) : events_(events), device_(device) {}

    std::atomic<int> held = 0;

    void outcome(const model::MessageId& message, model::PhoneNumber device,
                 model::Outcome outcome) override {
        events_.outcome(message, device, std::move(outcome));
    }
    void device_state(const DeviceRef& device, DeviceState state, std::string reason,
                      Stored stored) override {
        events_.device_state(device, state, std::move(reason), std::move(stored));
    }
    void device_restricted(const DeviceRef& device, Timestamp until, std::string reason,
                           Stored stored) override {
        events_.device_restricted(device, until, std::move(reason), std::move(stored));
    }
    void pairing(const DeviceRef& device, PairingStep step) override {
        events_.pairing(device, std::move(step));
    }
    void late_status(LateStatus status, Stored stored) override {
        events_.late_status(std::move(status), std::move(stored));
    }
    void inbound(InboundMessage message, Stored stored) override {
        if (message.device == device_) {
            ++held;
        } else {
            events_.inbound(std::move(message), std::move(stored));
        }
    }
    void capabilities_changed() override {}

private:
    Recorder& events_;
    const model::PhoneNumber device_;
};

struct WorkerConnectorTest : ::testing::Test {
    ~WorkerConnectorTest() override { connector->stop(); }

    void start(const std::function<void(Options&)>& change = {}) {
        auto options = base();
        if (change) {
            change(options);
        }
        connector =
            make_worker_connector(clock, random, std::move(options), telemetry::Log::none());
        ASSERT_TRUE(connector->start(events, secrets));
    }
    [[nodiscard]] virtual Options base() { return scripted_worker(); }
    void connect(model::PhoneNumber number) {
        connector->start_device(device_of(number), {});
        events.wait_until(
            [&](const Reported& all) { return all.is(number, DeviceState::connected); });
    }
    static model::Device device_of(model::PhoneNumber number,
                                   DeviceState state = DeviceState::disconnected) {
        model::Device device;
        device.number = number;
        device.state = state;
        return device;
    }
    model::Message& message(const std::string& recipient) {
        auto made = std::make_unique<model::Message>();
        made->id = ids.next();
        made->device = first;
        made->recipient = recipient;
        made->body = "halo";
        messages.push_back(std::move(made));
        return *messages.back();
    }
    model::Outcome send(const model::Message& message, std::uint32_t attempt = 1) {
        const auto before = outcomes();
        connector->send({.message = message, .attempt = attempt});
        const auto all = events.wait_until(
            [&](const Reported& reported) { return reported.outcomes.size() > before; });
        return all.outcomes.size() > before ? all.outcomes.back().second : model::Outcome{};
    }
    std::size_t outcomes() {
        return events.wait_until([](const Reported&) { return true; }).outcomes.size();
    }
    /// Expects that the worker ends with the first attempt, is started again, and then sends.
    void expect_lost_and_back(const std::string& recipient) {
        const auto& one = message(recipient);
        const auto lost = send(one);
        EXPECT_EQ(lost.kind, Kind::unknown);
        EXPECT_TRUE(lost.crashed) << "the worker ended, or was killed, with the message in flight";
        events.wait_until([&](const Reported& all) { return all.states_of(first).size() >= 3; });
        EXPECT_EQ(events.wait_until([](const Reported&) { return true; }).states_of(first),
                  (std::vector{DeviceState::connected, DeviceState::reconnecting,
                               DeviceState::connected}));
        EXPECT_EQ(send(one, 2).kind, Kind::sent);
    }

    const model::PhoneNumber first = model::PhoneNumber::from_stored(6281100000001);
    SystemClock clock;
    SystemRandom random;
    UuidSource ids{clock, random};
    MemorySecrets secrets;
    Recorder events;
    std::vector<std::unique_ptr<model::Message>> messages;
    std::unique_ptr<WorkerConnector> connector;
};

/// Runs the worker as a child process (false), and by a launcher (true).
struct FaultyWorkerTest : WorkerConnectorTest, ::testing::WithParamInterface<bool> {
    // Stops the connector before the host is destroyed.
    ~FaultyWorkerTest() override { connector->stop(); }

    Options base() override {
        auto options = scripted_worker();
        if (GetParam()) {
            options.launcher = {.path = host->path(), .any_user = true};
            options.command = {};
        }
        return options;
    }
    /// Forks, so it is created before the connector has threads.
    const std::unique_ptr<LauncherHost> host =
        GetParam() ? std::make_unique<LauncherHost>(LauncherOptions{
                         .program =
                             [] {
                                 return Program{.command = *scripted_worker().command(),
                                                .path = scripted_worker().path};
                             },
                         .examine = {},
                         .memory_every = 20ms})
                   : nullptr;
};
INSTANTIATE_TEST_SUITE_P(, FaultyWorkerTest, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "Launched" : "Ours"; });

TEST_F(WorkerConnectorTest, ADeviceIsSettledWhenTheWorkerSaysThatItHasStopped) {
    const auto settle = [&] {
        std::promise<Result<void>> promise;
        connector->settle_device(first, [&](Result<void> done) { promise.set_value(done); });
        return promise.get_future().get();
    };
    start([](Options& options) { options.on_demand = true; });
    EXPECT_TRUE(connector->keeps_secrets());
    EXPECT_TRUE(settle()) << "there is no worker that could write";
    connect(first);
    EXPECT_TRUE(settle());
    events.wait_until(
        [&](const Reported& all) { return all.is(first, DeviceState::disconnected); });
    EXPECT_EQ(send(message("6281234567890")).kind, Kind::device_down);
    connector->stop();
    EXPECT_FALSE(settle());
}

TEST_F(WorkerConnectorTest, MediaAreFetchedOrItIsSaidWhyNot) {
    const testing::TemporaryFolder folder;
    const auto fetch = [&](std::string reference) {
        const MediaRequest request{.device = first,
                                   .platform_id = "I1",
                                   .reference = std::move(reference),
                                   .path = folder.file("photo"),
                                   .bytes_max = 100};
        std::promise<Result<std::uint64_t>> promise;
        connector->fetch_media(request, [&](auto bytes) { promise.set_value(std::move(bytes)); });
        return promise.get_future().get();
    };
    start([](Options& options) { options.fetch_within = 200ms; });
    connect(first);
    EXPECT_EQ(fetch("key").value(), 5U);
    EXPECT_EQ(std::filesystem::file_size(folder.file("photo")), 5U);
    const auto gone = fetch("gone").error();
    EXPECT_EQ(gone.code, ErrorCode::not_found);
    EXPECT_EQ(gone.detail, "the platform has it no more (its code: 404)");
    EXPECT_EQ(fetch("nonsense").error().code, ErrorCode::unreachable);
    EXPECT_EQ(fetch("hang").error().code, ErrorCode::timeout);
    connector->stop();
    EXPECT_EQ(fetch("key").error().code, ErrorCode::timeout);
}

TEST_P(FaultyWorkerTest, AWorkerThatWritesGarbageIsStartedAgain) {
    start();
    connect(first);
    expect_lost_and_back("6281200998001");
}

TEST_P(FaultyWorkerTest, AWorkerWhoseLineNeverEndsIsStartedAgain) {
    start();
    connect(first);
    expect_lost_and_back("6281200998002");
}

TEST_P(FaultyWorkerTest, AWorkerThatHangsIsStartedAgain) {
    start([](Options& options) {
        options.ping_every = 50ms;
        options.ping_within = 2'000ms;
    });
    connect(first);
    expect_lost_and_back("6281200998004");
}

TEST_P(FaultyWorkerTest, AWorkerThatTakesTooMuchMemoryIsStartedAgain) {
    start([](Options& options) { options.memory_max = std::uint64_t{200} << 20; });
    connect(first);
    expect_lost_and_back("6281200998006");
}

TEST_P(FaultyWorkerTest, WhatAWorkerStartedCountsAsItsMemory) {
    start([](Options& options) { options.memory_max = std::uint64_t{200} << 20; });
    connect(first);
    expect_lost_and_back("6281200998011");
}

TEST_P(FaultyWorkerTest, AWorkerThatWasReadyIsStartedAgainAtOnce) {
    start([](Options& options) {
        options.tick = 600'000ms;  // The restart must not wait for the next tick.
        options.back_off_first = options.back_off_max = 600'000ms;
    });
    connect(first);
    EXPECT_EQ(connector->trouble(), "");
    expect_lost_and_back("6281200995004");
}

TEST_P(FaultyWorkerTest, AFloodIsTakenSlowlyAndCostsNoMessage) {
    start();
    connect(first);
    EXPECT_EQ(send(message("6281200998003")).kind, Kind::sent);
    EXPECT_EQ(send(message("6281234567890")).kind, Kind::sent);
    const auto all = events.wait_until([](const Reported&) { return true; });
    EXPECT_EQ(all.states_of(first), std::vector{DeviceState::connected});
}

TEST_F(WorkerConnectorTest, WhatWaitsOfOneDeviceIsLimitedAndKeepsOutNoOther) {
    NeverStored holding{events, first};
    connector = make_worker_connector(clock, random, scripted_worker(), telemetry::Log::none());
    ASSERT_TRUE(connector->start(holding, secrets));
    connect(first);
    const auto second = model::PhoneNumber::from_stored(6281100000002);
    connect(second);
    EXPECT_EQ(send(message("6281200998003")).kind, Kind::sent);  // 8,000 messages come in.
    auto& written_back = message("6281200997000");
    written_back.device = second;
    EXPECT_EQ(send(written_back).kind, Kind::sent);
    const auto all =
        events.wait_until([](const Reported& reported) { return !reported.inbound.empty(); });
    EXPECT_EQ(all.inbound.at(0).device, second);
    EXPECT_EQ(holding.held, 64);
    connector->stop();  // Before `holding` is destroyed.
}

TEST_F(WorkerConnectorTest, AnAnswerThatWasWrittenIsTakenAfterTheWorkersEnd) {
    start();
    connect(first);
    const auto outcome = send(message("6281200998012"));
    EXPECT_EQ(outcome.kind, Kind::sent) << outcome.details;
}

TEST_F(WorkerConnectorTest, AWorkerThatIsOnlyBusyIsNotEnded) {
    constexpr std::size_t sends = 400;
    start();
    connect(first);
    for (std::size_t count = 0; count < sends; ++count) {
        auto& one = message(count == 0 ? "6281200998014" : "6281234567890");
        one.body = std::string(65'000, 'x');
        connector->send({.message = one});
    }
    const auto all = events.wait_until(
        [](const Reported& reported) { return reported.outcomes.size() == sends; });
    const auto count = [&](Kind kind) {
        return std::ranges::count(all.outcomes, kind,
                                  [](const auto& outcome) { return outcome.second.kind; });
    };
    EXPECT_GT(count(Kind::sent), 50);
    EXPECT_GT(count(Kind::retry), 50);
    EXPECT_EQ(count(Kind::sent) + count(Kind::retry), sends);
    EXPECT_EQ(all.states_of(first), std::vector{DeviceState::connected});
}

/// A call that changes a device answers with the state that this call has made.
TEST_F(WorkerConnectorTest, WhatIsReportedAtOnceIsReportedWhenItSaysSo) {
    start();
    connect(first);
    connector->stop_device(first);
    std::promise<void> reported;
    connector->after_reports([&] { reported.set_value(); });
    reported.get_future().get();
    const auto all = events.wait_until([](const Reported&) { return true; });
    EXPECT_TRUE(all.is(first, DeviceState::disconnected));
    connector->stop();
    std::promise<void> stopped;
    connector->after_reports([&] { stopped.set_value(); });
    stopped.get_future().get();
}

TEST_F(WorkerConnectorTest, LiesChangeNothing) {
    start();
    connect(first);
    EXPECT_EQ(send(message("6281200998005")).kind, Kind::sent);
    const auto all = events.wait_until([](const Reported&) { return true; });
    EXPECT_TRUE(all.states_of(model::PhoneNumber::from_stored(6281999999999)).empty());
    EXPECT_EQ(all.outcomes.size(), 1U);
    EXPECT_EQ(connector->capabilities()->window, 7U);  // This report was valid.
}

TEST_P(FaultyWorkerTest, ASendThatIsNotAnsweredIsUnknownAndHoldsUpNoOther) {
    start([](Options& options) { options.send_within = 200ms; });
    connect(first);
    const auto& lost = message("6281200998007");
    connector->send({.message = lost});
    EXPECT_EQ(send(message("6281234567890")).kind, Kind::sent);
    const auto all =
        events.wait_until([](const Reported& reported) { return reported.outcomes.size() == 2; });
    EXPECT_EQ(all.outcomes.back().first, lost.id);
    EXPECT_EQ(all.outcomes.back().second.kind, Kind::unknown);
    EXPECT_FALSE(all.outcomes.back().second.crashed);
    EXPECT_EQ(send(message("6281200998008")).kind, Kind::unknown);  // Answers an unknown word.
}

/// Starts the worker as a launcher does, and then does nothing more.
void launch_and_hang(const FileDescriptor& connection) {
    pollfd waiting{.fd = connection.get(), .events = POLLIN, .revents = 0};
    ::poll(&waiting, 1, -1);
    auto order = receive_packet(connection.get());
    (void)send_packet(connection.get(), write_report({.kind = LaunchReport::Kind::begins}));
    const auto worker =
        Child::start({.command = *scripted_worker().command(), .path = scripted_worker().path},
                     std::move((*order)->descriptors[0]), std::move((*order)->descriptors[1]));
    for (;;) {
        ::pause();
    }
}

TEST_F(WorkerConnectorTest, AStopThatWaitsForNoEndReportsItsSendsAsUnknown) {
    const LauncherHost host{launch_and_hang};
    start([&](Options& options) {
        options.launcher = {.path = host.path(), .any_user = true};
        options.shutdown_within = 40ms;
        options.killed_within = 40ms;
    });
    connect(first);
    const auto& unanswered = message("6281200998007");
    connector->send({.message = unanswered});
    connector->stop();
    const auto all = events.wait_until([](const Reported&) { return true; });
    ASSERT_EQ(all.outcomes.size(), 1U);
    EXPECT_EQ(all.outcomes[0].first, unanswered.id);
    EXPECT_EQ(all.outcomes[0].second.kind, Kind::unknown);
    EXPECT_FALSE(all.outcomes[0].second.crashed);
}

TEST_P(FaultyWorkerTest, WhatAWorkerPrintsIsNoProtocol) {
    start();
    connect(first);
    EXPECT_EQ(send(message("6281200998009")).kind, Kind::sent);
    EXPECT_EQ(send(message("6281234567890")).kind, Kind::sent);
}

TEST_F(WorkerConnectorTest, AMediaFileIsHandedOverByItsPath) {
    start();
    connect(first);
    auto& made = message("6281234567890");
    made.media_url = "https://example.com/foto.png";
    const media::File file{
        .path = "/tmp/foto", .media_type = "image/png", .bytes = 7, .sha256 = "00"};
    connector->send({.message = made, .attempt = 1, .file = &file});
    const auto all =
        events.wait_until([](const Reported& reported) { return !reported.outcomes.empty(); });
    const auto& details = all.outcomes.at(0).second.details;
    EXPECT_TRUE(details.contains(R"("path": "/tmp/foto")")) << details;
    EXPECT_TRUE(details.contains(R"("name": "foto.png")")) << details;
}

TEST_F(WorkerConnectorTest, WithoutItsProgramDevicesAreNotConnectedAndNothingElseHappens) {
    start([](Options& options) {
        options.command = [] { return std::vector<std::string>{"no-such-program"}; };
    });
    connector->start_device(device_of(first, DeviceState::connected), {});
    events.wait_until(
        [&](const Reported& all) { return all.is(first, DeviceState::reconnecting); });
    const auto second = model::PhoneNumber::from_stored(6281100000002);
    connector->start_device(device_of(second), "qr");
    const auto all = events.wait_until(
        [&](const Reported& reported) { return reported.is(second, DeviceState::disconnected); });
    EXPECT_FALSE(all.states.back().reason.empty());
    EXPECT_EQ(send(message("6281234567890")).kind, Kind::device_down);
    EXPECT_EQ(connector->first_state(second), DeviceState::disconnected);
    EXPECT_EQ(connector->trouble(), "its worker cannot be started");
}

TEST_F(WorkerConnectorTest, WithoutItsLauncherDevicesAreNotConnected) {
    start([](Options& options) { options.launcher.path = "/nowhere/worker.sock"; });
    connector->start_device(device_of(first), "qr");
    events.wait_until(
        [&](const Reported& all) { return all.is(first, DeviceState::disconnected); });
    EXPECT_EQ(connector->trouble(), "its worker cannot be started");
}

TEST_F(WorkerConnectorTest, AWorkerThatSaysThatItCannotRunIsNotConnected) {
    start([](Options& options) {
        options.command = [] {
            return std::vector<std::string>{"python3", MERPATI_SCRIPTED_WORKER, "--refuse"};
        };
    });
    connector->start_device(device_of(first), "qr");
    events.wait_until(
        [&](const Reported& all) { return all.is(first, DeviceState::disconnected); });
}

TEST_F(WorkerConnectorTest, AWorkerThatSaysNothingIsNamedBeforeItIsGivenUp) {
    start([](Options& options) {
        options.command = [] { return std::vector<std::string>{"sleep", "600"}; };
        options.hello_within = 4s;
    });
    for (int wait = 0; wait < 20'000 && connector->trouble().empty(); ++wait) {
        ::poll(nullptr, 0, 1);
    }
    EXPECT_EQ(connector->trouble(), "its worker does not answer since its start");
}

TEST_F(WorkerConnectorTest, AWorkerThatTakesTooMuchMemoryBeforeItsHelloIsEnded) {
    start([](Options& options) {
        options.command = [] {
            return std::vector<std::string>{"python3", MERPATI_SCRIPTED_WORKER, "--hoard"};
        };
        options.memory_max = std::uint64_t{100} << 20;
    });
    connector->start_device(device_of(first), "qr");
    events.wait_until(
        [&](const Reported& all) { return all.is(first, DeviceState::disconnected); });
    EXPECT_EQ(connector->trouble(), "its worker cannot be started");
}

TEST_F(WorkerConnectorTest, OnDemandTheWorkerStartsWithTheFirstDevice) {
    start([](Options& options) {
        options.on_demand = true;
        options.expected.pairing = {"qr"};
    });
    EXPECT_TRUE(connector->capabilities()->pairing.contains("qr"));
    EXPECT_FALSE(connector->capabilities()->typing);
    connect(first);
    EXPECT_TRUE(connector->capabilities()->typing);
}

}  // namespace
}  // namespace merpati::connector::process
