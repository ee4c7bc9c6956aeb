// What known callers may hold, and how they affect other clients.
#include <mutex>
#include <vector>

#include "http/io_thread.hpp"
#include "http/server_fixture.hpp"

namespace merpati::http::testing {
namespace {

constexpr std::string_view stranger = "GET /path/1 HTTP/1.1\r\nHost: a\r\n\r\n";
constexpr std::size_t page_bytes = 200'000;

std::string request_of(int account, std::string_view path = "/mine", std::string_view rest = "") {
    return "GET " + std::string{path} +
           " HTTP/1.1\r\nHost: a\r\nAccount: " + std::to_string(account) + "\r\n\r\n" +
           std::string{rest};
}

/// /mine answers at once, /page with many bytes, /wait when the test says so. All know their caller
/// by the header `Account`.
struct KnownCallersTest : ServerTest {
    KnownCallersTest() {
        options.limits.caller_bytes_max = IoThread::bytes_min;
        route(Method::get, "/mine", [](Responder responder) { responder.send({.body = "yours"}); });
        route(Method::get, "/page",
              [](Responder responder) { responder.send({.body = std::string(page_bytes, 'p')}); });
        route(Method::get, "/wait", [this](Responder responder) {
            const std::lock_guard lock{mutex};
            waiting.push_back(std::move(responder));
        });
        route(Method::post, "/body", [](Responder responder) { responder.send({}); });
        route(Method::post, "/wait", [this](Responder responder) {
            const std::lock_guard lock{mutex};
            waiting.push_back(std::move(responder));
        });
    }

    template <class Answer>
    void route(Method method, const std::string& path, Answer answer) {
        router.add(method, path, [answer](const Request& request, Responder responder) {
            request.vouch(Party::account(std::stoi(std::string{*request.header("Account")})));
            answer(std::move(responder));
        });
    }

    /// Clients that have shown that they are of `account`.
    std::vector<RawClient> clients_of(int account, std::size_t count) {
        std::vector<RawClient> all;
        for (std::size_t i = 0; i < count; ++i) {
            all.push_back(connect());
            all.back().send(request_of(account));
            EXPECT_EQ(all.back().receive().body, "yours");
        }
        return all;
    }

    [[nodiscard]] std::size_t waiters() {
        const std::lock_guard lock{mutex};
        return waiting.size();
    }

