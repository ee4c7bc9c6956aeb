// Deadlines, limits on connections, and draining.
#include <mutex>
#include <sys/resource.h>
#include <vector>

#include "http/server_fixture.hpp"

namespace merpati::http::testing {
namespace {

struct LimitsTest : ServerTest {
    /// A client whose first request was answered and whose connection is kept.
    RawClient connect_and_ask() {
        auto client = connect();
        client.send(sound_request);
        EXPECT_EQ(client.receive().status, 200);
        return client;
    }

    /// Adds GET /wait, which the test answers later.
    void add_wait() {
        router.add(Method::get, "/wait", [this](const Request&, Responder responder) {
            const std::lock_guard lock{mutex};
            waiting.push_back(std::move(responder));
        });
    }
    [[nodiscard]] bool is_waited_for() {
        const std::lock_guard lock{mutex};
        return !waiting.empty();
    }

    std::mutex mutex;
    std::vector<Responder> waiting;
};

TEST_F(LimitsTest, Answers408WhenTheHeaderDoesNotEnd) {
    start();
    auto client = connect();
    client.send("GET /path/1 HTTP/1.1\r\nHost:");
    EXPECT_TRUE(passing_time(1s, [&] { return client.is_readable(0ms); }));
    const Answer answer = client.receive();
    EXPECT_EQ(answer.status, 408);
    EXPECT_EQ(answer.body, "refused 408");
    EXPECT_EQ(answer.header("Connection"), "close");
    EXPECT_EQ(answer.header("X-Request-Id").size(), 36U);
    client.stop_sending();
    EXPECT_TRUE(client.is_closed());
}

TEST_F(LimitsTest, Answers408WhenTheBodyDoesNotEnd) {
    options.limits.header_timeout = 1000s;
    start();
    auto client = connect();
    client.send(
        "POST /echo HTTP/1.1\r\nHost: a\r\nX-Request-Id: mine\r\nContent-Length: 5\r\n\r\n1234");
    EXPECT_TRUE(passing_time(1s, [&] { return client.is_readable(0ms); }));
    const Answer answer = client.receive();
    EXPECT_EQ(answer.status, 408);
    EXPECT_EQ(answer.header("X-Request-Id"), "mine");
}

TEST_F(LimitsTest, WaitsAsLongAsItSays) {
    start();
    auto client = connect();
    client.send("GET /path/1 HTTP/1.1\r\n");
    ASSERT_TRUE(eventually([&] { return server->counts().connections_open == 1; }));
    clock.advance(9s);
    EXPECT_FALSE(client.is_readable(30ms));
    client.send("Host: a\r\n\r\n");
    EXPECT_EQ(client.receive().status, 200);
}

TEST_F(LimitsTest, CountsFromItsStartHoweverLongItWasPrepared) {
    options.limits.sweep_interval = 50ms;
    server.emplace(clock, random, options, router, local_router, refusal_text);
    clock.advance(3600s);
    ASSERT_TRUE(server->start());
    auto client = connect();
    client.send("GET /path/1 HTTP/1.1\r\n");
    EXPECT_FALSE(client.is_readable(120ms));
}

TEST_F(LimitsTest, GivesNoMoreTimeToAClientThatSendsByteByByte) {
    start();
    auto client = connect();
    client.send("GET /path/1 HTTP/1.1\r\nX: ");
    int bytes = 0;
    EXPECT_TRUE(passing_time(500ms, [&] {
        client.send("x");
        ++bytes;
        return client.is_readable(0ms);
    }));
    EXPECT_EQ(client.receive().status, 408);
    EXPECT_LT(bytes, 1000);
}

TEST_F(LimitsTest, ClosesASilentClientWithoutAWord) {
    start();
    auto fresh = connect();
    EXPECT_TRUE(passing_time(1s, [&] { return fresh.is_readable(0ms); }));
    EXPECT_TRUE(fresh.is_closed());
    auto idle = connect_and_ask();
    EXPECT_TRUE(passing_time(1s, [&] { return idle.is_readable(0ms); }));
    EXPECT_TRUE(idle.is_closed());
    EXPECT_EQ(server->counts().refused_total, 0U);
}

TEST_F(LimitsTest, GivesAnIdleClientMoreTimeThanANewOne) {
    start();
    auto idle = connect_and_ask();
    ASSERT_TRUE(eventually([&] { return server->counts().connections_open == 1; }));
    clock.advance(50s);
    EXPECT_FALSE(idle.is_readable(30ms));
    idle.send(sound_request);
    EXPECT_EQ(idle.receive().status, 200);
}

TEST_F(LimitsTest, ClosesOnAClientThatDoesNotReadItsAnswer) {
    router.add(Method::get, "/large", [](const Request&, Responder responder) {
        responder.send({.body = std::string(30'000'000, 'l')});
    });
    start();
    auto client = connect();
    client.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n");
    ASSERT_TRUE(client.is_readable(patience));
    EXPECT_TRUE(passing_time(1s, [&] { return server->counts().connections_open == 0; }));
    EXPECT_LT(client.receive_all().size(), 30'000'000U);
}

TEST_F(LimitsTest, LeavesAHandlerAllTheTimeItNeeds) {
    add_wait();
    start();
    auto client = connect();
    client.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n");
    ASSERT_TRUE(eventually([this] { return is_waited_for(); }));
    clock.advance(3600s);
    EXPECT_FALSE(client.is_readable(30ms));
    waiting.at(0).send({.body = "at last"});
    EXPECT_EQ(client.receive().body, "at last");
}

TEST_F(LimitsTest, Answers503ToOneConnectionTooMany) {
    options.limits.connections_max = 2;
    start();
    auto one = connect_and_ask();
    auto two = connect_and_ask();
    auto three = connect();
    const Answer answer = three.receive();
    EXPECT_EQ(answer.status, 503);
    EXPECT_EQ(answer.body, "refused 503");
    EXPECT_EQ(answer.header("Retry-After"), "1");
    EXPECT_EQ(answer.header("Connection"), "close");
    three.send(sound_request);
    three.stop_sending();
    EXPECT_TRUE(three.is_closed());
    one.hang_up();
    ASSERT_TRUE(eventually([&] { return server->counts().connections_open == 1; }));
    auto four = connect_and_ask();
    two.send(sound_request);
    EXPECT_EQ(two.receive().status, 200);
}

TEST_F(LimitsTest, ClosesOnAFloodWithoutAWord) {
    options.limits.connections_max = 1;
    start();
    std::vector<RawClient> clients;
    for (int i = 0; i < 100; ++i) {
        clients.push_back(connect());
    }
    ASSERT_TRUE(eventually([&] { return server->counts().connections_total == 100; }));
    EXPECT_LE(server->counts().connections_open, 17U);
    clients.front().send(sound_request);
    EXPECT_EQ(clients.front().receive().status, 200);
}

TEST_F(LimitsTest, WaitsWithoutSpinningWhileDescriptorsAreOut) {
    options.limits.sweep_interval = 100ms;
    start();
    auto before = connect_and_ask();
    FileDescriptor socket{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    rlimit usual{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &usual), 0);
    rlimit none = usual;
    none.rlim_cur = static_cast<rlim_t>(socket.get());  // Not even the socket's own number.
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const std::string bound = server->addresses().at(0);
    address.sin_port =
        htons(static_cast<std::uint16_t>(std::stoi(bound.substr(bound.rfind(':') + 1))));
    ASSERT_EQ(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address),
              0);
    RawClient client{std::move(socket)};
    client.send(sound_request);
    const std::clock_t cpu = std::clock();
    EXPECT_FALSE(client.is_readable(250ms));
    EXPECT_LT(std::clock() - cpu, CLOCKS_PER_SEC / 10);
    before.send(sound_request);
    EXPECT_EQ(before.receive().status, 200);
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &usual), 0);
    EXPECT_EQ(client.receive().status, 200);
}

