#include "connector/simulator/simulator.hpp"

#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <deque>
#include <fstream>
#include <map>
#include <mutex>
#include <sys/resource.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/uuid.hpp"
#include "connector/conformance/connector_fixture.hpp"
#include "connector/simulator/recipients.hpp"
#include "testing/fixed_random.hpp"
#include "testing/manual_clock.hpp"
#include "testing/temporary_folder.hpp"

namespace merpati::connector::simulator {
namespace {

using namespace std::chrono_literals;
using model::DeviceState;
using Kind = model::Outcome::Kind;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Records reports; `wait_for` waits for a number of outcomes.
class Reports final : public ConnectorEvents {
public:
    void outcome(const model::MessageId& message, model::PhoneNumber,
                 model::Outcome outcome) override {
        {
            const std::lock_guard lock{mutex_};
            outcomes_.emplace_back(message, std::move(outcome));
        }
        changed_.notify_all();
    }
    void device_state(const DeviceRef&, DeviceState state, std::string reason,
                      Stored stored) override {
        states.push_back(state);
        EXPECT_EQ(reason.empty(), state == DeviceState::connected);
        stored({});
    }
    void device_restricted(const DeviceRef&, Timestamp, std::string, Stored) override {
        FAIL() << "nothing is restricted";
    }
    void pairing(const DeviceRef&, PairingStep) override { FAIL() << "nothing is paired"; }
    void late_status(LateStatus, Stored) override { FAIL() << "nothing is reported late"; }
    void inbound(InboundMessage, Stored) override { FAIL() << "nothing comes in"; }
    void capabilities_changed() override { FAIL() << "nothing changes"; }

    std::vector<std::pair<model::MessageId, model::Outcome>> wait_for(std::size_t count) {
        std::unique_lock lock{mutex_};
        EXPECT_TRUE(changed_.wait_for(lock, 20s, [&] { return outcomes_.size() >= count; }));
        return std::exchange(outcomes_, {});
    }
    std::size_t count() {
        const std::lock_guard lock{mutex_};
        return outcomes_.size();
    }

    std::vector<DeviceState> states;

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::pair<model::MessageId, model::Outcome>> outcomes_;
};

/// Has no secrets, and stores none.
struct NoSecrets final : DeviceSecrets {
    void get(const DeviceRef&, std::vector<std::string> names, std::size_t /*bytes_max*/,
             Got got) override {
        Values values;
        for (auto& name : names) {
            values.emplace_back(std::move(name), std::nullopt);
        }
        got(std::move(values));
    }
    void put(const DeviceRef&, Values, Others, ConnectorEvents::Stored stored) override {
        stored({});
    }
};

struct SimulatorTest : ::testing::Test {
    SimulatorTest() { device.number = *model::PhoneNumber::parse("6289876543210"); }

    void start(Options options) {
        simulator = make_simulator(clock, std::move(options));
        ASSERT_TRUE(simulator->start(reports, secrets));
        simulator->start_device(device, {});
    }
    Options logging(bool dedupe = false) {
        return {
            .latency = 0ms, .log = log, .dedupe = dedupe, .on_trouble = [this](const auto& why) {
                troubles.push_back(why);
            }};
    }

    model::Message message(const std::string& recipient = "6281234567890") {
        model::Message made;
        made.id = ids.next();
        made.device = device.number;
        made.recipient = recipient;
        made.body = "halo";
        return made;
    }
    model::Outcome send(const model::Message& message, std::uint32_t attempt = 1) {
        simulator->send({.message = message, .attempt = attempt});
        return reports.wait_for(1).at(0).second;
    }

    std::vector<std::string> lines() const {
        std::ifstream in{log};
        std::vector<std::string> all;
        for (std::string line; std::getline(in, line);) {
            all.push_back(line);
        }
        return all;
    }

