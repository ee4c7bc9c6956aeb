// Requests on their way from one node to another.
#include <gmock/gmock.h>

#include "forwarding/caller.hpp"
#include "forwarding/forwarding_fixture.hpp"
#include "forwarding/passage_text.hpp"

namespace merpati::forwarding {
namespace {

using ::testing::HasSubstr;

using ForwardingTest = ForwardingFixture<>;

TEST_F(ForwardingTest, ARequestAndItsAnswerArePassedOnWhole) {
    let_work(first);
    auto client = connect();
    client.send(request("POST /echo?a=1&b=%20", "the body", "X-One: 1\r\nX-Request-Id: mine\r\n"));
    const auto answer = client.receive();
    EXPECT_EQ(answer.status, 201);
    EXPECT_EQ(answer.header("Content-Type"), "text/plain");
    EXPECT_EQ(answer.header("X-Request-Id"), "mine");
    EXPECT_THAT(answer.body, HasSubstr("a=1&b=%20|the body"));
    EXPECT_THAT(answer.body, HasSubstr("X-One: 1"));
    EXPECT_EQ(forwarder.passed_total(), 1U);
}

TEST_F(ForwardingTest, TheCallersAddressIsThatWhichTheFirstNodeSaw) {
    let_work(first);
    auto client = RawClient::connect(server->addresses().at(0), "127.0.0.7");
    client.send(request("POST /echo", {},
                        "Merpati-Caller: 203.0.113.7 tls socket\r\nMerpati-Proof: 00\r\n"));
    const auto answer = client.receive();
    EXPECT_EQ(answer.header("X-Peer"), "127.0.0.7");
    EXPECT_EQ(answer.header("X-Way"), "plain");
}

TEST_F(ForwardingTest, WhoLacksTheSecretGetsNothing) {
    auto stranger = RawClient::connect(first.address());
    stranger.send(request("POST /echo", "x"));
    EXPECT_EQ(stranger.receive().status, 421);
    EXPECT_TRUE(stranger.is_closed());

    const auto proof = secret.prove("POST", "/echo", "203.0.113.7");
    auto thief = RawClient::connect(first.address());
    thief.send(
        request("POST /echo", "x",
                "Merpati-Caller: local loopback socket\r\nMerpati-Proof: " + proof + "\r\n"));
    EXPECT_EQ(thief.receive().status, 421);
    EXPECT_EQ(first.calls, 0);
}

TEST_F(ForwardingTest, ARequestWaitsUntilANodeWorks) {
    auto client = connect();
    client.send(request("POST /echo", "early"));
    EXPECT_FALSE(client.is_readable(50ms));
    let_work(first);
    EXPECT_THAT(client.receive().body, HasSubstr("early"));
    EXPECT_EQ(first.calls, 1);
}

TEST_F(ForwardingTest, ARequestWaitsNoLongerThanItsPatience) {
    auto client = connect();
    client.send(request("POST /echo", "early"));
    EXPECT_FALSE(client.is_readable(50ms));
    clock.advance(14s);
    EXPECT_FALSE(client.is_readable(300ms));
    clock.advance(2s);
    const auto answer = client.receive();
    EXPECT_EQ(answer.status, 503);
    EXPECT_EQ(answer.header("Retry-After"), "1");
    EXPECT_EQ(answer.body, "refused 503");
    let_work(first);
    client.send(request("POST /echo", "later"));
    EXPECT_THAT(client.receive().body, HasSubstr("later"));
    EXPECT_EQ(first.calls, 1);
}

TEST_F(ForwardingTest, ANodeThatDoesNotWorkSaysSoAndAnotherIsLookedFor) {
    ReceivingDesk idle{secret, http::testing::refusal_text, {}, party_of, telemetry::Log::none()};
    http::Router idle_router;
    idle.add_routes(idle_router);
    http::Server idle_server{clock,       random,      {.listen = {"127.0.0.1:0"}},
                             idle_router, idle_router, http::testing::refusal_text};
    ASSERT_TRUE(idle_server.start());
    forwarder.set_owners(owner_of_all(Owner{.node = 9, .address = idle_server.addresses().at(0)}));
    auto client = connect();
    client.send(request("POST /echo", "x"));
    EXPECT_FALSE(client.is_readable(300ms));
    let_work(first);
    EXPECT_EQ(client.receive().status, 201);
}

TEST_F(ForwardingTest, RequestsWaitWhileTheNodeRefusesConnections) {
    let_work(first);
    first.stop();
    auto one = connect();
    auto two = connect();
    one.send(request("POST /echo", "1"));
    two.send(request("POST /echo", "2"));
    EXPECT_FALSE(one.is_readable(300ms));
    let_work(second);
    EXPECT_EQ(one.receive().status, 201);
    EXPECT_EQ(two.receive().status, 201);
    EXPECT_EQ(second.calls, 2);
}

TEST_F(ForwardingTest, ANodeThatHasAnsweredAndListensNoMoreIsDead) {
    let_work(first);
    auto client = connect();
    client.send(request("POST /echo", "1"));
    EXPECT_EQ(client.receive().status, 201);
    const auto owner = forwarder.owner(0);
    ASSERT_TRUE(owner);
    first.stop();
    client.send(request("GET /wait"));
    EXPECT_FALSE(client.is_readable(300ms));
    EXPECT_FALSE(forwarder.is_dead(*owner));
    clock.advance(Forwarder::dead_after);
    EXPECT_TRUE(eventually([&] { return forwarder.is_dead(*owner); }));
    EXPECT_FALSE(forwarder.is_dead(Owner{.node = owner->node, .generation = 9}));
}

TEST_F(ForwardingTest, ANodeThatHasNeverAnsweredIsNotDead) {
    let_work(first);
    first.stop();
    auto client = connect();
    client.send(request("GET /wait"));
    EXPECT_FALSE(client.is_readable(300ms));
    clock.advance(Forwarder::dead_after * 5);
    EXPECT_FALSE(client.is_readable(500ms));
    EXPECT_FALSE(forwarder.is_dead(*forwarder.owner(0)));
}

TEST_F(ForwardingTest, AQuestionIsAskedAgainWhenItsNodeIsGone) {
    auto [client, lost] = begin_at_first("GET /wait", {});
    first.stop();
    let_work(second);
    second.take(1).at(0).send({.body = "the answer"});
    EXPECT_EQ(client.receive().body, "the answer");
}

TEST_F(ForwardingTest, AChangeIsNotMadeTwiceWhenItsNodeIsGone) {
    auto [client, lost] = begin_at_first("POST /wait", "x");
    first.stop();
    let_work(second);
    EXPECT_EQ(client.receive().status, 502);
    EXPECT_EQ(second.calls, 0);
}

TEST_F(ForwardingTest, TheLastAnswersOfANodeThatLeavesAreTaken) {
    auto [client, waiting] = begin_at_first("POST /wait", "x");
    let_work(second);
    EXPECT_FALSE(client.is_readable(300ms));
    waiting.at(0).send({.body = "just in time"});
    EXPECT_EQ(client.receive().body, "just in time");
}

TEST_F(ForwardingTest, ANodeThatLeavesIsAskedNothingMore) {
    auto [client, waiting] = begin_at_first("POST /wait", "x");
    first.leave();
    auto other = connect();
    other.send(request("POST /echo", "y"));
    EXPECT_FALSE(other.is_readable(300ms));
    waiting.at(0).send({.body = "just in time"});
    EXPECT_EQ(client.receive().body, "just in time");
    let_work(second);
    EXPECT_EQ(other.receive().status, 201);
    EXPECT_EQ(first.calls, 1);
}

TEST_F(ForwardingTest, WhatANodesServerDidNotTakeGoesToTheNext) {
    first.routes.add(http::Method::post, "/full", [](const http::Request&, http::Responder answer) {
        answer.send({.status = 503, .body = std::string{not_taken_body}});
    });
    second.routes.add(http::Method::post, "/full",
                      [](const http::Request&, http::Responder answer) { answer.send({}); });
    let_work(first);
    auto client = connect();
    client.send(request("POST /full", "x"));
    EXPECT_FALSE(client.is_readable(300ms));
    let_work(second);
    EXPECT_EQ(client.receive().status, 200);
}

TEST_F(ForwardingTest, AFrozenNodeIsGivenUpWhenAnotherWorks) {
    auto [client, waiting] = begin_at_first("POST /wait", "x");
    let_work(second);
    EXPECT_FALSE(client.is_readable(300ms));
    clock.advance(Forwarder::last_answers);
    EXPECT_EQ(client.receive().status, 502);
}

TEST_F(ForwardingTest, ALargeBodyIsPassedOnInPieces) {
    let_work(first);
    auto client = connect();
    constexpr std::size_t size = 5'000'000;
    ASSERT_TRUE(client.send(request("POST /upload", std::string(size, 'x'))));
    EXPECT_EQ(client.receive().body, std::to_string(size));
}

TEST_F(ForwardingTest, ALargeBodyWaitsForANodeToo) {
    auto client = connect();
    constexpr std::size_t size = 1'000'000;
    std::thread sender{[&] { client.send(request("POST /upload", std::string(size, 'x'))); }};
    EXPECT_FALSE(client.is_readable(100ms));
    let_work(first);
    sender.join();
    EXPECT_EQ(client.receive().body, std::to_string(size));
}

TEST_F(ForwardingTest, ABodyThatIsTooLargeIsRefusedByTheNodeThatWorks) {
    first.routes.before_too_large = [](const http::Request& request) {
        return http::Reply{.status = 401, .body = std::string{request.path}};
    };
    let_work(first);
    auto client = connect();
    client.send(request("POST /echo", std::string(100'000, 'x')));
    const auto answer = client.receive();
    EXPECT_EQ(answer.status, 401);
    EXPECT_EQ(answer.body, "/echo");
}

TEST_F(ForwardingTest, ALongAnswerIsPassedOnInPieces) {
    let_work(first);
    auto client = connect();
    client.send("GET /pages?3000000 HTTP/1.0\r\nHost: a\r\n\r\n");
    const auto all = client.receive_all();
    EXPECT_EQ(all.size() - all.find("\r\n\r\n") - 4, 3'000'000U);
}

TEST_F(ForwardingTest, AHeadIsAnsweredWithoutABody) {
    let_work(first);
    auto client = connect();
    client.send("HEAD /pages?5 HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(client.receive(false).status, 200);
    client.send(request("POST /echo", "next"));
    EXPECT_THAT(client.receive().body, HasSubstr("next"));
}

TEST_F(ForwardingTest, ARequestOfACallerThatHungUpIsForgotten) {
    auto client = connect();
    client.send(request("POST /echo", "x"));
    EXPECT_FALSE(client.is_readable(50ms));
    client.hang_up();
    auto other = connect();
    other.send(request("GET /wait"));
    EXPECT_FALSE(other.is_readable(500ms));
    let_work(first);
    first.take(1).at(0).send({});
    EXPECT_EQ(other.receive().status, 200);
    EXPECT_EQ(first.calls, 1);
}

TEST_F(ForwardingTest, WhatIsUnderWayAtTheEndIsRefused) {
    auto client = connect();
    client.send(request("POST /echo", "x"));
    EXPECT_FALSE(client.is_readable(50ms));
    forwarder.stop();
    EXPECT_EQ(client.receive().status, 503);
    client.send(request("POST /echo", "x"));
    EXPECT_EQ(client.receive().status, 503);
}

using FullForwardingTest = ForwardingFixture<4>;

TEST_F(FullForwardingTest, OneCallerLeavesRoomForOthers) {
    std::vector<RawClient> clients;
    const auto send = [&](std::string_view key) {
        clients.push_back(connect());
        clients.back().send(
            request("POST /echo", "x", "Authorization: Bearer " + std::string{key} + "\r\n"));
        return clients.size() - 1;
    };
    const auto greedy = send("a");
    EXPECT_FALSE(clients[greedy].is_readable(50ms));
    const auto second_one = send("a");
    EXPECT_FALSE(clients[second_one].is_readable(50ms));
    EXPECT_EQ(clients[send("a")].receive().status, 503);
    const auto other = send("b");
    EXPECT_FALSE(clients[other].is_readable(50ms));
    let_work(first);
    for (const auto place : {greedy, second_one, other}) {
        EXPECT_EQ(clients[place].receive().status, 201);
    }
}

}  // namespace
}  // namespace merpati::forwarding