TEST_F(LimitsTest, DrainsIdleConnectionsAtOnceAndOthersAfterTheirAnswer) {
    add_wait();
    start();
    auto idle = connect_and_ask();
    auto busy = connect();
    busy.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n");
    ASSERT_TRUE(eventually([this] { return is_waited_for(); }));
    std::thread drainer{[&] { server->drain(patience); }};
    EXPECT_TRUE(idle.is_closed());
    waiting.at(0).send({.body = "done"});
    const Answer answer = busy.receive();
    EXPECT_EQ(answer.body, "done");
    EXPECT_EQ(answer.header("Connection"), "close");
    busy.hang_up();
    drainer.join();
    EXPECT_EQ(server->counts().connections_open, 0U);
}

TEST_F(LimitsTest, AcceptsNobodyOnceItDrains) {
    start();
    const std::string address = server->addresses().at(0);
    server->drain(patience);
    FileDescriptor socket{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    sockaddr_in target{};
    target.sin_family = AF_INET;
    target.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    target.sin_port =
        htons(static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
    EXPECT_NE(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&target), sizeof target),
              0);
}

TEST_F(LimitsTest, GivesUpDrainingAtTheDeadline) {
    add_wait();
    start();
    auto client = connect();
    client.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n");
    ASSERT_TRUE(eventually([this] { return is_waited_for(); }));
    server->drain(20ms);
    EXPECT_EQ(server->counts().connections_open, 1U);
    server->stop();
    EXPECT_TRUE(client.is_closed());
}

}  // namespace
}  // namespace merpati::http::testing