    testing::TemporaryFolder folder;
    std::string log = folder.file("attempts.jsonl");
    testing::ManualClock clock;
    testing::FixedRandom random;
    UuidSource ids{clock, random};
    model::Device device;
    Reports reports;
    NoSecrets secrets;
    std::vector<std::string> troubles;
    std::unique_ptr<Connector> simulator;
};

TEST_F(SimulatorTest, PlaysTheOutcomeThatTheRecipientsEndAsksFor) {
    start({.latency = 0ms});
    const std::map<std::string, model::StatusCode> refusals{
        {"6281991001", model::StatusCode::recipient_unregistered},
        {"6281991002", model::StatusCode::recipient_invalid},
        {"6281991003", model::StatusCode::media_refused},
        {"6281995002", model::StatusCode::failed}};
    for (const auto& [recipient, code] : refusals) {
        const auto outcome = send(message(recipient));
        EXPECT_EQ(outcome.kind, Kind::failed) << recipient;
        EXPECT_EQ(outcome.code, code) << recipient;
        EXPECT_FALSE(outcome.details.empty()) << recipient;
    }
    const auto sent = message("6281991000");
    const auto outcome = send(sent);
    EXPECT_EQ(outcome.kind, Kind::sent);
    EXPECT_EQ(outcome.code, model::StatusCode::sent);
    EXPECT_EQ(outcome.platform_id, "sim-" + sent.id.text());
    EXPECT_FALSE(outcome.details.empty());
}

TEST_F(SimulatorTest, PassingFailuresPassAtTheThirdAttemptOrNever) {
    start({.latency = 0ms});
    const auto twice = message("6281995000");
    EXPECT_EQ(send(twice, 1).kind, Kind::retry);
    EXPECT_EQ(send(twice, 2).kind, Kind::retry);
    EXPECT_EQ(send(twice, 3).kind, Kind::sent);
    EXPECT_EQ(send(message("6281995001"), 1'000).kind, Kind::retry);
}

TEST_F(SimulatorTest, ReportsFromWithinSendWhereNothingHasToBeWaitedFor) {
    start({.latency = 0ms});
    const auto one = message();
    simulator->send({.message = one});
    EXPECT_EQ(reports.count(), 1U);
}

TEST_F(SimulatorTest, ConnectsADeviceAtOnceAndSendsForNoOther) {
    start({.latency = 0ms});
    EXPECT_EQ(send(message()).kind, Kind::sent);
    simulator->stop_device(device.number);
    EXPECT_EQ(send(message()).kind, Kind::device_down);
    simulator->start_device(device, {});
    EXPECT_EQ(send(message()).kind, Kind::sent);
    simulator->forget_device(device.number);
    EXPECT_EQ(send(message()).kind, Kind::device_down);
    EXPECT_THAT(reports.states, ElementsAre(DeviceState::connected, DeviceState::disconnected,
                                            DeviceState::connected));
}

TEST_F(SimulatorTest, WritesOneLineAnAttemptWithTheDocumentedKeysInTheirOrder) {
    start(logging());
    auto one = message("6281995000");
    one.body = "satu \"dua\"\n\\ tiga";
    one.typing = true;
    (void)send(one, 1);
    EXPECT_THAT(lines(),
                ElementsAre(R"({"time":"2026-11-20T10:00:00.000Z","from":"6289876543210",)"
                            R"("to":"6281995000","type":"text",)"
                            R"("body":"satu \"dua\"\u000a\\ tiga","media":null,"typing":true,)"
                            R"("messageid":"sim-)" +
                            one.id.text() + R"(","attempt":1,"result":"retry","code":500})"));
    (void)send(one, 3);
    (void)send(message("6281991001"));
    ASSERT_THAT(lines(), SizeIs(3));
    EXPECT_THAT(lines()[1], HasSubstr(R"("attempt":3,"result":"sent","code":200})"));
    EXPECT_THAT(lines()[2], HasSubstr(R"("attempt":1,"result":"failed","code":1001})"));
}

TEST_F(SimulatorTest, EveryReportedAttemptStandsInTheLogAlready) {
    start(logging());
    std::vector<model::Message> many;
    for (int count = 0; count < 500; ++count) {
        many.push_back(message());
    }
    for (const auto& one : many) {
        simulator->send({.message = one});
    }
    std::size_t reported = 0;
    while (reported < many.size()) {
        reported += reports.wait_for(1).size();
        ASSERT_GE(lines().size(), reported);
    }
    EXPECT_THAT(lines(), SizeIs(500));
}

TEST_F(SimulatorTest, AnAttemptOfADeviceThatIsDownNeverReachesThePlatform) {
    start(logging());
    simulator->stop_device(device.number);
    EXPECT_EQ(send(message()).kind, Kind::device_down);
    EXPECT_THAT(lines(), IsEmpty());
}

TEST_F(SimulatorTest, ALineOfMediaSaysWhatWasSent) {
    start(logging());
    auto one = message();
    one.type = model::MessageType::media;
    one.body = "struk";
    one.media_url = "https://toko.example.com/a\"b.pdf";
    const media::File file{.media_type = "application/pdf", .bytes = 1'234, .sha256 = "ab12"};
    simulator->send({.message = one, .file = &file});
    reports.wait_for(1);
    ASSERT_THAT(lines(), SizeIs(1));
    EXPECT_THAT(lines()[0], HasSubstr(R"("type":"media","body":"struk",)"
                                      R"("media":{"url":"https://toko.example.com/a\"b.pdf",)"
                                      R"("mime":"application/pdf","bytes":1234,"sha256":"ab12"},)"
                                      R"("typing":false)"));
}

TEST_F(SimulatorTest, WithoutDedupeARepeatIsASecondMessage) {
    start(logging());
    EXPECT_FALSE(simulator->capabilities()->recognises_repeats);
    const auto one = message();
    (void)send(one);
    (void)send(one);
    EXPECT_THAT(lines(), SizeIs(2));
}

TEST_F(SimulatorTest, WithDedupeARepeatIsAnsweredSentAndAddsNoLineAcrossRestartsToo) {
    start(logging(true));
    EXPECT_TRUE(simulator->capabilities()->recognises_repeats);
    const auto sent = message();
    const auto refused = message("6281991001");
    (void)send(sent);
    (void)send(refused);
    EXPECT_EQ(send(sent).kind, Kind::sent);
    EXPECT_THAT(lines(), SizeIs(2));

    start(logging(true));
    const auto again = send(sent);
    EXPECT_EQ(again.kind, Kind::sent);
    EXPECT_EQ(again.platform_id, "sim-" + sent.id.text());
    EXPECT_THAT(lines(), SizeIs(2));
    EXPECT_EQ(send(refused).kind, Kind::failed);  // Only sent messages are recognised.
    EXPECT_THAT(lines(), SizeIs(3));
}

TEST_F(SimulatorTest, ABodyThatLooksLikeALogLineIsNotTakenForOne) {
    start(logging(true));
    const auto other = message();
    auto sly = message("6281991001");
    sly.body = R"(","messageid":"sim-)" + other.id.text() + R"(","result":"sent")";
    (void)send(sly);
    start(logging(true));
    (void)send(sly);
    (void)send(other);
    EXPECT_THAT(lines(), SizeIs(3));
}

TEST_F(SimulatorTest, ALineThatACrashToreIsCutOffAndItsMessageSentAgain) {
    start(logging(true));
    const auto kept = message();
    const auto torn = message();
    (void)send(kept);
    (void)send(torn);
    simulator.reset();
    std::filesystem::resize_file(log, std::filesystem::file_size(log) - 1);
    start(logging(true));
    EXPECT_THAT(lines(), SizeIs(1));
    EXPECT_EQ(send(torn).kind, Kind::sent);
    EXPECT_EQ(send(kept).kind, Kind::sent);
    EXPECT_THAT(lines(), SizeIs(2));
}

TEST_F(SimulatorTest, ATornLineLongerThanOneReadIsCutOff) {
    {
        std::ofstream out{log};
        out << "{}\n" << std::string(20'000, 'x');
    }
    start(logging());
    EXPECT_THAT(lines(), ElementsAre("{}"));
}

TEST_F(SimulatorTest, WhatCannotBeWrittenDownDidNotHappen) {
    start(logging(true));
    (void)send(message());
    const auto whole = std::filesystem::file_size(log);

    // The disk is full in the middle of the next line.
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit full{.rlim_cur = whole + 20, .rlim_max = before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &full), 0);
    const auto unlucky = message();
    const auto outcome = send(unlucky);
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    std::signal(SIGXFSZ, handler);

    EXPECT_EQ(outcome.kind, Kind::retry);
    EXPECT_FALSE(outcome.details.empty());
    EXPECT_THAT(troubles, ElementsAre(HasSubstr("attempts.jsonl")));
    EXPECT_EQ(std::filesystem::file_size(log), whole);

    EXPECT_EQ(send(unlucky, 2).kind, Kind::sent);
    ASSERT_THAT(lines(), SizeIs(2));
    EXPECT_THAT(lines()[1], HasSubstr(R"("attempt":2,"result":"sent")"));
}

TEST_F(SimulatorTest, ALogThatCannotBeOpenedIsAnErrorThatNamesIt) {
    const auto closed =
        make_simulator(clock, {.log = folder.path() / "missing" / "attempts.jsonl"});
    const auto started = closed->start(reports, secrets);
    ASSERT_FALSE(started);
    EXPECT_EQ(started.error().code, ErrorCode::io_failed);
    EXPECT_THAT(started.error().detail, HasSubstr("missing/attempts.jsonl"));
}

TEST_F(SimulatorTest, ALogMayBeSomethingThatIsOnlyWrittenTo) {
    log = "/dev/null";
    start(logging(true));
    EXPECT_EQ(send(message()).kind, Kind::sent);
    EXPECT_THAT(troubles, IsEmpty());
}

struct SlowSimulatorTest : SimulatorTest {
    SystemClock machine;

