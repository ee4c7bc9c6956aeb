// The conformance suite of connectors.
#include <algorithm>
#include <chrono>

#include "connector/cloud/graph_double_fixture.hpp"
#include "connector/conformance/connector_fixture.hpp"
#include "connector/process/worker/scripted_worker_fixture.hpp"
#include "connector/process/worker/worker_connector.hpp"
#include "connector/simulator/simulator.hpp"

namespace merpati::connector {

namespace {

/// The scripted worker treats recipients and devices as the simulator does.
Subject as_the_simulator(std::string name, Subject::Make make) {
    const auto number = [](std::int64_t value) { return model::PhoneNumber::from_stored(value); };
    return {.name = std::move(name),
            .make = std::move(make),
            .is_sent = "6281234567890",
            .is_refused = "6281200991001",
            .fails_in_passing = "6281200995000",
            .outcome_unknown = "6281200995003",
            .sent_later = "6281200996000",
            .fails_later = "6281200996001",
            .statuses_first = "6281200996002",
            .repeats_itself = "6281200996003",
            .writes_back = "6281200997000",
            .kills_worker = "6281200995004",
            .pairing = {{"qr", {.number = number(6281100992001), .answer = {}}},
                        {"code", {.number = number(6281100992002), .answer = {}}},
                        {"otp", {.number = number(6281100992003), .answer = "123456"}},
                        {"passkey", {.number = number(6281100992004), .answer = "{}"}}},
            .connects_at_once = number(6281100000001)};
}

/// The official platform, played by a stand-in.
Subject cloud_subject() {
    using cloud::GraphDouble;
    auto subject = as_the_simulator("cloud", [](const Clock& clock, const std::filesystem::path&) {
        static GraphDouble graph;
        return std::make_unique<cloud::CloudToDouble>(clock, graph, graph.options());
    });
    const auto number = model::PhoneNumber::from_stored(6281100992003);
    subject.taken = model::Outcome::Kind::accepted;
    subject.kills_worker.clear();
    subject.pairing.clear();
    for (const auto* method : {"otp", "pin", "sms", "voice"}) {
        subject.pairing[method] = {.number = number, .answer = "123456", .step_method = "otp"};
    }
    subject.pairing_makes_secrets = false;
    subject.prepare = [](model::Device& device, DeviceSecrets& secrets) {
        device.cloud = {
            .phone_number_id = device.number.text(), .waba_id = {}, .fallback_template = {}};
        const auto token = as_bytes("token");
        secrets.put(
            device.number,
            {{std::string{model::CloudNumber::token_name}, Bytes{token.begin(), token.end()}}},
            DeviceSecrets::Others::stay, [](const Result<void>&) {});
    };
    return subject;
}

}  // namespace

std::vector<Subject> subjects() {
    using std::chrono::milliseconds;
    return {as_the_simulator("simulator",
                             [](const Clock& clock, const std::filesystem::path& folder) {
                                 return simulator::make_simulator(clock,
                                                                  {.latency = milliseconds{1},
                                                                   .step = milliseconds{1},
                                                                   .log = folder / "attempts.jsonl",
                                                                   .dedupe = true});
                             }),
            as_the_simulator("process",
                             [](const Clock& clock, const std::filesystem::path&) {
                                 static SystemRandom random;
                                 return process::make_worker_connector(clock, random,
                                                                       process::scripted_worker(),
                                                                       telemetry::Log::none());
                             }),
            cloud_subject()};
}

namespace {

using model::DeviceState;
using model::Progress;
using Kind = model::Outcome::Kind;

TEST_P(ConnectorTest, SaysWhatItCanDoAndHowADeviceBegins) {
    ASSERT_NE(connector->capabilities(), nullptr);
    connect(subject.connects_at_once);
    EXPECT_GE(connector->capabilities()->window, 1U);
    EXPECT_GE(connector->capabilities()->text_characters_max, 1U);
    for (const auto& [method, pairable] : subject.pairing) {
        EXPECT_TRUE(connector->capabilities()->pairing.contains(method)) << method;
        EXPECT_EQ(connector->first_state(pairable.number), DeviceState::disconnected) << method;
    }
}

TEST_P(ConnectorTest, EachSendHasOneOutcomeWithDetails) {
    connect(subject.connects_at_once);
    const std::pair<std::string, Kind> expected[]{{subject.is_sent, subject.taken},
                                                  {subject.is_refused, Kind::failed},
                                                  {subject.fails_in_passing, Kind::retry},
                                                  {subject.outcome_unknown, Kind::unknown},
                                                  {subject.sent_later, Kind::accepted}};
    std::size_t sends = 0;
    for (const auto& [recipient, kind] : expected) {
        if (!recipient.empty()) {
            const auto outcome = send(message(recipient));
            EXPECT_EQ(outcome.kind, kind) << recipient;
            EXPECT_FALSE(outcome.details.empty()) << recipient;
            ++sends;
        }
    }
    connector->stop();
    const auto all = events->wait_until([](const Reported&) { return true; });
    EXPECT_EQ(all.outcomes.size(), sends);
}

TEST_P(ConnectorTest, WhatItAcceptsHasAnIdByWhichItsStatusesAreFound) {
    if (subject.sent_later.empty()) {
        GTEST_SKIP() << "the platform decides at once";
    }
    connect(subject.connects_at_once);
    const auto outcome = send(message(subject.sent_later));
    ASSERT_EQ(outcome.kind, Kind::accepted);
    EXPECT_TRUE(is_platform_id(outcome.platform_id));
    EXPECT_GT(outcome.decide_within, Millis{0});
    const auto all =
        events->wait_until([](const Reported& reported) { return reported.statuses.size() == 3; });
    const Progress order[]{Progress::sent, Progress::delivered, Progress::read};
    for (std::size_t place = 0; place < all.statuses.size(); ++place) {
        EXPECT_EQ(all.statuses[place].platform_id, outcome.platform_id);
        EXPECT_EQ(all.statuses[place].device, subject.connects_at_once);
        EXPECT_EQ(all.statuses[place].status.progress, order[place]);
        EXPECT_FALSE(all.statuses[place].verdict) << "only a failure may be a passing one";
        if (connector->capabilities()->status_within) {
            EXPECT_EQ(all.statuses[place].message, messages.back()->id);
        }
    }
}

TEST_P(ConnectorTest, ALateFailureSaysWhy) {
    if (subject.fails_later.empty()) {
        GTEST_SKIP() << "the platform decides at once";
    }
    connect(subject.connects_at_once);
    const auto outcome = send(message(subject.fails_later));
    ASSERT_EQ(outcome.kind, Kind::accepted);
    const auto all =
        events->wait_until([](const Reported& reported) { return !reported.statuses.empty(); });
    EXPECT_EQ(all.statuses[0].platform_id, outcome.platform_id);
    EXPECT_EQ(all.statuses[0].status.progress, Progress::failed);
    EXPECT_NE(all.statuses[0].status.code, model::StatusCode::sent);
    EXPECT_FALSE(all.statuses[0].status.details.empty());
    if (const auto& verdict = all.statuses[0].verdict) {
        EXPECT_TRUE(verdict->kind == Kind::retry || verdict->kind == Kind::device_down ||
                    verdict->kind == Kind::restricted);
    }
}

TEST_P(ConnectorTest, StatusesMayComeFirstAndAgain) {
    if (subject.statuses_first.empty() || subject.repeats_itself.empty()) {
        GTEST_SKIP() << "the platform keeps its order";
    }
    connect(subject.connects_at_once);
    const auto early = send(message(subject.statuses_first));
    const auto first = events->wait_until([](const Reported&) { return true; });
    ASSERT_FALSE(first.statuses.empty());
    EXPECT_EQ(first.statuses[0].platform_id, early.platform_id);
    const auto repeated = send(message(subject.repeats_itself));
    events->wait_until([&](const Reported& all) {
        return std::ranges::count_if(all.statuses, [&](const LateStatus& late) {
                   return late.platform_id == repeated.platform_id;
               }) == 9;
    });
}

TEST_P(ConnectorTest, WhatIsRefusedAsBusyIsReportedAgain) {
    if (subject.sent_later.empty() || subject.writes_back.empty()) {
        GTEST_SKIP() << "the platform reports nothing later";
    }
    connect(subject.connects_at_once);
    events->refuse_next = 2;
    (void)send(message(subject.fails_later));
    (void)send(message(subject.writes_back));
    const auto all = events->wait_until([](const Reported& reported) {
        return reported.statuses.size() == 1 && !reported.inbound.empty();
    });
    EXPECT_TRUE(is_platform_id(all.inbound[0].platform_id));
    EXPECT_EQ(all.inbound[0].device, subject.connects_at_once);
    EXPECT_EQ(all.inbound[0].sender, subject.writes_back);
    EXPECT_FALSE(all.inbound[0].type.empty());
}

TEST_P(ConnectorTest, AnUnknownOutcomeIsNotRepeatedByItself) {
    if (subject.outcome_unknown.empty()) {
        GTEST_SKIP() << "the platform always knows";
    }
    connect(subject.connects_at_once);
    const auto& lost = message(subject.outcome_unknown);
    EXPECT_EQ(send(lost).kind, Kind::unknown);
    EXPECT_EQ(send(lost, 2).kind, subject.taken);
    connector->stop();
    EXPECT_EQ(events->wait_until([](const Reported&) { return true; }).outcomes.size(), 2U);
}

TEST_P(ConnectorTest, ADeviceThatIsStoppedSendsNothing) {
    connect(subject.connects_at_once);
    connector->stop_device(subject.connects_at_once);
    const auto all = events->wait_until([&](const Reported& reported) {
        return reported.is(subject.connects_at_once, DeviceState::disconnected);
    });
    EXPECT_FALSE(all.states.back().reason.empty());
    EXPECT_EQ(send(message(subject.is_sent)).kind, Kind::device_down);
    connect(subject.connects_at_once);
    EXPECT_EQ(send(message(subject.is_sent)).kind, subject.taken);
}

TEST_P(ConnectorTest, AfterStopASendIsReportedAsDeviceDown) {
    connect(subject.connects_at_once);
    connector->stop();
    connector->stop();
    EXPECT_EQ(send(message(subject.is_sent)).kind, Kind::device_down);
    EXPECT_TRUE(events->wait_until([](const Reported&) { return true; })
                    .is(subject.connects_at_once, DeviceState::connected));
}

TEST_P(ConnectorTest, EachWayOfPairingShowsStepsAndEndsConnected) {
    for (const auto& [method, pairable] : subject.pairing) {
        restart();
        const auto before = clock.now();
        connector->start_device(device_of(pairable.number), method);
        const auto shown =
            events->wait_until([](const Reported& all) { return !all.steps.empty(); });
        EXPECT_EQ(shown.steps[0].method,
                  pairable.step_method.empty() ? method : pairable.step_method);
        EXPECT_FALSE(shown.steps[0].payload.empty()) << method;
        EXPECT_GT(shown.steps[0].expires_at, before) << method;
        if (!pairable.answer.empty()) {
            EXPECT_TRUE(answered(pairable.number, pairable.answer)) << method;
        }
        const auto all = events->wait_until([&](const Reported& reported) {
            return reported.is(pairable.number, DeviceState::connected);
        });
        EXPECT_EQ(all.states_of(pairable.number),
                  (std::vector{DeviceState::pairing, DeviceState::connected}))
            << method;
        EXPECT_FALSE(all.states[0].reason.empty()) << method;
    }
}

TEST_P(ConnectorTest, APairedDeviceComesBackWithoutPairingAndAForgottenOneDoesNot) {
    if (subject.pairing.empty()) {
        GTEST_SKIP() << "nothing is paired";
    }
    const auto& [method, pairable] = *subject.pairing.begin();
    connector->start_device(device_of(pairable.number), method);
    events->wait_until([](const Reported& all) { return !all.steps.empty(); });
    if (!pairable.answer.empty()) {
        EXPECT_TRUE(answered(pairable.number, pairable.answer));
    }
    events->wait_until(
        [&](const Reported& all) { return all.is(pairable.number, DeviceState::connected); });
    restart();
    connect(pairable.number);
    EXPECT_TRUE(events->wait_until([](const Reported&) { return true; }).steps.empty());

    if (!subject.pairing_makes_secrets) {
        return;
    }
    secrets.remove(pairable.number);
    connector->forget_device(pairable.number);
    restart();
    connector->start_device(device_of(pairable.number), {});
    events->wait_until([](const Reported& all) { return !all.steps.empty(); });
}

TEST_P(ConnectorTest, AWorkerThatDiesCostsNoMessageAndItsDevicesComeBack) {
    if (subject.kills_worker.empty()) {
        GTEST_SKIP() << "there is no worker";
    }
    connect(subject.connects_at_once);
    const auto& fatal = message(subject.kills_worker);
    EXPECT_EQ(send(fatal).kind, Kind::unknown);
    const auto all = events->wait_until([&](const Reported& reported) {
        return reported.states_of(subject.connects_at_once).size() >= 3;
    });
    EXPECT_EQ(
        all.states_of(subject.connects_at_once),
        (std::vector{DeviceState::connected, DeviceState::reconnecting, DeviceState::connected}));
    EXPECT_EQ(send(fatal, 2).kind, Kind::sent);
}

TEST_P(ConnectorTest, ADeviceThatIsNotKnownCanBeStoppedForgottenAndAnswered) {
    connector->stop_device(subject.connects_at_once);
    connector->forget_device(subject.connects_at_once);
    const auto taken = answered(subject.connects_at_once, "123456");
    ASSERT_FALSE(taken);
    EXPECT_EQ(taken.error().code, ErrorCode::conflict);
    connect(subject.connects_at_once);
    EXPECT_EQ(send(message(subject.is_sent)).kind, subject.taken);
}

INSTANTIATE_TEST_SUITE_P(Connectors, ConnectorTest, ::testing::ValuesIn(subjects()), name_of);

}  // namespace
}  // namespace merpati::connector
