// Requests of which many share one connection between two nodes.
#include <future>
#include <sys/socket.h>

#include <boost/asio/io_context.hpp>
#include <boost/endian/conversion.hpp>
#include <gmock/gmock.h>

#include "forwarding/channel_text.hpp"
#include "forwarding/forwarding_fixture.hpp"
#include "forwarding/frame_socket.hpp"
#include "forwarding/passage_text.hpp"

namespace merpati::forwarding {
namespace {

using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::StartsWith;

struct ChannelTest : ForwardingFixture<100, true> {
    /// Waits until requests take the channel to the node.
    void open_channel(const WorkingNode& node) {
        let_work(node);
        auto client = connect();
        ASSERT_TRUE(eventually([&] {
            client.send(request("POST /echo", "x"));
            return client.receive().header("X-Thread") == "channels";
        }));
    }
    /// Requests for /wait, which the node has begun in this order.
    std::pair<std::vector<RawClient>, std::vector<http::Responder>> begin(WorkingNode& node,
                                                                          std::size_t count,
                                                                          std::string_view line) {
        std::pair<std::vector<RawClient>, std::vector<http::Responder>> begun;
        for (std::size_t number = 0; number < count; ++number) {
            begun.first.push_back(connect());
            begun.first.back().send(request(line));
            begun.second.push_back(std::move(node.take(1).at(0)));
        }
        return begun;
    }
    /// A channel that a test reads and writes itself.
    RawClient open_raw() {
        auto client = RawClient::connect(first.address());
        client.send(channel_request(secret));
        EXPECT_EQ(client.receive().status, 101);
        return client;
    }
    static std::string frame(std::uint64_t number, std::string_view text) {
        std::string bytes(12, '\0');
        auto* const head = reinterpret_cast<unsigned char*>(bytes.data());
        boost::endian::store_big_u64(head, number);
        boost::endian::store_big_u32(head + 8, static_cast<std::uint32_t>(text.size()));
        return bytes.append(text);
    }
    /// The number and the answer in the next frame.
    static std::pair<std::uint64_t, http::Reply> read_answer(RawClient& client) {
        const auto bytes = client.receive_bytes(12);
        EXPECT_EQ(bytes.size(), 12U);
        const auto* const head = reinterpret_cast<const unsigned char*>(bytes.data());
        const auto text = client.receive_bytes(boost::endian::load_big_u32(head + 8));
        auto answer = parse_answer(text);
        EXPECT_TRUE(answer);
        return {boost::endian::load_big_u64(head), *std::move(answer)};
    }
    /// The text of a request's frame.
    [[nodiscard]] std::string text(http::Method method, std::string_view path,
                                   std::string_view body = "") const {
        http::Request asked;
        asked.method = method;
        asked.path = path;
        auto text = head_of(asked, secret);
        append_whole(text, body);
        return text;
    }
    [[nodiscard]] std::string echo(std::string_view body) const {
        return text(http::Method::post, "/echo", body);
    }
};

TEST_F(ChannelTest, ARequestAndItsAnswerArePassedOnWhole) {
    open_channel(first);
    const auto before = forwarder.passed_total();
    auto client = RawClient::connect(server->addresses().at(0), "127.0.0.7");
    client.send(request("POST /echo?a=1&b=%20", "the body", "X-One: 1\r\nX-Request-Id: mine\r\n"));
    const auto answer = client.receive();
    EXPECT_EQ(answer.status, 201);
    EXPECT_EQ(answer.header("X-Thread"), "channels");
    EXPECT_EQ(answer.header("Content-Type"), "text/plain");
    EXPECT_EQ(answer.header("X-Request-Id"), "mine");
    EXPECT_EQ(answer.header("X-Peer"), "127.0.0.7");
    EXPECT_THAT(answer.body, HasSubstr("a=1&b=%20|the body"));
    EXPECT_THAT(answer.body, HasSubstr("X-One: 1"));
    EXPECT_EQ(forwarder.passed_total(), before + 1);
}

TEST_F(ChannelTest, AnswersComeInAnyOrder) {
    open_channel(first);
    auto [clients, responders] = begin(first, 20, "POST /wait");
    for (std::size_t left = clients.size(); left > 0; --left) {
        const auto place = left - 1;
        responders[place].send({.body = std::to_string(place)});
        EXPECT_EQ(clients[place].receive().body, std::to_string(place));
    }
}

TEST_F(ChannelTest, ALargeRequestTakesAConnectionOfItsOwn) {
    open_channel(first);
    first.routes.add(
        http::Method::post, "/where",
        [](const http::Request& asked, http::Responder responder) {
            responder.send(
                {.body = name_of_this_thread() + " " + std::to_string(asked.body.size())});
        },
        WorkingNode::large);
    auto client = connect();
    client.send(request("POST /where", std::string(200'000, 'x')));
    EXPECT_THAT(client.receive().body, StartsWith("http"));
}

TEST_F(ChannelTest, AnAnswerWithASourceIsNone) {
    open_channel(first);
    auto client = connect();
    client.send(request("GET /pages?5"));
    EXPECT_EQ(client.receive().status, 500);
}

TEST_F(ChannelTest, AQuestionIsAskedAgainWhenItsNodeIsGone) {
    open_channel(first);
    auto [clients, lost] = begin(first, 1, "GET /wait");
    first.stop();
    let_work(second);
    second.take(1).at(0).send({.body = "the answer"});
    EXPECT_EQ(clients.at(0).receive().body, "the answer");
}

TEST_F(ChannelTest, AChangeIsNotMadeTwiceWhenItsNodeIsGone) {
    open_channel(first);
    auto [clients, lost] = begin(first, 1, "POST /wait");
    first.stop();
    let_work(second);
    EXPECT_EQ(clients.at(0).receive().status, 502);
    EXPECT_EQ(second.calls, 0);
}

TEST_F(ChannelTest, ANodeThatLeavesAnswersWhatItHasAndNothingMore) {
    open_channel(first);
    auto [clients, waiting] = begin(first, 1, "POST /wait");
    first.leave();
    auto other = connect();
    other.send(request("POST /echo", "y"));
    EXPECT_FALSE(other.is_readable(300ms));
    waiting.at(0).send({.body = "just in time"});
    EXPECT_EQ(clients.at(0).receive().body, "just in time");
    let_work(second);
    EXPECT_EQ(other.receive().status, 201);
    EXPECT_EQ(second.calls, 1);
}

TEST_F(ChannelTest, ANodeWaitsForItsAnswersBeforeItStops) {
    open_channel(first);
    auto [clients, waiting] = begin(first, 1, "POST /wait");
    first.drain(1ms);  // No longer than that.
    auto drained = std::async(std::launch::async, [&] { first.drain(10s); });
    EXPECT_EQ(drained.wait_for(50ms), std::future_status::timeout);
    waiting.at(0).send({.body = "just in time"});
    drained.get();
    first.stop();
    EXPECT_EQ(clients.at(0).receive().body, "just in time");
}

TEST_F(ChannelTest, TheNodeLearnsThatACallerHasHungUp) {
    open_channel(first);
    auto [clients, waiting] = begin(first, 2, "POST /wait");
    clients.at(0).hang_up();
    EXPECT_TRUE(eventually([&] { return waiting.at(0).is_gone(); }));
    EXPECT_FALSE(waiting.at(1).is_gone());
    waiting.at(0).send({.body = "nobody reads it"});
    waiting.at(1).send({.body = "read"});
    EXPECT_EQ(clients.at(1).receive().body, "read");
}

TEST_F(ChannelTest, WhatIsUnderWayAtTheEndIsRefused) {
    open_channel(first);
    auto [clients, waiting] = begin(first, 1, "POST /wait");
    forwarder.stop();
    EXPECT_EQ(clients.at(0).receive().status, 503);
}

TEST_F(ChannelTest, WhoLacksTheSecretOpensNone) {
    auto stranger = RawClient::connect(first.address());
    stranger.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: " +
                  std::string{channel_protocol} + "\r\n\r\n");
    EXPECT_EQ(stranger.receive().status, 421);
    EXPECT_TRUE(stranger.is_closed());
}

TEST_F(ChannelTest, EachRequestNeedsItsProof) {
    auto thief = open_raw();
    thief.send(frame(1, "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"));
    thief.send(frame(2, echo("x").replace(0, 10, "POST /wait")));
    thief.send(frame(3, "no request"));
    thief.send(frame(4, echo("x") + "more than its length"));
    for (const auto& [number, status] : {std::pair{1U, 421}, {2U, 421}, {3U, 400}, {4U, 400}}) {
        EXPECT_THAT(read_answer(thief), Pair(number, Field(&http::Reply::status, status)));
    }
    EXPECT_EQ(first.calls, 0);
}

TEST_F(ChannelTest, AnAnswerThatIsTooLargeIsNone) {
    first.routes.add(http::Method::get, "/large",
                     [](const http::Request& /*asked*/, http::Responder responder) {
                         responder.send({.body = std::string(answer_text_max, 'x')});
                     });
    auto client = open_raw();
    client.send(frame(1, text(http::Method::get, "/large")) + frame(2, echo("next")));
    EXPECT_THAT(read_answer(client), Pair(1U, Field(&http::Reply::status, 500)));
    EXPECT_THAT(read_answer(client), Pair(2U, Field(&http::Reply::status, 201)));
}

TEST_F(ChannelTest, WhatIsTooMuchForANodeIsNotTaken) {
    auto client = open_raw();
    const auto asked = text(http::Method::post, "/wait");
    std::string frames;
    for (std::uint64_t number = 1; number <= IncomingChannels::requests_max + 1; ++number) {
        frames += frame(number, asked);
    }
    client.send(frames);
    EXPECT_THAT(read_answer(client), Pair(IncomingChannels::requests_max + 1,
                                          Field(&http::Reply::body, std::string{not_taken_body})));
    first.take(IncomingChannels::requests_max);
}

TEST_F(ChannelTest, FramesMayComeInAnyPieces) {
    auto client = open_raw();
    const auto both = frame(7, echo("one")) + frame(8, echo("two"));
    client.send_byte_by_byte(both);
    EXPECT_THAT(read_answer(client), Pair(7U, Field(&http::Reply::body, StartsWith("|one"))));
    EXPECT_THAT(read_answer(client), Pair(8U, Field(&http::Reply::body, StartsWith("|two"))));
}

TEST_F(ChannelTest, AFrameThatIsTooLargeEndsTheChannel) {
    auto client = open_raw();
    client.send(frame(1, std::string(request_text_max + 1, 'x')).substr(0, 100));
    EXPECT_TRUE(client.is_closed());
    EXPECT_EQ(first.calls, 0);
}

TEST_F(ChannelTest, WhoDoesNotWaitForTheAnswerGetsNoChannel) {
    auto client = RawClient::connect(first.address());
    client.send(channel_request(secret) + frame(1, echo("early")));
    EXPECT_EQ(client.receive().status, 101);
    EXPECT_TRUE(client.is_closed());
    EXPECT_EQ(first.calls, 0);
}

TEST(FrameSocketTest, HasNoRoomWhileTheOtherEndDoesNotRead) {
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    RawClient other{FileDescriptor{ends[1]}};
    boost::asio::io_context io;
    FrameSocket::Socket end{io};
    end.assign({AF_UNIX, 0}, ends[0]);
    std::size_t written = 0;
    const auto socket = std::make_shared<FrameSocket>(
        std::move(end), request_text_max,
        FrameSocket::Listener{.on_frame = [](std::uint64_t, std::string_view) {},
                              .on_written = [&](std::size_t frames) { written += frames; },
                              .on_closed = [] {}});
    const std::string text(10'000, 'x');
    std::size_t sent = 0;
    while (socket->has_room() && sent < 10'000) {
        socket->send(++sent, {text});
        io.poll();
    }
    EXPECT_LT(sent * text.size(), 4 * FrameSocket::waiting_max);
    EXPECT_GT(socket->unsent(), 100U);
    std::thread reader{[&] { other.receive_bytes(sent * (text.size() + 12)); }};
    ASSERT_TRUE(eventually([&] {
        io.restart();
        io.run_for(1ms);
        return written == sent;
    }));
    reader.join();
    EXPECT_TRUE(socket->has_room());
    EXPECT_EQ(socket->unsent(), 0U);
    socket->close();
}

using FullChannelTest = ForwardingFixture<4, true>;

TEST_F(FullChannelTest, OneCallerLeavesRoomForOthers) {
    let_work(first);
    std::vector<RawClient> clients;
    const auto send = [&](std::string_view key) -> RawClient& {
        clients.push_back(connect());
        clients.back().send(
            request("POST /wait", "x", "Authorization: Bearer " + std::string{key} + "\r\n"));
        return clients.back();
    };
    send("a");
    auto waiting = first.take(1);  // It has opened the channel.
    send("a");
    for (auto& more : first.take(1)) {
        waiting.push_back(std::move(more));
    }
    EXPECT_EQ(send("a").receive().status, 503);
    send("b");
    for (auto& more : first.take(1)) {
        more.send({.body = "for b"});
    }
    EXPECT_EQ(clients.back().receive().body, "for b");
}

}  // namespace
}  // namespace merpati::forwarding
