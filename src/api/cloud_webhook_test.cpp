// The webhook of the official platform: what is refused by its head, and who gets room for a body.
#include "api/cloud_webhook.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/cloud_webhook_fixture.hpp"

namespace merpati::api {
namespace {

using connector::PlatformWebhook;
using ::testing::HasSubstr;

struct CloudWebhookTest : ::testing::Test {
    static std::string signature() { return "sha256=" + std::string(64, 'a'); }

    http::Request request(http::Method method, std::string_view address = "192.0.2.1") {
        http::Request made;
        made.method = method;
        made.path = "/v1/platform/cloud";
        made.peer = *http::PeerAddress::parse(address);
        return made;
    }
    /// Begins to post from the address; null: it was answered by its head.
    std::unique_ptr<http::BodyReceiver> begin(const std::string& signed_as,
                                              std::string_view address = "192.0.2.1") {
        sink = std::make_shared<Caught>();
        const std::array headers{http::Request::Header{"x-hub-signature-256", signed_as}};
        auto made = request(http::Method::post, address);
        made.headers = headers;
        return webhook.receive(made, http::Responder{sink});
    }
    static void give(http::BodyReceiver& receiver, std::string piece) {
        receiver.take(std::move(piece), http::PieceHold{std::make_shared<IdleFeed>(), 1});
    }
    /// Posts a whole body, and answers its status; 0: there is no answer yet.
    int post(const std::string& body, std::string_view address = "192.0.2.1") {
        const auto receiver = begin(signature(), address);
        if (receiver != nullptr) {
            give(*receiver, body);
            receiver->finish();
        }
        return status();
    }
    [[nodiscard]] int status() const { return sink->reply ? sink->reply->status : 0; }
    http::Reply verify(std::string_view query) {
        const auto caught = std::make_shared<Caught>();
        auto made = request(http::Method::get);
        made.query = query;
        webhook.verify(made, http::Responder{caught});
        return std::move(*caught->reply);
    }

