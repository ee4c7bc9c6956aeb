#include "connector/process/worker/worker_devices.hpp"

#include <chrono>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "connector/conformance/connector_fixture.hpp"
#include "testing/manual_clock.hpp"

namespace merpati::connector::process {
namespace {

using namespace std::chrono_literals;
using model::DeviceState;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Whether and how the worker answers its next request.
enum class Answer { none, busy, ok };

struct WorkerDevicesTest : ::testing::Test {
    WorkerDevicesTest() {
        devices.begin(events);
        device.number = model::PhoneNumber::from_stored(6281100000001);
        ready();
    }

    void ready() {
        devices.worker_ready([this](std::string_view op, boost::json::object fields, auto done) {
            asked.emplace_back(op);
            requests.push_back(std::move(fields));
            unanswered.push_back(std::move(done));
        });
    }
    /// The generation of the latest request.
    std::uint64_t generation() {
        return static_cast<std::uint64_t>(requests.back().at("generation").to_number<double>());
    }

    void answer_all(Answer answer) {
        const Frame frame{.kind = Frame::Kind::answer,
                          .ok = answer == Answer::ok,
                          .fields = {{"kind", "busy"}, {"details", "sibuk"}}};
        for (auto& done : std::exchange(unanswered, {})) {
            done(answer == Answer::none ? nullptr : &frame);
        }
    }
    void pass_time(Millis time) {
        for (; time > 0ms; time -= 1s) {
            clock.advance(1s);
            devices.tick();
        }
    }
    std::vector<Reported::State> states() {
        return events.wait_until([](const Reported&) { return true; }).states;
    }

