#include "connector/process/devices.hpp"

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

struct DevicesTest : ::testing::Test {
    DevicesTest() {
        devices.begin(events);
        device.number = model::PhoneNumber::from_stored(6281100000001);
        devices.worker_ready([this](std::string_view op, boost::json::object, auto done) {
            asked.emplace_back(op);
            unanswered.push_back(std::move(done));
        });
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
    Devices devices{clock};
    model::Device device;
    std::vector<std::string> asked;
    std::vector<Worker::Answered> unanswered;
};

TEST_F(DevicesTest, ADeviceThatIsNeverStartedIsGivenUpWithAReason) {
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

TEST_F(DevicesTest, FailuresBeforeAStartDoNotCountAfterIt) {
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

TEST_F(DevicesTest, ADeviceThatWasConnectedIsNotGivenUp) {
    device.state = DeviceState::connected;
    devices.start(device, {});
    for (int minute = 0; minute < 10; ++minute) {
        answer_all(Answer::none);
        pass_time(1min);
    }
    EXPECT_EQ(states().back().state, DeviceState::reconnecting);
    EXPECT_THAT(asked, SizeIs(11));
}

}  // namespace
}  // namespace merpati::connector::process