    FakeWebhook platform;
    PlatformWebhook* found = &platform;
    CloudWebhook webhook{[this] { return found; }, AppAddress{}};
    std::shared_ptr<Caught> sink;
};

TEST_F(CloudWebhookTest, TheChallengeIsAnsweredToTheRightTokenAlone) {
    const auto right = verify("hub.mode=subscribe&hub.verify_token=a%20b&hub.challenge=115%2D8201");
    EXPECT_EQ(right.status, 200);
    EXPECT_EQ(right.body, "115-8201");
    EXPECT_THAT(std::string{right.content_type}, HasSubstr("text/plain"));
    for (const auto* wrong :
         {"", "hub.mode=subscribe&hub.verify_token=x&hub.challenge=1",
          "hub.mode=other&hub.verify_token=a%20b&hub.challenge=1",
          "hub.mode=subscribe&hub.verify_token=a%20b", "hub.mode=subscribe&hub.challenge=1",
          "hub.mode=subscribe&hub.verify_token=a%2&hub.challenge=1"}) {
        EXPECT_EQ(verify(wrong).status, 403) << wrong;
    }
    found = nullptr;
    EXPECT_EQ(verify("hub.mode=subscribe&hub.verify_token=a%20b&hub.challenge=1").status, 403);
}

TEST_F(CloudWebhookTest, ABodyIsAnsweredWhenItIsStored) {
    platform.answer.reset();
    EXPECT_EQ(post(R"({"entry":[]})"), 0);
    EXPECT_THAT(platform.taken, ::testing::ElementsAre(R"({"entry":[]})"));
    EXPECT_THAT(platform.signatures,
                ::testing::ElementsAre(PlatformWebhook::parse_signature(signature())));
    EXPECT_THAT(platform.clients, ::testing::ElementsAre("192.0.2.1"));
    platform.waiting.front()(PlatformWebhook::Taken::stored);
    EXPECT_EQ(status(), 200);
}

TEST_F(CloudWebhookTest, EachRefusalHasItsStatus) {
    platform.answer = PlatformWebhook::Taken::bad_signature;
    EXPECT_EQ(post("{}"), 401);
    platform.answer = PlatformWebhook::Taken::no_secret;
    EXPECT_EQ(post("{}"), 503);
    platform.answer = fail(ErrorCode::busy, "too many reports");
    EXPECT_EQ(post("{}"), 503);
    EXPECT_THAT(sink->reply->headers, HasSubstr("Retry-After"));
    EXPECT_EQ(platform.taken.size(), 3U);
}

TEST_F(CloudWebhookTest, WhatCannotBeVerifiedIsRefusedByItsHead) {
    for (const auto* malformed : {"", "sha256=", "sha1=aaaa"}) {
        EXPECT_EQ(begin(malformed), nullptr) << malformed;
        EXPECT_EQ(status(), 401) << malformed;
    }
    EXPECT_EQ(begin(signature() + "a"), nullptr);
    EXPECT_EQ(begin("sha256=" + std::string(64, 'g')), nullptr);
    EXPECT_EQ(status(), 401);
    platform.secret = false;
    EXPECT_EQ(begin(signature()), nullptr);
    EXPECT_EQ(status(), 503);
    found = nullptr;
    EXPECT_EQ(begin(signature()), nullptr);
    EXPECT_EQ(status(), 503);
    EXPECT_TRUE(platform.taken.empty());
}

TEST_F(CloudWebhookTest, ABodyThatAnotherNodeMayVerifyIsTakenFirst) {
    const CloudWebhook shared{[this] { return found; }, AppAddress{},
                              [] { return std::optional<std::uint64_t>{0}; }};
    const auto post = [&](const std::string& signed_as) {
        sink = std::make_shared<Caught>();
        const std::array headers{http::Request::Header{"x-hub-signature-256", signed_as}};
        auto made = request(http::Method::post);
        made.headers = headers;
        const auto receiver = shared.receive(made, http::Responder{sink});
        EXPECT_EQ(receiver == nullptr, sink->reply.has_value());
        if (receiver != nullptr) {
            give(*receiver, "{}");
            receiver->finish();
        }
        return status();
    };
    platform.secret = false;
    platform.answer = PlatformWebhook::Taken::no_secret;
    EXPECT_EQ(post(signature()), 503);
    EXPECT_EQ(platform.taken.size(), 1U);
    found = nullptr;
    EXPECT_EQ(post(signature()), 503);
    EXPECT_THAT(sink->reply->content(), HasSubstr("no_app_secret"));
    EXPECT_EQ(post("sha256=none"), 401);
}

TEST_F(CloudWebhookTest, APostDuringWhichAnAccountMovesIsPostedAgain) {
    std::optional<std::uint64_t> moves = 7;
    const CloudWebhook shared{[this] { return found; }, AppAddress{}, [&] { return moves; }};
    platform.answer.reset();
    const auto begin = [&] {
        sink = std::make_shared<Caught>();
        const auto signed_as = signature();
        const std::array headers{http::Request::Header{"x-hub-signature-256", signed_as}};
        auto made = request(http::Method::post);
        made.headers = headers;
        auto receiver = shared.receive(made, http::Responder{sink});
        if (receiver != nullptr) {
            give(*receiver, "{}");
            receiver->finish();
        }
    };
    const auto store = [&] {
        std::exchange(platform.waiting, {}).front()(PlatformWebhook::Taken::stored);
        return status();
    };
    begin();
    EXPECT_EQ(store(), 200);
    begin();
    moves = 8;
    EXPECT_EQ(store(), 503);
    begin();
    moves.reset();
    EXPECT_EQ(store(), 503);
    begin();  // By its head: an account is on its way.
    EXPECT_EQ(status(), 503);
    EXPECT_TRUE(platform.waiting.empty());
}

TEST_F(CloudWebhookTest, AClientOfWhichAnotherNodeHasVerifiedAPostIsKnown) {
    const auto client = *http::PeerAddress::parse("192.0.2.1");
    EXPECT_FALSE(webhook.is_known(client));
    webhook.note_verified(client);
    EXPECT_TRUE(webhook.is_known(client));
    EXPECT_FALSE(webhook.is_known(*http::PeerAddress::parse("192.0.2.2")));
}

TEST_F(CloudWebhookTest, AnAddressThatFillsTheRoomKeepsNoOtherOut) {
    platform.answer.reset();
    const std::string piece(64UL * 1024, 'x');
    std::vector<std::unique_ptr<http::BodyReceiver>> greedy;
    std::size_t held = 0;
    for (bool refused = false; !refused;) {
        greedy.push_back(begin(signature()));
        for (std::size_t size = 0; size < CloudWebhook::body_max && !refused;
             size += piece.size()) {
            give(*greedy.back(), piece);
            refused = status() == 503;
            held += refused ? 0 : piece.size();
        }
    }
    EXPECT_LE(held, CloudWebhook::bytes_of_strangers_max / 2 + piece.size());
    const auto other = begin(signature(), "198.51.100.7");
    for (std::size_t size = 0; size + piece.size() <= CloudWebhook::body_max;
         size += piece.size()) {
        give(*other, piece);
    }
    EXPECT_EQ(status(), 0) << "it has room for a whole body";
    greedy.clear();
    EXPECT_EQ(post(piece), 0) << "what was given back is free again";
}

TEST_F(CloudWebhookTest, StrangersCannotFillTheRoomOfKnownClients) {
    platform.answer.reset();
    platform.standings["198.51.100.7"] = PlatformWebhook::Standing::known;
    const std::string body(CloudWebhook::body_max, 'x');
    int stranger = 0;
    while (post(body, "203.0.113." + std::to_string(stranger)) == 0) {
        ++stranger;  // Each from an address of its own.
    }
    EXPECT_EQ(status(), 503);
    EXPECT_EQ(stranger, 5);
    EXPECT_EQ(post(body, "198.51.100.7"), 0);
    EXPECT_EQ(platform.clients.back(), "198.51.100.7");
}

TEST_F(CloudWebhookTest, OneThatPostsTooMuchWithoutARightSignatureIsRefusedByItsHead) {
    platform.standings["192.0.2.1"] = PlatformWebhook::Standing::refused;
    EXPECT_EQ(begin(signature()), nullptr);
    EXPECT_EQ(status(), 503);
    EXPECT_THAT(sink->reply->headers, HasSubstr("Retry-After"));
    EXPECT_EQ(post("{}", "198.51.100.7"), 200);
}

TEST_F(CloudWebhookTest, ABodyThatIsBeingStoredStillCounts) {
    platform.answer.reset();
    const std::string body(4UL * 1024 * 1024, 'x');
    EXPECT_EQ(post(body), 0);
    EXPECT_EQ(post(body), 0);
    EXPECT_EQ(post(body), 503);
    platform.waiting.front()(PlatformWebhook::Taken::stored);
    EXPECT_EQ(post(body), 0);
}

}  // namespace
}  // namespace merpati::api