    testing::ManualClock clock;
    Recorder events;
    WorkerDevices devices{clock, 100};
    model::Device device;
    std::vector<std::string> asked;
    std::vector<boost::json::object> requests;
    std::vector<Worker::Answered> unanswered;
};

TEST_F(WorkerDevicesTest, ADeviceThatIsNeverStartedIsGivenUpWithAReason) {
    for (const auto answer : {Answer::none, Answer::busy}) {
        const auto before = states().size();
        devices.start(device, "qr");
        for (int second = 0; second < 60; ++second) {
            EXPECT_THAT(states(), SizeIs(before)) << "it may pass";
            answer_all(answer);
            pass_time(1s);
        }
        pass_time(5s);
        answer_all(answer);
        ASSERT_THAT(states(), SizeIs(before + 1));
        EXPECT_EQ(states().back().state, DeviceState::disconnected);
        EXPECT_FALSE(states().back().reason.empty());
        asked.clear();
        pass_time(1h);
        EXPECT_THAT(asked, IsEmpty());
    }
}

TEST_F(WorkerDevicesTest, FailuresBeforeAStartDoNotCountAfterIt) {
    devices.start(device, {});
    answer_all(Answer::busy);
    pass_time(50s);
    answer_all(Answer::ok);
    EXPECT_TRUE(devices.is_started(device.number));
    pass_time(50s);
    devices.start(device, {});
    answer_all(Answer::busy);
    pass_time(50s);
    EXPECT_THAT(states(), IsEmpty());
}

TEST_F(WorkerDevicesTest, ADeviceThatWasConnectedIsNotGivenUp) {
    device.state = DeviceState::connected;
    devices.start(device, {});
    for (int minute = 0; minute < 10; ++minute) {
        answer_all(Answer::none);
        pass_time(1min);
    }
    EXPECT_EQ(states().back().state, DeviceState::reconnecting);
    EXPECT_THAT(asked, SizeIs(11));
}

struct GenerationsTest : WorkerDevicesTest {
    std::uint64_t start() {
        devices.start(device, {});
        return generation();
    }
    bool may_write(std::uint64_t generation) {
        return devices.is_latest(device.number, generation);
    }
};

TEST_F(GenerationsTest, AreAboveAllEarlierOnesAlsoOfAnEarlierProcess) {
    const auto one = start();
    EXPECT_GE(one, static_cast<std::uint64_t>(to_unix_millis(clock.now())));
    devices.stop(device.number);
    const auto two = start();
    EXPECT_GT(two, one);
    clock.advance(1h);
    WorkerDevices next_process{clock, 100};
    next_process.begin(events);
    next_process.worker_ready([this](std::string_view, boost::json::object fields, auto) {
        requests.push_back(std::move(fields));
    });
    next_process.start(device, {});
    EXPECT_GT(generation(), two);
}

TEST_F(GenerationsTest, OneThatIsStoppedMayWriteUntilTheWorkerSaysThatItHasStopped) {
    const auto one = start();
    answer_all(Answer::ok);
    devices.stop(device.number);
    EXPECT_TRUE(may_write(one)) << "it stores what is under way";
    EXPECT_FALSE(devices.takes_states(device.number, one));
    answer_all(Answer::ok);
    EXPECT_FALSE(may_write(one));
    EXPECT_FALSE(devices.writer(device.number));
}

TEST_F(GenerationsTest, WithoutAnAnswerItIsNotOver) {
    const auto one = start();
    std::optional<bool> settled;
    devices.settle(device.number, [&](const Result<void>& done) { settled = done.has_value(); });
    answer_all(Answer::none);
    EXPECT_EQ(settled, false);
    EXPECT_TRUE(may_write(one));
    EXPECT_FALSE(may_write(one + 1));
}

TEST_F(GenerationsTest, ANewerOneEndsTheEarlier) {
    const auto one = start();
    answer_all(Answer::ok);
    devices.stop(device.number);
    const auto two = start();
    EXPECT_FALSE(may_write(one));
    EXPECT_TRUE(may_write(two));
    EXPECT_TRUE(devices.takes_states(device.number, two));
    EXPECT_FALSE(devices.takes_states(device.number, one));
    answer_all(Answer::ok);  // Of the stop, too: it does not end the newer one.
    EXPECT_TRUE(may_write(two));
}

TEST_F(GenerationsTest, ARepeatedStartOfAStartedDeviceHasTheSame) {
    const auto one = start();
    answer_all(Answer::ok);
    EXPECT_EQ(start(), one);
    EXPECT_TRUE(devices.takes_states(device.number, one));
    devices.follow(device.number, DeviceState::logged_out);
    EXPECT_TRUE(may_write(one)) << "it removes its credentials";
    EXPECT_GT(start(), one);
}

TEST_F(GenerationsTest, ANewOwnerOfTheNumberHasAnother) {
    device.account = {.value = 1};
    const auto one = start();
    answer_all(Answer::ok);
    const auto earlier = model::DeviceIdentity::of(device);
    EXPECT_EQ(devices.writer(device.number), earlier);
    devices.forget(device.number);
    device.account = {.value = 2};
    const auto two = start();
    EXPECT_GT(two, one);
    EXPECT_EQ(devices.writer(device.number), model::DeviceIdentity::of(device));
    EXPECT_FALSE(may_write(one));
}

TEST_F(GenerationsTest, ANewWorkerHasANewOne) {
    device.state = DeviceState::connected;
    const auto one = start();
    answer_all(Answer::ok);
    devices.worker_gone(false);
    EXPECT_FALSE(may_write(one));
    ready();
    EXPECT_GT(generation(), one);
}

TEST_F(WorkerDevicesTest, ManyDevicesStartAtTheirRate) {
    devices.worker_gone(false);
    for (int count = 1; count <= 1'000; ++count) {
        device.number = model::PhoneNumber::from_stored(6281100000000 + count);
        devices.start(device, {});
    }
    ready();
    EXPECT_THAT(asked, SizeIs(100));
    pass_time(1s);
    EXPECT_THAT(asked, SizeIs(200));
    pass_time(20s);
    EXPECT_THAT(asked, SizeIs(1'000));
}

}  // namespace
}  // namespace merpati::connector::process
