// Posts of the official platform where several nodes share the accounts: who gets them, and what
// strangers who sign them wrongly may take from others.
#include "daemon/platform_posts.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/cloud_webhook_fixture.hpp"
#include "daemon/late_answer_fixture.hpp"
#include "forwarding/forwarding_fixture.hpp"

namespace merpati::daemon {
namespace {

using connector::PlatformWebhook;
using forwarding::eventually;

/// Of the other nodes one works for the even shards, and one for the odd ones. They keep posts to
/// /wait, and answer those to /taken with 200, to /strange with 401.
struct PlatformPostsTest : forwarding::ForwardingFixture<1'000> {
    PlatformPostsTest() {
        for (auto* node : {&first, &second}) {
            for (const auto& [path, status] : {std::pair{"/taken", std::uint16_t{200}},
                                               std::pair{"/strange", std::uint16_t{401}}}) {
                node->routes.add(
                    http::Method::post, path,
                    [node, status](const http::Request&, http::Responder responder) {
                        ++node->calls;
                        responder.send({.status = status});
                    },
                    forwarding::WorkingNode::large);
            }
        }
        forwarding::Owners owners;
        for (forwarding::Shard shard = 0; shard < forwarding::shard_count; ++shard) {
            owners.at(shard) = shard % 2 == 0 ? owner_at(1, first) : owner_at(2, second);
        }
        forwarder.set_owners(owners);
        posts.attend(webhook);
    }
    ~PlatformPostsTest() override { forwarder.stop(); }

    LateAnswerPtr post(const std::string& path, const std::string& body = "{}",
                       const std::string& client = "192.0.2.1",
                       const std::string& signed_as = "sha256=" + std::string(64, 'a')) {
        auto answer = std::make_shared<LateAnswer>();
        const std::array headers{http::Request::Header{"X-Hub-Signature-256", signed_as}};
        const http::Request request{.method = http::Method::post,
                                    .path = path,
                                    .headers = headers,
                                    .peer = *http::PeerAddress::parse(client)};
        const auto receiver = posts.take(
            [this](const http::Request& asked, http::Responder responder,
                   const http::PieceHold& /*hold*/) {
                return webhook.receive(asked, std::move(responder));
            },
            request, http::Responder{answer}, http::PieceHold{nullptr, 0});
        if (receiver != nullptr) {
            receiver->take(body, http::PieceHold{nullptr, 0});
            receiver->finish();
        }
        return answer;
    }
    LateAnswerPtr post_unsigned(const std::string& path, const std::string& body = "{}",
                                const std::string& client = "192.0.2.1") {
        platform.answer = PlatformWebhook::Taken::bad_signature;
        auto answer = post(path, body, client);
        platform.answer = PlatformWebhook::Taken::stored;
        return answer;
    }
    /// Posts again and again what nobody has signed, until that is refused. Answers how often.
    int flood(const std::string& client, const std::string& body = "{}") {
        for (int count = 0;; ++count) {
            if (post_unsigned("/wait", body, client)->status() == 503) {
                return count;
            }
        }
    }
    /// A request of somebody whose account is another node's.
    int ask() {
        auto caller = connect();
        caller.send(request("POST /echo", "x", "Authorization: Bearer key\r\n"));
        return caller.receive().status;
    }