    std::mutex mutex;
    std::vector<Responder> waiting;
};

TEST_F(KnownCallersTest, LeaveAPlaceForOthersWhenOneHasTakenAllConnections) {
    options.limits.connections_max = 20;
    start();
    auto bad = clients_of(1, 20);
    auto second_tenant = clients_of(2, 1);
    auto prober = connect();
    prober.send(stranger);
    EXPECT_EQ(prober.receive().status, 200);
    EXPECT_EQ(server->counts().shed_total, 2U);
    EXPECT_EQ(bad.front().receive().status, 0) << "the longest idle was closed";
    second_tenant.front().send(request_of(2));
    EXPECT_EQ(second_tenant.front().receive().body, "yours");
}

TEST_F(KnownCallersTest, LoseIdleConnectionsBeforeThoseThatWaitForAnAnswer) {
    options.limits.connections_max = 6;
    start();
    auto waiter = connect();
    waiter.send(request_of(1, "/wait"));
    ASSERT_TRUE(eventually([&] { return waiters() == 1; }));
    auto idle = clients_of(1, 5);
    const auto others = clients_of(2, 3);
    EXPECT_EQ(idle.front().receive().status, 0);
    waiting.at(0).send({.body = "the answer"});
    EXPECT_EQ(waiter.receive().body, "the answer");
}

TEST_F(KnownCallersTest, AreNotPushedOutByStrangersOfManyAddresses) {
    options.limits.connections_max = 20;
    start();
    auto mine = clients_of(1, 10);
    std::vector<RawClient> strangers;
    for (int i = 0; i < 30; ++i) {
        strangers.push_back(connect(("127.0.1." + std::to_string(i + 1)).c_str()));
        strangers.back().send(stranger);
        (void)strangers.back().receive();
    }
    std::size_t left = 0;
    for (auto& client : mine) {
        client.send(request_of(1));
        left += client.receive().status == 200 ? 1 : 0;
    }
    EXPECT_GE(left, 9U) << "half of the places are theirs";
}

TEST_F(KnownCallersTest, LoseLargeAnswersThatTheyDoNotRead) {
    start();
    auto honest = clients_of(2, 2);
    honest[0].send("POST /body HTTP/1.1\r\nHost: a\r\nAccount: 2\r\nContent-Length: 9\r\n\r\n1234");
    std::vector<RawClient> bad;
    constexpr std::size_t flood = 30;
    std::string pages;
    for (int i = 0; i < 40; ++i) {
        pages += request_of(1, "/page");  // More than the sockets buffer.
    }
    for (std::size_t i = 0; i < flood; ++i) {
        bad.push_back(connect());
        bad.back().send(pages);
    }
    EXPECT_TRUE(eventually([&] {
        const auto counts = server->counts();
        return counts.requests_total >= flood + 2 && counts.shed_total >= flood / 2 &&
               counts.caller_bytes <= options.limits.caller_bytes_max;
    }));
    honest[0].send("56789");
    EXPECT_EQ(honest[0].receive().status, 200) << "half a body is within the share";
    honest[1].send(request_of(2, "/page"));
    EXPECT_EQ(honest[1].receive().body.size(), page_bytes);
}

TEST_F(KnownCallersTest, LoseHalfBodiesThatTheyDoNotFinish) {
    options.limits.body_max = page_bytes;
    start();
    auto honest = clients_of(2, 1);
    auto bad = clients_of(1, 30);
    const std::string half = "POST /body HTTP/1.1\r\nHost: a\r\nAccount: 1\r\nContent-Length: " +
                             std::to_string(page_bytes) + "\r\n\r\n" +
                             std::string(page_bytes / 2, 'b');
    for (auto& client : bad) {
        client.send(half);
    }
    EXPECT_TRUE(eventually([&] { return server->counts().shed_total >= bad.size() / 2; }));
    EXPECT_TRUE(eventually(
        [&] { return server->counts().caller_bytes <= options.limits.caller_bytes_max; }));
    honest[0].send(request_of(2));
    EXPECT_EQ(honest[0].receive().body, "yours");
}

TEST_F(KnownCallersTest, LoseRequestsWithLargeBodiesThatWaitForTheirAnswers) {
    options.limits.body_max = page_bytes;
    start();
    auto honest = clients_of(2, 1);
    honest[0].send("POST /wait HTTP/1.1\r\nHost: a\r\nAccount: 2\r\nContent-Length: 1\r\n\r\nx");
    ASSERT_TRUE(eventually([&] { return waiters() == 1; }));
    auto bad = clients_of(1, 30);
    const std::string whole = "POST /wait HTTP/1.1\r\nHost: a\r\nAccount: 1\r\nContent-Length: " +
                              std::to_string(page_bytes) + "\r\n\r\n" +
                              std::string(page_bytes, 'b');
    for (auto& client : bad) {
        client.send(whole);
    }
    EXPECT_TRUE(eventually([&] { return server->counts().shed_total >= bad.size() / 2; }));
    EXPECT_TRUE(eventually(
        [&] { return server->counts().caller_bytes <= options.limits.caller_bytes_max; }));
    EXPECT_GT(server->counts().caller_bytes, page_bytes);
    // Some requests may arrive in full only now.
    EXPECT_TRUE(eventually([&] {
        std::vector<Responder> answered;
        {
            const std::lock_guard lock{mutex};
            std::swap(answered, waiting);
        }
        for (auto& responder : answered) {
            responder.send({.body = "done"});
        }
        return server->counts().caller_bytes == 0;
    }));
    EXPECT_EQ(honest[0].receive().body, "done");
}

TEST_F(KnownCallersTest, HoldNothingThatCountsWhileIdle) {
    start();
    const auto mine = clients_of(1, 20);
    EXPECT_TRUE(eventually([&] {
        const auto counts = server->counts();
        return counts.caller_bytes == 0 && counts.anonymous_bytes == 0;
    }));
}

TEST_F(KnownCallersTest, CountByAddressAgainWhenARequestIsNotVouchedFor) {
    start();
    auto client = connect();
    client.send(request_of(1) + std::string{stranger});
    EXPECT_EQ(client.receive().status, 200);
    EXPECT_EQ(client.receive().status, 200);
    EXPECT_TRUE(eventually([&] { return server->counts().anonymous_bytes > 0; }));
}

TEST_F(KnownCallersTest, AreForgottenWhenTheyHangUpWhileTheyWait) {
    start();
    constexpr std::size_t flood = 30;
    {
        std::vector<RawClient> bad;
        for (std::size_t i = 0; i < flood; ++i) {
            bad.push_back(connect());
            // What is sent after the request does not conceal the end.
            bad.back().send(request_of(1, "/wait", stranger));
        }
        ASSERT_TRUE(eventually([&] { return waiters() == flood; }));
        EXPECT_EQ(server->counts().hung_up_total, 0U);
        const std::lock_guard lock{mutex};
        EXPECT_TRUE(std::ranges::none_of(waiting, &Responder::is_gone));
    }
    EXPECT_TRUE(eventually([&] { return server->counts().connections_open == 0; }));
    EXPECT_EQ(server->counts().hung_up_total, flood);
    const std::lock_guard lock{mutex};
    EXPECT_TRUE(std::ranges::all_of(waiting, &Responder::is_gone));
    waiting.clear();
}

}  // namespace
}  // namespace merpati::http::testing
