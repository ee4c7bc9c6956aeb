#include "connector/cloud/webhook/webhook.hpp"

#include <algorithm>
#include <condition_variable>
#include <future>
#include <mutex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "connector/cloud/cloud_fixture.hpp"

namespace merpati::connector::cloud {
namespace {

using Kind = model::Outcome::Kind;
using Taken = PlatformWebhook::Taken;

struct WebhookTest : CloudTest {
    Result<Taken> take(const std::string& body, const Sha256& signature,
                       const std::string& client = GraphDouble::client) {
        const auto promise = std::make_shared<std::promise<Result<Taken>>>();
        cloud->platform_webhook()->take(
            {.body = body, .signature = signature, .client = client},
            [promise](auto taken) { promise->set_value(std::move(taken)); });
        return promise->get_future().get();
    }
    Result<Taken> take(const std::string& body) {
        return take(body, GraphDouble::sign(body, GraphDouble::app_secret));
    }
    std::string failed(const std::string& opaque, std::int64_t code) {
        return GraphDouble::status_body(number_id, "wamid.9", "failed", opaque, code);
    }
};

TEST_F(WebhookTest, AnswersTheChallengeForTheRightTokenOnly) {
    const auto& webhook = *cloud->platform_webhook();
    EXPECT_EQ(webhook.challenge("subscribe", GraphDouble::verify_token, "1158201444"),
              "1158201444");
    EXPECT_FALSE(webhook.challenge("subscribe", "guess", "1"));
    EXPECT_FALSE(webhook.challenge("unsubscribe", GraphDouble::verify_token, "1"));
    auto options = graph.options();
    options.verify_token.clear();
    restart(options);
    EXPECT_FALSE(cloud->platform_webhook()->challenge("subscribe", "", "1"));
}

TEST_F(WebhookTest, AStatusIsReportedWithTheMessageThatItNames) {
    const auto id = ids.next();
    EXPECT_EQ(take(GraphDouble::status_body(number_id, "wamid.1", "read", id.text())),
              Taken::stored);
    const auto all = reported();
    ASSERT_EQ(all.statuses.size(), 1U);
    EXPECT_EQ(all.statuses[0].device.number, device.number);
    EXPECT_EQ(all.statuses[0].platform_id, "wamid.1");
    EXPECT_EQ(all.statuses[0].message, id);
    EXPECT_EQ(all.statuses[0].status.progress, model::Progress::read);
    EXPECT_FALSE(all.statuses[0].verdict);
}

TEST_F(WebhookTest, WhatIsNotSignedCountsForNothing) {
    const auto body = GraphDouble::status_body(number_id, "wamid.1", "read", "");
    EXPECT_EQ(take(body, Sha256{}), Taken::bad_signature);
    EXPECT_EQ(take(body, GraphDouble::sign(body + " ", GraphDouble::app_secret)),
              Taken::bad_signature);
    EXPECT_TRUE(reported().statuses.empty());
    auto options = graph.options();
    options.app_secret.clear();
    restart(options);
    EXPECT_FALSE(cloud->platform_webhook()->has_secret());
    EXPECT_EQ(take(body), Taken::no_secret);
}

TEST_F(WebhookTest, ForeignNumbersAndOtherFormsAreTakenAndSkipped) {
    EXPECT_EQ(take(GraphDouble::status_body("999", "wamid.1", "read", "")), Taken::stored);
    EXPECT_EQ(take("no JSON"), Taken::stored);
    EXPECT_TRUE(reported().statuses.empty());
}

TEST_F(WebhookTest, ADisconnectedNumbersStatusesCount) {
    restart();
    auto idle = device;
    idle.number = model::PhoneNumber::from_stored(6281100000009);
    idle.cloud->phone_number_id = "9";
    cloud->know_device(idle);
    // The number is known when its secrets were read.
    while (reported().statuses.empty()) {
        const auto taken = take(GraphDouble::status_body("9", "wamid.1", "sent", ""));
        EXPECT_TRUE(taken ? *taken == Taken::stored : taken.error().code == ErrorCode::busy);
    }
}

TEST_F(WebhookTest, AFailureSaysWhatItMeans) {
    const auto verdict_of = [&](std::int64_t code) {
        EXPECT_EQ(take(failed("", code)), Taken::stored);
        const auto all = reported();
        EXPECT_EQ(all.statuses.back().status.progress, model::Progress::failed);
        return all.statuses.back();
    };
    EXPECT_FALSE(verdict_of(131026).verdict);
    EXPECT_EQ(verdict_of(131026).status.code, model::StatusCode::recipient_unregistered);
    EXPECT_EQ(verdict_of(131026).status.details, "131026 It failed");
    EXPECT_EQ(verdict_of(131000).verdict->kind, Kind::retry);
    EXPECT_EQ(verdict_of(131056).verdict->kind, Kind::restricted);
    EXPECT_EQ(verdict_of(130429).verdict->kind, Kind::device_down);
    EXPECT_TRUE(verdict_of(131047).verdict->as_template);
    device.cloud->fallback_template.clear();
    cloud->know_device(device);
    cloud->start_device(device, {});
    events->wait_until(
        [&](const Reported& all) { return all.states_of(device.number).size() == 2; });
    EXPECT_FALSE(verdict_of(131047).verdict);
}

TEST_F(WebhookTest, OnlyTheFailureOfAFirstPartCounts) {
    const auto id = ids.next();
    EXPECT_TRUE(take(GraphDouble::status_body(number_id, "w", "sent", id.text() + ":1")));
    EXPECT_TRUE(reported().statuses.empty());
    EXPECT_TRUE(take(failed(id.text() + ":1", 131053)));
    EXPECT_EQ(reported().statuses.at(0).message, id);
}

TEST_F(WebhookTest, AnOldFailureDoesNotDisconnectANumberThatWasConnectedSince) {
    EXPECT_TRUE(take(failed("", 190)));  // Its time is years ago.
    EXPECT_EQ(send(message()).kind, Kind::accepted);
    EXPECT_TRUE(reported().is(device.number, model::DeviceState::connected));
}

TEST_F(WebhookTest, WhatIsStoredOfANumberIsLimited) {
    const std::string text(50'000, 'x');
    std::size_t posts = 0;
    Result<Taken> taken = Taken::stored;
    while (taken && posts < 5'000) {
        const auto id = "wamid." + std::to_string(++posts);
        taken = take(GraphDouble::inbound_body(number_id, id, "628", text));
    }
    ASSERT_FALSE(taken);
    EXPECT_EQ(taken.error().code, ErrorCode::busy);
    EXPECT_GE(posts * text.size(), WriteBudget::device_rate * (WriteBudget::burst_seconds - 1));
}

TEST_F(WebhookTest, WhatTheGatewayCannotStoreIsToBePostedAgain) {
    events->refuse_next = 1;
    const auto body = GraphDouble::inbound_body(number_id, "wamid.in", "628", "halo");
    EXPECT_EQ(take(body).error().code, ErrorCode::busy);
    EXPECT_EQ(take(body), Taken::stored);
    const auto all = reported();
    ASSERT_EQ(all.inbound.size(), 1U);
    EXPECT_EQ(all.inbound[0].text, "halo");
    EXPECT_EQ(all.inbound[0].device.number, device.number);
}

/// Posts while the webhook's thread is held, and notes in which order the answers come.
struct WebhookTurnsTest : WebhookTest {
    void post(const std::string& name, const std::string& client, const std::string& body,
              const Sha256& signature = {}) {
        cloud->platform_webhook()->take({.body = body, .signature = signature, .client = client},
                                        [this, name](const auto& /*taken*/) {
                                            if (name == "first") {
                                                go_on.get_future().wait();
                                            }
                                            const std::lock_guard lock{mutex};
                                            answered.push_back(name);
                                            one_more.notify_one();
                                        });
    }
    /// Nothing that is posted after it is looked at before `answers`.
    void hold() { post("first", "192.0.2.99", "{}"); }
    /// So many answers, in their order.
    std::vector<std::string> answers(std::size_t count) {
        go_on.set_value();
        std::unique_lock lock{mutex};
        one_more.wait(lock, [&] { return answered.size() >= count; });
        return answered;
    }
    std::ptrdiff_t place_of(const std::string& name) {
        return std::ranges::find(answered, name) - answered.begin();
    }

    const std::string large = std::string(PlatformWebhook::body_bytes_max, ' ');
    std::promise<void> go_on;
    std::mutex mutex;
    std::condition_variable one_more;
    std::vector<std::string> answered;
};

TEST_F(WebhookTurnsTest, AKnownClientDoesNotWaitForAStrangersPosts) {
    EXPECT_EQ(take("{}"), Taken::stored);  // Its address is known from now on.
    hold();
    for (int number = 0; number < 8; ++number) {
        post("bad", "192.0.2.7", large);
    }
    post("good", GraphDouble::client, "{}", GraphDouble::sign("{}", GraphDouble::app_secret));
    EXPECT_EQ(answers(10).size(), 10U);
    EXPECT_LE(place_of("good"), 2) << "at most one of the stranger's goes first";
}

TEST_F(WebhookTurnsTest, StrangersTakeTurnsToo) {
    hold();
    for (int number = 0; number < 8; ++number) {
        post("bad", "192.0.2.7", large);
    }
    post("good", "192.0.2.8", "{}", GraphDouble::sign("{}", GraphDouble::app_secret));
    EXPECT_EQ(answers(10).size(), 10U);
    EXPECT_LE(place_of("good"), 3);
}

TEST_F(WebhookTurnsTest, OneTurnHashesNoMoreThanOneLargePost) {
    put_secret(model::CloudNumber::app_secret_name, "own");
    cloud->start_device(device, {});
    events->wait_until(
        [&](const Reported& all) { return all.states_of(device.number).size() == 2; });
    EXPECT_EQ(take("{}"), Taken::stored);
    hold();
    post("bad", "192.0.2.7", large);  // Each of the two secrets takes a turn.
    post("good", GraphDouble::client, "{}", GraphDouble::sign("{}", "own"));
    EXPECT_EQ(answers(3), (std::vector<std::string>{"first", "good", "bad"}));
}

TEST_F(WebhookTurnsTest, AStrangerWhoPostsMuchThatNobodySignedIsRefused) {
    EXPECT_EQ(take("{}"), Taken::stored);
    using enum PlatformWebhook::Standing;
    const auto& webhook = *cloud->platform_webhook();
    for (int number = 0; number < 30 && webhook.standing_of("192.0.2.7") != refused; ++number) {
        EXPECT_EQ(take(large, Sha256{}, "192.0.2.7"), Taken::bad_signature);
    }
    EXPECT_EQ(webhook.standing_of("192.0.2.7"), refused);
    EXPECT_EQ(webhook.standing_of("192.0.2.8"), stranger);
    EXPECT_EQ(webhook.standing_of(GraphDouble::client), known);
}

TEST(PlatformSignatureTest, HasOneForm) {
    const auto digits = std::string(62, '0') + "fF";
    const auto read = PlatformWebhook::parse_signature("sha256=" + digits);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->at(31), std::byte{255});
    for (const auto& other :
         {std::string{}, digits, "sha1=" + digits, "sha256=" + digits + "0",
          "sha256=" + digits.substr(1), "sha256=" + std::string(64, 'g'), "SHA256=" + digits}) {
        EXPECT_FALSE(PlatformWebhook::parse_signature(other)) << other;
    }
}

TEST_F(WebhookTest, ManyPostsThatWaitAreRefused) {
    const std::string large(PlatformWebhook::body_bytes_max, ' ');
    std::promise<void> go_on;
    const auto held = go_on.get_future().share();
    std::atomic<int> answered{0};
    std::atomic<int> busy{0};
    constexpr int posts = 20;  // 60 MiB.
    for (int post = 0; post < posts; ++post) {
        cloud->platform_webhook()->take(
            {.body = large, .signature = {}, .client = GraphDouble::client},
            [&, held, post](const auto& taken) {
                if (post == 0) {
                    held.wait();  // Nothing behind it is read meanwhile.
                }
                ++(taken ? answered : busy);
            });
    }
    EXPECT_GE(busy.load(), 4);
    go_on.set_value();
    cloud->stop();
    EXPECT_EQ(answered + busy, posts);
}

}  // namespace
}  // namespace merpati::connector::cloud
