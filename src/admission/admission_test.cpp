#include "admission/admission.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "testing/fixed_random.hpp"
#include "testing/manual_clock.hpp"

namespace merpati::admission {
namespace {

using namespace std::chrono_literals;
using model::MessageType;
using model::Revision;

struct ShortTexts final : connector::Connector {
    connector::CapabilitiesPtr capabilities() const override {
        return std::make_shared<const connector::Capabilities>(
            connector::Capabilities{.text_characters_max = 10});
    }
    model::DeviceState first_state(model::PhoneNumber) const override {
        return model::DeviceState::connected;
    }
    Result<void> start(connector::ConnectorEvents&, connector::DeviceSecrets&) override {
        return {};
    }
    void stop() override {}
    void start_device(const model::Device&, std::string_view) override {}
    void answer_pairing(model::PhoneNumber, std::string_view, Settled settled) override {
        settled({});
    }
    void stop_device(model::PhoneNumber) override {}
    void forget_device(model::PhoneNumber) override {}
    void send(const connector::SendRequest&) override {}
};

struct AdmissionTest : ::testing::Test {
    AdmissionTest() {
        connectors.add("short", std::make_unique<ShortTexts>());
        directory.put_account(account);
        directory.put_key({.id = {1}, .account = {7}});
        directory.put_device(device);
    }

    Checked<std::unique_ptr<model::Message>> admit(Submission submission) {
        return admission.admit(std::move(submission), directory.find_account({7})->account);
    }
    /// internal: it was admitted.
    Refusal refusal_of(const Submission& submission) {
        const auto admitted = admit(submission);
        return admitted ? Refusal::internal : admitted.error();
    }

    static Submission text() {
        Submission made;
        made.type = MessageType::text;
        made.content = "halo";
        made.sender = "6281100000001";
        made.recipient = "6281234567890";
        return made;
    }