    std::uint64_t moves = 0;
    api::FakeWebhook platform;
    api::CloudWebhook webhook{[this] { return &platform; }, api::AppAddress{},
                              [] { return std::optional<std::uint64_t>{0}; }};
    PlatformPosts posts{{.sending = sending,
                         .others = [] { return std::vector<forwarding::Shard>{0, 1}; },
                         .moves = [this] { return moves; }}};
};

TEST_F(PlatformPostsTest, APostThatThisNodeHasVerifiedGoesToAllOthers) {
    EXPECT_EQ(post("/taken")->wait(), 200);
    EXPECT_EQ(platform.taken.size(), 1U);
    EXPECT_EQ(first.calls, 1);
    EXPECT_EQ(second.calls, 1);
    EXPECT_EQ(post("/strange")->wait(), 200);
}

TEST_F(PlatformPostsTest, APostThatThisNodeCannotVerifyMayBeAnothers) {
    EXPECT_EQ(post_unsigned("/taken")->wait(), 200);
    EXPECT_EQ(post_unsigned("/strange")->wait(), 401);
    EXPECT_EQ(first.calls, 2);
}

TEST_F(PlatformPostsTest, WhatHasNoSignatureAtAllGoesNowhere) {
    EXPECT_EQ(post("/taken", "{}", "192.0.2.1", "")->wait(), 401);
    EXPECT_EQ(post("/taken", "{}", "192.0.2.1", "sha256=aa")->wait(), 401);
    EXPECT_TRUE(platform.taken.empty());
    EXPECT_EQ(first.calls, 0);
}

TEST_F(PlatformPostsTest, WhatThisNodeCannotStoreIsPostedAgainToAll) {
    platform.answer = fail(ErrorCode::busy, "too many reports");
    EXPECT_EQ(post("/taken")->wait(), 503);
    EXPECT_EQ(first.calls, 0);
}

TEST_F(PlatformPostsTest, APostMayHaveMissedAnAccountThatHasMovedMeanwhile) {
    auto answer = post("/wait");
    auto waiting = first.take(1);
    auto others = second.take(1);
    ++moves;
    waiting.at(0).send({.status = 200});
    EXPECT_EQ(answer->status(), 0);
    others.at(0).send({.status = 200});
    EXPECT_EQ(answer->wait(), 503);
    EXPECT_EQ(post("/taken")->wait(), 200);
}

TEST_F(PlatformPostsTest, StrangersWhoSignWronglyKeepNeitherThePlatformNorCallersOut) {
    const int of_one = flood("203.0.113.1");
    EXPECT_EQ(of_one, PlatformPosts::unverified_max / PlatformPosts::post_min / 2);
    int strangers = 1;
    while (flood(fmt::format("203.0.113.{}", ++strangers)) > 0) {
    }
    EXPECT_GT(strangers, 4) << "one leaves room for others";
    EXPECT_EQ(ask(), 201);
    EXPECT_EQ(post("/taken")->wait(), 200);
    EXPECT_EQ(post("/taken", "{}", "203.0.113.1")->wait(), 200) << "behind one proxy with them";
}

TEST_F(PlatformPostsTest, LargeBodiesOfStrangersTakeLittle) {
    const std::string body(api::CloudWebhook::body_max, 'x');
    int taken = 0;
    for (int stranger = 1; stranger < 20; ++stranger) {
        taken += flood(fmt::format("203.0.113.{}", stranger), body);
    }
    EXPECT_EQ(taken, static_cast<int>(PlatformPosts::unverified_max / body.size()));
    EXPECT_EQ(post("/taken", body)->wait(), 200);
}

TEST_F(PlatformPostsTest, AClientOfWhichAnotherNodeHasVerifiedAPostHasRoomBesideStrangers) {
    EXPECT_EQ(post_unsigned("/taken", "{}", "198.51.100.7")->wait(), 200);
    for (int stranger = 1; flood(fmt::format("203.0.113.{}", stranger)) > 0; ++stranger) {
    }
    EXPECT_EQ(post_unsigned("/taken", "{}", "198.51.100.8")->wait(), 503);
    EXPECT_EQ(post_unsigned("/taken", "{}", "198.51.100.7")->wait(), 200);
}

TEST_F(PlatformPostsTest, WhatWasAnsweredMakesRoom) {
    const int count = flood("203.0.113.1");
    for (auto* node : {&first, &second}) {
        for (auto& responder : node->take(static_cast<std::size_t>(count))) {
            responder.send({.status = 401});
        }
    }
    EXPECT_TRUE(eventually([this] { return flood("203.0.113.1") > 0; }));
}

}  // namespace
}  // namespace merpati::daemon
