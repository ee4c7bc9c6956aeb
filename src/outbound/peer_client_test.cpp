#include "outbound/peer_client.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "outbound/scripted_server_fixture.hpp"
#include "testing/manual_clock.hpp"

namespace merpati::outbound {
namespace {

using namespace std::chrono_literals;
using boost::asio::ip::tcp;

struct PeerClientTest : ::testing::Test {
    ~PeerClientTest() override { client.close(); }

    /// The peer's answer to every request.
    ScriptedReply answer{.bytes = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nyes"};

    /// What has become of an exchange.
    struct Seen {
        std::optional<Result<void>> ended{};
        std::uint16_t status = 0;
        std::string body{};
        bool opened = false;
    };

    std::shared_ptr<PeerExchange> send(Seen& seen, const std::string& bytes,
                                       bool has_more = false) {
        return client.send({.method = "POST",
                            .bytes = std::make_shared<const std::string>(bytes),
                            .has_more = has_more,
                            .on_open = [&seen] { seen.opened = true; },
                            .on_head =
                                [&seen](const Response& response) {
                                    seen.status = response.status;
                                    return true;
                                },
                            .on_body =
                                [&seen](std::span<const std::byte> piece) {
                                    seen.body.append(reinterpret_cast<const char*>(piece.data()),
                                                     piece.size());
                                    return true;
                                },
                            .has_room = [this] { return has_room; }},
                           [&seen](Result<void> result) { seen.ended = std::move(result); });
    }
    /// Runs until `condition` holds.
    template <class Condition>
    [[nodiscard]] bool until(Condition condition) {
        const auto give_up = std::chrono::steady_clock::now() + 10s;
        while (!condition() && std::chrono::steady_clock::now() < give_up) {
            io.run_for(1ms);
        }
        return condition();
    }

    testing::ManualClock clock;
    boost::asio::io_context io;
    ScriptedServer server{io, [this](int, const std::string&) { return answer; }};
    tcp::endpoint endpoint{boost::asio::ip::address_v4::loopback(), server.port()};
    PeerClient client{clock, io.get_executor(), endpoint};
    bool has_room = true;
    const std::string request = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi";
};

TEST_F(PeerClientTest, AConnectionIsKeptForTheNextRequest) {
    for (int count = 0; count < 3; ++count) {
        Seen seen;
        const auto exchange = send(seen, request);
        EXPECT_FALSE(exchange->may_have_arrived());
        ASSERT_TRUE(until([&] { return seen.ended.has_value(); }));
        EXPECT_TRUE(seen.ended->has_value());
        EXPECT_TRUE(seen.opened);
        EXPECT_EQ(seen.status, 200);
        EXPECT_EQ(seen.body, "yes");
    }
    EXPECT_EQ(server.connections, 1);
    EXPECT_EQ(server.last_body, "hi");
}

TEST_F(PeerClientTest, AConnectionThatWasIdleForLongIsNotUsedAgain) {
    Seen one;
    send(one, request);
    ASSERT_TRUE(until([&] { return one.ended.has_value(); }));
    clock.advance(PeerClient::idle_time + 1s);
    Seen two;
    send(two, request);
    ASSERT_TRUE(until([&] { return two.ended.has_value(); }));
    EXPECT_EQ(server.connections, 2);
}

TEST_F(PeerClientTest, AConnectionIsGivenAwayAfterAnUpgrade) {
    const auto ask = [&] {
        std::optional<tcp::socket> taken;
        std::optional<Result<void>> ended;
        client.send({.method = "GET",
                     .bytes = std::make_shared<const std::string>(request),
                     .on_upgrade = [&](tcp::socket socket) { taken = std::move(socket); }},
                    [&](Result<void> result) { ended = std::move(result); });
        EXPECT_TRUE(until([&] { return ended.has_value(); }));
        return taken.has_value() && taken->is_open();
    };
    EXPECT_FALSE(ask());  // An answer as any other.
    answer.bytes = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n\r\n";
    EXPECT_TRUE(ask());
    EXPECT_EQ(server.connections, 1);
    answer.bytes += "more";
    EXPECT_FALSE(ask());
    EXPECT_EQ(server.connections, 2);
}

TEST_F(PeerClientTest, AnUpgradeThatWasNotAskedForIsAnError) {
    answer.bytes = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n\r\n";
    Seen seen;
    send(seen, request);
    ASSERT_TRUE(until([&] { return seen.ended.has_value(); }));
    EXPECT_FALSE(seen.ended->has_value());
}

TEST_F(PeerClientTest, ABodyIsSentInPieces) {
    Seen seen;
    const auto exchange =
        send(seen, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\n", true);
    std::vector<std::string> sent;
    exchange->send_more("abc", false, [&] { sent.emplace_back("abc"); });
    ASSERT_TRUE(until([&] { return sent.size() == 1; }));
    EXPECT_FALSE(seen.ended);
    exchange->send_more("def", true, [&] { sent.emplace_back("def"); });
    ASSERT_TRUE(until([&] { return seen.ended.has_value(); }));
    EXPECT_EQ(server.last_body, "abcdef");
    EXPECT_EQ(sent.size(), 2U);
    Seen next;
    send(next, request);
    ASSERT_TRUE(until([&] { return next.ended.has_value(); }));
    EXPECT_EQ(server.connections, 1);
}

TEST_F(PeerClientTest, ABodyMayBeRefusedBeforeItsEnd) {
    Seen seen;
    const auto exchange = send(seen, "POST / HTTP/1.1\r\nHost: a\r\n\r\n", true);
    ASSERT_TRUE(until([&] { return seen.ended.has_value(); }));
    EXPECT_EQ(seen.status, 200);
    exchange->send_more("late", true, [] { FAIL(); });
    Seen next;
    send(next, request);
    ASSERT_TRUE(until([&] { return next.ended.has_value(); }));
    EXPECT_EQ(server.connections, 2);
}

TEST_F(PeerClientTest, NothingMoreIsReadUntilThereIsRoom) {
    answer.bytes =
        "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n" + std::string(1'000'000, 'x');
    has_room = false;
    Seen seen;
    const auto exchange = send(seen, request);
    ASSERT_TRUE(until([&] { return seen.status == 200; }));
    io.run_for(20ms);
    EXPECT_LE(seen.body.size(), Connection::buffer_max);
    has_room = true;
    exchange->read_on();
    ASSERT_TRUE(until([&] { return seen.ended.has_value(); }));
    EXPECT_EQ(seen.body.size(), 1'000'000U);
}

TEST_F(PeerClientTest, APeerThatIsNotThereHasNotGotTheRequest) {
    PeerClient lonely{clock, io.get_executor(), {boost::asio::ip::address_v4::loopback(), 1}};
    std::optional<Result<void>> ended;
    const auto exchange =
        lonely.send({.method = "POST", .bytes = std::make_shared<const std::string>(request)},
                    [&](Result<void> result) { ended = std::move(result); });
    ASSERT_TRUE(until([&] { return ended.has_value(); }));
    EXPECT_EQ(ended->error().code, ErrorCode::unreachable);
    EXPECT_FALSE(exchange->may_have_arrived());
    EXPECT_TRUE(exchange->was_refused());
}

TEST_F(PeerClientTest, APeerThatHangsUpMayHaveGotTheRequest) {
    answer = {.bytes = "", .close = true};
    Seen seen;
    const auto exchange = send(seen, request);
    ASSERT_TRUE(until([&] { return seen.ended.has_value(); }));
    EXPECT_FALSE(seen.ended->has_value());
    EXPECT_TRUE(exchange->may_have_arrived());
    EXPECT_FALSE(exchange->was_refused());
}

TEST_F(PeerClientTest, ACancelledExchangeCallsNothingMore) {
    answer = {.bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
              .again = "1\r\nx\r\n",
              .pause = 1ms};
    Seen seen;
    const auto exchange = send(seen, request);
    ASSERT_TRUE(until([&] { return seen.body.size() > 3; }));
    exchange->cancel();
    const auto size = seen.body.size();
    io.run_for(20ms);
    EXPECT_EQ(seen.body.size(), size);
    EXPECT_FALSE(seen.ended);
}

TEST_F(PeerClientTest, AClosedClientFailsWhatIsUnderWay) {
    answer.bytes = "";
    Seen seen;
    send(seen, request);
    ASSERT_TRUE(until([&] { return seen.opened; }));
    client.close();
    ASSERT_TRUE(seen.ended);
    EXPECT_EQ(seen.ended->error().code, ErrorCode::shutting_down);
}

}  // namespace
}  // namespace merpati::outbound
