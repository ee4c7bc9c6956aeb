// What anonymous clients may hold, and how they affect other clients.
#include <vector>

#include "http/io_thread.hpp"
#include "http/server_fixture.hpp"

namespace merpati::http::testing {
namespace {

constexpr std::string_view half_a_head = "GET /path/1 HTTP/1.1\r\nHost: a\r\nX-Half: ";
constexpr const char* bad_neighbour = "127.0.0.1";
constexpr const char* honest = "127.0.0.2";
constexpr std::size_t flood = 400;  // Takes about twice anonymous_bytes_max of the fixture.

struct AnonymousTest : ServerTest {
    AnonymousTest() {
        options.limits.anonymous_bytes_max = IoThread::bytes_min;
        router.add(Method::get, "/mine", [](const Request& request, Responder responder) {
            request.vouch(Party::account(1));
            responder.send({.body = "yours"});
        });
        router.add(Method::get, "/fixed", [this](const Request&, Responder responder) {
            responder.send({.static_body = fixed, .content_type = "text/plain"});
        });
    }

    ~AnonymousTest() override {
        if (server) {
            server->stop();  // Before `fixed` is destroyed: the server does not copy it.
        }
    }

    std::vector<RawClient> send_from(const char* address, std::size_t clients,
                                     std::string_view bytes) {
        std::vector<RawClient> all;
        for (std::size_t i = 0; i < clients; ++i) {
            all.push_back(connect(address));
            all.back().send(bytes);
        }
        return all;
    }

    [[nodiscard]] bool all_were_accepted(std::size_t clients) {
        return eventually([&] { return server->counts().connections_total >= clients; });
    }

    std::string fixed = std::string(3'000'000, 'f');
};

TEST_F(AnonymousTest, SendsABodyThatIsTheSameForAllInItsPlace) {
    fixed = "the same for all";
    start();
    auto client = connect();
    client.send(
        "GET /path/1 HTTP/1.1\r\nHost: a\r\n\r\nGET /fixed HTTP/1.1\r\nHost: a\r\n\r\n"
        "HEAD /fixed HTTP/1.1\r\nHost: a\r\n\r\nGET /fixed HTTP/1.1\r\nHost: a\r\n\r\n"
        "GET /path/2 HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(client.receive().body, "/path/1|");
    EXPECT_EQ(client.receive().body, fixed);
    const Answer head = client.receive(false);
    EXPECT_EQ(head.header("Content-Length"), std::to_string(fixed.size()));
    EXPECT_EQ(client.receive().body, fixed);
    EXPECT_EQ(client.receive().body, "/path/2|");
}

TEST_F(AnonymousTest, HoldsLittleForReadersOfALargeAnswerWhoDoNotRead) {
    constexpr std::size_t few = 5;
    fixed = std::string(30'000'000, 'f');  // More than the sockets buffer.
    start();
    const auto readers = send_from(bad_neighbour, few, "GET /fixed HTTP/1.1\r\nHost: a\r\n\r\n");
    ASSERT_TRUE(eventually([&] {
        const auto counts = server->counts();
        return counts.requests_total == few && counts.anonymous_bytes <= few * 2048;
    }));
    EXPECT_EQ(server->counts().shed_total, 0U);
    EXPECT_EQ(server->counts().connections_open, few);
}

TEST_F(AnonymousTest, ClosesTheOldestOfTheAddressThatHoldsMost) {
    start();
    auto before = connect(honest);
    before.send(half_a_head);
    auto bad = send_from(bad_neighbour, flood, half_a_head);
    auto after = connect(honest);
    after.send(half_a_head);
    ASSERT_TRUE(eventually([&] {
        const auto counts = server->counts();
        return counts.connections_total == flood + 2 && counts.shed_total >= flood / 3 &&
               counts.anonymous_bytes <= options.limits.anonymous_bytes_max;
    }));
    EXPECT_GE(server->counts().connections_open, flood / 4);
    for (auto* client : {&before, &after}) {
        client->send("\r\n\r\n");
        EXPECT_EQ(client->receive().status, 200);
    }
    EXPECT_EQ(bad.front().receive().status, 0) << "the oldest was closed";
    bad.back().send("\r\n\r\n");
    EXPECT_EQ(bad.back().receive().status, 200) << "the newest has the address's share";
}

TEST_F(AnonymousTest, LeavesCallersAloneWhoHaveShownWhoTheyAre) {
    start();
    auto known = connect(bad_neighbour);
    known.send("GET /mine HTTP/1.1\r\nHost: a\r\n\r\n");
    ASSERT_EQ(known.receive().body, "yours");
    EXPECT_TRUE(eventually([&] { return server->counts().anonymous_bytes == 0; }));
    const auto bad = send_from(bad_neighbour, flood, half_a_head);
    ASSERT_TRUE(eventually([&] { return server->counts().shed_total >= flood / 3; }));
    known.send("GET /mine HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(known.receive().body, "yours");
}

TEST_F(AnonymousTest, LetsANewcomerInWhereAnotherAddressHasTakenAllConnections) {
    options.limits.connections_max = 20;
    start();
    const auto bad = send_from(bad_neighbour, 20, half_a_head);
    ASSERT_TRUE(all_were_accepted(20));
    auto client = connect(honest);
    client.send(sound_request);
    EXPECT_EQ(client.receive().status, 200);
    auto another = connect(bad_neighbour);
    EXPECT_EQ(another.receive().status, 503) << "whose address has most, has no claim";
    EXPECT_EQ(server->counts().shed_total, 1U);
}

TEST_F(AnonymousTest, ClosesOnAClientThatReadsTooSlowly) {
    fixed = std::string(30'000'000, 'f');
    options.limits.write_rate_min = 1'000'000;  // Allows 30 s and write_timeout.
    start();
    auto client = connect();
    client.send("GET /fixed HTTP/1.1\r\nHost: a\r\n\r\n");
    ASSERT_TRUE(client.is_readable(patience));
    int seconds = 0;
    EXPECT_TRUE(passing_time(1s, [&] {
        ++seconds;
        return !client.skip(100'000) || server->counts().connections_open == 0;
    }));
    EXPECT_LT(seconds, 300) << "it could have read all";
}

}  // namespace
}  // namespace merpati::http::testing