    testing::ManualClock machine;
    QueueClock clock{machine};
    testing::FixedRandom random;
    Directory directory;
    outbound::AddressPolicy policy{{}};
    connector::Connectors connectors;
    store::Condition condition;
    model::Account account{.id = {7}, .name = "Toko", .callback_url = "https://toko.example/"};
    model::Device device{.number = *model::PhoneNumber::parse("6281100000001"),
                         .account = {7},
                         .connector = "short",
                         .state = model::DeviceState::connected};
    Admission admission{{.clock = clock,
                         .random = random,
                         .directory = directory,
                         .policy = policy,
                         .connectors = connectors,
                         .condition = condition},
                        {}};
};

TEST_F(AdmissionTest, MessagesOfOneRequestAreJudgedAtOneTimeAndEachCallbackUrlByItself) {
    const auto& of = directory.find_account({7})->account;
    Judging judging{.at = clock.wall_now()};
    const auto admit_with = [&](const std::string& url) {
        auto asked = text();
        asked.callback_url = url;
        machine.advance(1s);
        return admission.admit(std::move(asked), of, judging);
    };
    const auto first = admit_with("https://a.example/status");
    ASSERT_TRUE(first);
    EXPECT_FALSE(admit_with("https://10.0.0.1/status"));
    EXPECT_FALSE(admit_with("https://10.0.0.1/status"));
    const auto last = admit_with("https://a.example/status");
    ASSERT_TRUE(last);
    EXPECT_EQ((*last)->callback_url, "https://a.example/status");
    EXPECT_EQ((*last)->accepted_at, (*first)->accepted_at);
}

/// Each row breaks a submission in one more way, so that an earlier check fails. So every refusal
/// goes before all those in the rows above it, which is the documented order.
TEST_F(AdmissionTest, TheFirstCheckThatFailsIsTheAnswer) {
    using Spoil = std::function<void(Submission&)>;
    const std::vector<std::pair<Refusal, Spoil>> from_last_to_first{
        {Refusal::callback_url_invalid, [](auto& one) { one.callback_url = "http://x.example"; }},
        {Refusal::typing_invalid, [](auto& one) { one.typing.reset(); }},
        {Refusal::delay_invalid, [](auto& one) { one.delay.kind = Delay::Kind::malformed; }},
        {Refusal::recipient_invalid, [](auto& one) { one.recipient.clear(); }},
        {Refusal::message_too_long, [](auto& one) { one.content = "twelve chars"; }},
        {Refusal::device_disconnected,
         [this](auto&) {
             device.state = model::DeviceState::disconnected;
             directory.put_device(device);
         }},
        {Refusal::sender_invalid, [](auto& one) { one.sender = "6281100000009"; }},
        {Refusal::message_empty, [](auto& one) { one.content = " \t"; }},
        {Refusal::type_unsupported, [](auto& one) { one.type.reset(); }},
    };
    auto submission = text();
    ASSERT_EQ(refusal_of(submission), Refusal::internal);
    for (const auto& [refusal, spoil] : from_last_to_first) {
        spoil(submission);
        EXPECT_EQ(refusal_of(submission), refusal) << static_cast<int>(refusal);
    }
}

TEST_F(AdmissionTest, AMessageIsWhatWasAskedForAndTheAccountsChoices) {
    account.delivery = model::Delivery::at_most_once;
    directory.put_account(account);
    auto asked = text();
    asked.delay = {.kind = Delay::Kind::seconds, .seconds = 60};
    asked.typing = true;
    asked.recipient_quoted = false;
    const auto admitted = admit(std::move(asked));
    ASSERT_TRUE(admitted);
    const auto& message = **admitted;
    EXPECT_EQ(message.account, account.id);
    EXPECT_EQ(message.device, device.number);
    EXPECT_EQ(message.body, "halo");
    EXPECT_EQ(message.recipient, "6281234567890");
    EXPECT_FALSE(message.recipient_quoted);
    EXPECT_TRUE(message.typing);
    EXPECT_EQ(message.delivery, model::Delivery::at_most_once);
    EXPECT_EQ(message.due_at - message.accepted_at, 60s);
    EXPECT_EQ(message.callback_url, account.callback_url);
}

TEST_F(AdmissionTest, MediaNeedsAPublicUrlAndNoCaption) {
    auto media = text();
    media.type = MessageType::media;
    media.content.reset();
    EXPECT_EQ(refusal_of(media), Refusal::media_url_missing);
    for (const auto* url :
         {"https://10.0.0.1/a.png", "ftp://host.example/a.png", "http://localhost/"}) {
        media.media_url = url;
        EXPECT_EQ(refusal_of(media), Refusal::media_url_invalid) << url;
    }
    media.media_url = "http://host.example/a.png";
    const auto admitted = admit(media);
    ASSERT_TRUE(admitted);
    EXPECT_EQ((*admitted)->body, "");
    EXPECT_EQ((*admitted)->media_url, "http://host.example/a.png");
}

TEST_F(AdmissionTest, TextOfWhiteSpaceAloneIsEmpty) {
    for (const auto* blank : {"", " \t\r\n", "\u0085\u00a0\u2028\u3000"}) {
        auto asked = text();
        asked.content = blank;
        EXPECT_EQ(refusal_of(asked), Refusal::message_empty);
    }
    for (const auto* visible : {"\u200b", "\u200d", "\u2060", "\ufeff", "\u180e", " \u200b "}) {
        auto asked = text();
        asked.content = visible;
        EXPECT_EQ(refusal_of(asked), Refusal::internal);
    }
}

TEST_F(AdmissionTest, CharactersAreCountedNotBytes) {
    auto asked = text();
    asked.content = "🕊🕊🕊🕊🕊🕊🕊🕊🕊🕊";
    EXPECT_EQ(refusal_of(asked), Refusal::internal);
    *asked.content += "x";
    EXPECT_EQ(refusal_of(asked), Refusal::message_too_long);
}

TEST_F(AdmissionTest, ADelayIsWithinItsRevisionsBoundsAndNeverClamped) {
    for (const auto& [revision, most] : {std::pair{Revision::a, 18'000U}, {Revision::b, 60U}}) {
        auto asked = text();
        asked.revision = revision;
        for (const auto& [seconds, answer] : {std::pair{0U, Refusal::delay_invalid},
                                              {1U, Refusal::internal},
                                              {most, Refusal::internal},
                                              {most + 1, Refusal::delay_invalid}}) {
            asked.delay = {.kind = Delay::Kind::seconds, .seconds = seconds};
            EXPECT_EQ(refusal_of(asked), answer) << seconds;
        }
    }
}

TEST_F(AdmissionTest, ARandomDelayStaysWithinTheSettingAndTheRevisionsBound) {
    for (const auto& [setting, most] : {std::pair{30U, 30s}, {500U, 60s}}) {
        const Admission drawing{{.clock = clock,
                                 .random = random,
                                 .directory = directory,
                                 .policy = policy,
                                 .connectors = connectors,
                                 .condition = condition},
                                {.random_delay_max = setting}};
        for (int turn = 0; turn < 200; ++turn) {
            auto asked = text();
            asked.revision = Revision::b;
            asked.delay = {.kind = Delay::Kind::random};
            const auto admitted =
                drawing.admit(std::move(asked), directory.find_account({7})->account);
            ASSERT_TRUE(admitted);
            const auto delay = (*admitted)->due_at - (*admitted)->accepted_at;
            EXPECT_GE(delay, 1s);
            EXPECT_LE(delay, most);
        }
    }
}

TEST_F(AdmissionTest, RevisionBAnswersForRecipientAndDeviceAtOnceAndHasNoCallback) {
    auto asked = text();
    asked.revision = Revision::b;
    EXPECT_EQ((*admit(asked))->callback_url, "");
    asked.recipient = "6281";
    EXPECT_EQ(refusal_of(asked), Refusal::send_failed);
    asked.revision = Revision::a;
    EXPECT_EQ(refusal_of(asked), Refusal::internal);  // The callback reports it.
    condition.note_damaged_lane(device.number);
    EXPECT_EQ(refusal_of(asked), Refusal::storage_damaged);
    asked.revision = Revision::b;
    EXPECT_EQ(refusal_of(asked), Refusal::send_failed);
}

TEST_F(AdmissionTest, WhileTheDatabaseIsAwayBothRevisionsSayThatTheStorageIsUnavailable) {
    auto asked = text();
    condition.set_available(false);
    for (const auto revision : {Revision::a, Revision::b}) {
        asked.revision = revision;
        EXPECT_EQ(refusal_of(asked), Refusal::storage_unavailable);
    }
    condition.set_available(true);
    EXPECT_TRUE(admit(asked));
}

TEST_F(AdmissionTest, ADeviceOfAConnectorThatIsNotHereIsDisconnected) {
    device.connector = "cloud";
    directory.put_device(device);
    EXPECT_EQ(refusal_of(text()), Refusal::device_disconnected);
}

}  // namespace
}  // namespace merpati::admission
