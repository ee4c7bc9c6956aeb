// Answers that are sent later, from another thread, or never.
#include <mutex>
#include <vector>

#include "http/reply_queue.hpp"
#include "http/server_fixture.hpp"

namespace merpati::http::testing {
namespace {

/// A server whose /wait stores the Responders until the test answers.
struct AsyncAnswerTest : ServerTest {
    AsyncAnswerTest() {
        router.add(Method::post, "/wait", [this](const Request& request, Responder responder) {
            const std::lock_guard lock{mutex};
            waiting.emplace_back(std::string{request.body}, std::move(responder));
        });
    }

    /// Takes the Responders out once `count` requests wait.
    std::vector<std::pair<std::string, Responder>> take(std::size_t count) {
        EXPECT_TRUE(eventually([&] {
            const std::lock_guard lock{mutex};
            return waiting.size() >= count;
        }));
        const std::lock_guard lock{mutex};
        return std::exchange(waiting, {});
    }

    static std::string request(std::string_view body) {
        return "POST /wait HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(body.size()) +
               "\r\n\r\n" + std::string{body};
    }

    std::mutex mutex;
    std::vector<std::pair<std::string, Responder>> waiting;
};

TEST_F(AsyncAnswerTest, AnswersFromAnotherThread) {
    start();
    auto client = connect();
    client.send(request("one"));
    take(1).at(0).second.send({.status = 201, .body = "later"});
    const Answer answer = client.receive();
    EXPECT_EQ(answer.status, 201);
    EXPECT_EQ(answer.body, "later");
    client.send("GET /path/1 HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(client.receive().body, "/path/1|");
}

TEST_F(AsyncAnswerTest, CountsAnAuthenticatedCallerAsAnonymousNoMoreWhileTheAnswerIsMissing) {
    router.add(Method::get, "/mine", [this](const Request& request, Responder responder) {
        request.vouch(Party::account(1));
        const std::lock_guard lock{mutex};
        waiting.emplace_back("", std::move(responder));
    });
    start();
    auto client = connect();
    client.send("GET /mine HTTP/1.1\r\nHost: a\r\n\r\n");
    auto waiter = std::move(take(1).at(0));
    EXPECT_TRUE(eventually([&] { return server->counts().anonymous_bytes == 0; }));
    waiter.second.send({.body = "yours"});
    EXPECT_EQ(client.receive().body, "yours");
}

TEST_F(AsyncAnswerTest, KeepsTheOrderOfPipelinedRequests) {
    start();
    auto client = connect();
    client.send("GET /path/0 HTTP/1.1\r\nHost: a\r\n\r\n" + request("one") + request("two") +
                "GET /path/3 HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(client.receive().body, "/path/0|");
    auto first = take(1);
    EXPECT_EQ(first.size(), 1U);
    EXPECT_EQ(first.at(0).first, "one");
    EXPECT_EQ(server->counts().requests_total, 2U);
    first.at(0).second.send({.body = "1"});
    EXPECT_EQ(client.receive().body, "1");
    take(1).at(0).second.send({.body = "2"});
    EXPECT_EQ(client.receive().body, "2");
    EXPECT_EQ(client.receive().body, "/path/3|");
}

TEST_F(AsyncAnswerTest, AnswersManyClientsAtOnce) {
    options.threads = 2;
    start();
    std::vector<RawClient> clients;
    for (int i = 0; i < 60; ++i) {
        clients.push_back(connect());
        clients.back().send(request(std::to_string(i)));
    }
    std::vector<std::thread> threads;
    for (auto& waiter : take(60)) {
        threads.emplace_back([waiter = std::move(waiter)]() mutable {
            waiter.second.send({.body = "answer " + waiter.first});
        });
    }
    for (int i = 0; i < 60; ++i) {
        EXPECT_EQ(clients[static_cast<std::size_t>(i)].receive().body,
                  "answer " + std::to_string(i));
    }
    for (auto& thread : threads) {
        thread.join();
    }
}

TEST_F(AsyncAnswerTest, Answers500ForADroppedResponder) {
    router.add(Method::get, "/forget", [](const Request&, const Responder&) {});
    start();
    auto client = connect();
    client.send("GET /forget HTTP/1.1\r\nHost: a\r\n\r\n" + request("x"));
    const Answer at_once = client.receive();
    EXPECT_EQ(at_once.status, 500);
    EXPECT_EQ(at_once.body, "refused 500");
    take(1).clear();
    const Answer later = client.receive();
    EXPECT_EQ(later.status, 500);
    EXPECT_EQ(later.body, "refused 500");
}

TEST_F(AsyncAnswerTest, Answers500WhenAResponderIsOverwritten) {
    start();
    auto one = connect();
    one.send(request("1"));
    auto first = take(1);
    auto two = connect();
    two.send(request("2"));
    auto second = take(1);
    first.at(0).second = std::move(second.at(0).second);
    EXPECT_EQ(one.receive().status, 500);
    first.at(0).second.send({.body = "two"});
    EXPECT_EQ(two.receive().body, "two");
}

TEST_F(AsyncAnswerTest, ForgetsAClientThatHungUpWhileWaiting) {
    start();
    for (int i = 0; i < 20; ++i) {
        auto client = connect();
        client.send(request("x"));
        auto waiters = take(1);
        client.hang_up();
        waiters.at(0).second.send({.body = std::string(100'000, 'x')});
    }
    EXPECT_TRUE(eventually([&] { return server->counts().connections_open == 0; }));
    auto client = connect();
    client.send("GET /path/1 HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(client.receive().status, 200);
}

TEST_F(AsyncAnswerTest, LetsAResponderOutliveTheServer) {
    start();
    auto client = connect();
    client.send(request("x") + request("y"));
    auto waiters = take(1);
    server.reset();
    EXPECT_TRUE(client.is_closed());
    waiters.at(0).second.send({.body = "too late"});
}

TEST_F(AsyncAnswerTest, LeavesTheRequestWholeAfterItsAnswer) {
    std::string after;
    router.add(Method::post, "/early", [&](const Request& request, Responder responder) {
        responder.send({.body = std::string(100'000, 'e')});
        after = std::string{request.body} + "|" + std::string{request.id} + "|" +
                std::string{request.headers[0].second};
    });
    start();
    auto client = connect();
    client.send(
        "POST /early HTTP/1.1\r\nHost: a\r\nX-Request-Id: id\r\nContent-Length: 4\r\n\r\nbody");
    EXPECT_EQ(client.receive().body.size(), 100'000U);
    server->stop();
    EXPECT_EQ(after, "body|id|a");
}

TEST_F(AsyncAnswerTest, LetsOneHandlerAnswerTheRequestsOfOthers) {
    router.add(Method::post, "/release", [this](const Request&, Responder responder) {
        std::vector<std::pair<std::string, Responder>> released;
        {
            const std::lock_guard lock{mutex};
            released.swap(waiting);
        }
        for (auto& [body, waiter] : released) {
            waiter.send({.body = "released " + body});
        }
        responder.send({.body = std::to_string(released.size())});
    });
    start();
    auto waiter = connect();
    waiter.send(request("w") + "GET /path/1 HTTP/1.1\r\nHost: a\r\n\r\n");
    ASSERT_TRUE(eventually([&] {
        const std::lock_guard lock{mutex};
        return waiting.size() == 1;
    }));
    auto other = connect();
    other.send("POST /release HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(other.receive().body, "1");
    EXPECT_EQ(waiter.receive().body, "released w");
    EXPECT_EQ(waiter.receive().body, "/path/1|");
}

TEST_F(AsyncAnswerTest, DoesNotNestPipelinedRequests) {
    std::uintptr_t lowest = UINTPTR_MAX;
    std::uintptr_t highest = 0;
    router.add(Method::get, "/depth", [&](const Request&, Responder responder) {
        const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
        lowest = std::min(lowest, here);
        highest = std::max(highest, here);
        responder.send({});
    });
    start();
    auto client = connect();
    std::thread writer{[&] {
        for (int i = 0; i < 200; ++i) {
            std::string requests;
            for (int j = 0; j < 100; ++j) {
                requests += "GET /depth HTTP/1.1\r\nHost: a\r\n\r\n";
            }
            client.send(requests);
        }
        client.stop_sending();
    }};
    (void)client.receive_all();
    writer.join();
    server->stop();
    EXPECT_EQ(server->counts().requests_total, 20'000U);
    EXPECT_LT(highest - lowest, 64U * 1024);
}

TEST_F(ServerTest, AnUpgradedConnectionIsGivenAway) {
    std::atomic<int> taken = -1;
    router.add(Method::get, "/upgrade", [&](const Request& /*request*/, Responder responder) {
        Reply reply{.status = 101,
                    .upgrade = [&](FileDescriptor socket) { taken = socket.release(); }};
        reply.add_header("Upgrade", "another");
        responder.send(std::move(reply));
    });
    start();
    auto client = connect();
    client.send("GET /upgrade HTTP/1.1\r\nHost: a\r\n\r\n");
    const auto answer = client.receive();
    EXPECT_EQ(answer.status, 101);
    EXPECT_EQ(answer.header("Upgrade"), "another");
    EXPECT_EQ(answer.header("Connection"), "");
    ASSERT_TRUE(eventually([&] { return taken >= 0; }));
    RawClient other_end{FileDescriptor{taken}};
    EXPECT_TRUE(eventually([&] { return server->counts().connections_open == 0; }));
    server->stop();
    client.send("ping");
    EXPECT_EQ(other_end.receive_bytes(4), "ping");
    other_end.send("pong");
    EXPECT_EQ(client.receive_bytes(4), "pong");
}

TEST(ReplyQueueTest, WakesItsOwnerOncePerBatch) {
    int wakes = 0;
    ReplyQueue queue{[&] { ++wakes; }};
    for (int i = 0; i < 10; ++i) {
        queue.put({});
    }
    EXPECT_EQ(wakes, 1);
    std::vector<ReplyQueue::Item> items;
    queue.take_all(items);
    EXPECT_EQ(items.size(), 10U);
    queue.put({});
    EXPECT_EQ(wakes, 2);
    queue.close();
    queue.put({});
    EXPECT_EQ(wakes, 2);
    items.clear();
    queue.take_all(items);
    EXPECT_TRUE(items.empty());
}

TEST(ReplyTest, RefusesHeadersOfSeveralLines) {
    Reply reply;
    reply.add_header("X-A", "b");
    EXPECT_EQ(reply.headers, "X-A: b\r\n");
    EXPECT_DEATH(reply.add_header("X-A", "b\r\nX-B: c"), "one line");
    reply.add_header("X-AB", "c: d");
    EXPECT_EQ(reply.added_header("X-A"), "b");
    EXPECT_EQ(reply.added_header("X-AB"), "c: d");
    EXPECT_EQ(reply.added_header("X"), std::nullopt);
    EXPECT_DEATH(reply.add_header("X-A\n", "b"), "one line");
}

TEST(ResponderTest, AnswersOnce) {
    struct Sink : ReplySink {
        void deliver(Reply&& reply) override { status = reply.status; }
        std::uint16_t status = 0;
    };
    const auto sink = std::make_shared<Sink>();
    {
        const Responder dropped{sink};
        EXPECT_EQ(sink->status, 0);
    }
    EXPECT_EQ(sink->status, 500);
    Responder responder{sink};
    responder.send({.status = 202});
    EXPECT_EQ(sink->status, 202);
    EXPECT_DEATH(responder.send({}), "answered once");
}

}  // namespace
}  // namespace merpati::http::testing