    void start_slow(Millis latency) {
        simulator = make_simulator(machine, {.latency = latency});
        ASSERT_TRUE(simulator->start(reports, secrets));
        simulator->start_device(device, {});
    }
};

TEST(SimulatorStatusTest, AStatusIsReportedAtTheNextConnectionAloneAndNoneOfAForgottenDevice) {
    SystemClock machine;
    SystemRandom random;
    UuidSource ids{machine, random};
    MemorySecrets secrets;
    Recorder events;
    const auto simulator = make_simulator(machine, {.latency = 0ms, .step = 1ms});
    ASSERT_TRUE(simulator->start(events, secrets));
    model::Device device;
    device.number = *model::PhoneNumber::parse("6289876543210");
    std::deque<model::Message> messages;
    const auto send = [&](const std::string& recipient) {
        auto& message = messages.emplace_back();
        message.id = ids.next();
        message.device = device.number;
        message.recipient = recipient;
        simulator->send({.message = message});
    };
    const auto statuses_at = [&](std::size_t count) {
        return events.wait_until([&](const Reported& all) { return all.statuses.size() >= count; })
            .statuses;
    };
    simulator->start_device(device, {});
    send("6281200996005");
    for (int connection = 0; connection < 3; ++connection) {
        simulator->stop_device(device.number);
        simulator->start_device(device, {});
    }
    send("6281200996000");  // Its three statuses come after all that was reported before.
    const auto all = statuses_at(4);
    EXPECT_EQ(all.at(0).platform_id, platform_id(messages.front().id));
    EXPECT_EQ(all.at(1).platform_id, platform_id(messages.back().id));

    send("6281200996005");
    simulator->forget_device(device.number);
    simulator->start_device(device, {});
    send("6281200996001");
    EXPECT_EQ(statuses_at(5).at(4).platform_id, platform_id(messages.back().id));
    simulator->stop();  // Before `events` is destroyed.
}

TEST_F(SlowSimulatorTest, ReportsInOrderAndNeverBeforeTheLatencyIsOver) {
    start_slow(20ms);
    std::vector<model::Message> many;
    for (int count = 0; count < 100; ++count) {
        many.push_back(message());
    }
    const auto before = machine.steady_now();
    for (const auto& one : many) {
        simulator->send({.message = one});
    }
    std::vector<std::pair<model::MessageId, model::Outcome>> all;
    while (all.size() < many.size()) {
        for (auto& one : reports.wait_for(1)) {
            all.push_back(std::move(one));
        }
        EXPECT_GE(machine.steady_now() - before, 20ms);
    }
    for (std::size_t place = 0; place < many.size(); ++place) {
        EXPECT_EQ(all[place].first, many[place].id);
    }
}

/// Both attempts end together, so both depend on the one line, which cannot be written.
TEST_F(SlowSimulatorTest, ARepeatOfWhatCouldNotBeWrittenDownIsNotTakenForSent) {
    {
        std::ofstream make{log};
    }
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit full{.rlim_cur = 20, .rlim_max = before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &full), 0);
    simulator = make_simulator(machine, {.latency = 1h, .log = log, .dedupe = true});
    ASSERT_TRUE(simulator->start(reports, secrets));
    simulator->start_device(device, {});
    const auto one = message();
    simulator->send({.message = one});
    simulator->send({.message = one, .attempt = 2});
    simulator->stop();
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    for (const auto& [id, outcome] : reports.wait_for(2)) {
        EXPECT_EQ(outcome.kind, Kind::retry);
    }
}

TEST_F(SlowSimulatorTest, StopReportsWhatIsUnderWayAndWhatComesTooLate) {
    start_slow(1h);
    const auto one = message();
    const auto late = message();
    simulator->send({.message = one});
    simulator->stop();
    simulator->stop();
    EXPECT_EQ(reports.wait_for(1).at(0).second.kind, Kind::sent);
    simulator->send({.message = late});
    EXPECT_EQ(reports.wait_for(1).at(0).second.kind, Kind::device_down);
}

}  // namespace
}  // namespace merpati::connector::simulator
