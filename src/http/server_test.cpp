#include "http/server.hpp"

#include <array>
#include <map>
#include <stdexcept>

#include "http/server_fixture.hpp"

namespace merpati::http::testing {
namespace {

TEST_F(ServerTest, AnswersARequestAndKeepsTheConnection) {
    start();
    auto client = connect();
    client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello");
    const Answer answer = client.receive();
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, "hello");
    EXPECT_EQ(answer.header("Content-Type"), "application/json");
    EXPECT_EQ(answer.header("Content-Length"), "5");
    EXPECT_EQ(answer.header("Connection"), "");
    client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nagain");
    EXPECT_EQ(client.receive().body, "again");
    EXPECT_EQ(server->counts().connections_total, 1U);
    EXPECT_EQ(server->counts().requests_total, 2U);
}

TEST_F(ServerTest, CountsAnswersByPathAndClassOfStatus) {
    options.threads = 2;
    start();
    auto client = connect();
    for (const auto* head : {"GET /path/1", "GET /path/2", "GET /echo", "GET /nowhere"}) {
        client.send(std::string{head} + " HTTP/1.1\r\nHost: a\r\n\r\n");
        (void)client.receive();
    }
    client.send("nonsense\r\n\r\n");
    EXPECT_EQ(client.receive().status, 400);
    using Row = std::array<std::uint64_t, 5>;
    std::map<std::string, Row> rows;
    for (const auto& row : server->answers()) {
        rows[row.path] = row.by_class;
    }
    EXPECT_EQ(rows["/path/*"], (Row{0, 2, 0, 0, 0}));
    EXPECT_EQ(rows["/echo"], (Row{0, 0, 0, 1, 0}));  // 405: it takes only POST.
    EXPECT_EQ(rows[""], (Row{0, 0, 0, 2, 0}));       // An unknown path, and a malformed request.
}

TEST_F(ServerTest, GivesEachAnswerAnIdOfItsOwn) {
    start();
    auto client = connect();
    client.send("GET /path/1 HTTP/1.1\r\nHost: a\r\n\r\nGET /path/2 HTTP/1.1\r\nHost: a\r\n\r\n");
    const std::string first = client.receive().header("X-Request-Id");
    const std::string second = client.receive().header("X-Request-Id");
    EXPECT_EQ(first.size(), 36U);
    EXPECT_EQ(first.at(14), '8');
    EXPECT_NE(first, second);
}

TEST_F(ServerTest, TakesTheCallersIdOnlyWhenItIsHarmless) {
    router.add(Method::get, "/id", [](const Request& request, Responder responder) {
        responder.send({.body = std::string{request.id}});
    });
    start();
    auto client = connect();
    const auto ask = [&](const std::string& id) {
        client.send("GET /id HTTP/1.1\r\nHost: a\r\nx-request-ID: " + id + "\r\n\r\n");
        Answer answer = client.receive();
        EXPECT_EQ(answer.body, answer.header("X-Request-Id"));
        return answer.body;
    };
    EXPECT_EQ(ask("order-7_A.b"), "order-7_A.b");
    EXPECT_EQ(ask(std::string(128, 'x')), std::string(128, 'x'));
    EXPECT_EQ(ask(std::string(129, 'x')).size(), 36U);
    EXPECT_EQ(ask("").size(), 36U);
    EXPECT_EQ(ask("a b").size(), 36U);
    EXPECT_EQ(ask("<script>").size(), 36U);
}

TEST_F(ServerTest, HandsOutHeadersPathAndQuery) {
    router.add(Method::put, "/look", [](const Request& request, Responder responder) {
        responder.send({.body = std::string{request.authorization} + "|" +
                                std::string{request.header("x-OTHER").value_or("none")} + "|" +
                                std::string{request.query} + "|" +
                                std::to_string(request.headers.size()) + "|" +
                                std::string{request.header("missing").value_or("none")}});
    });
    start();
    auto client = connect();
    client.send(
        "PUT /look?a=1&b=%20 HTTP/1.1\r\nHost: a\r\nAuthorization:  Bearer key \r\n"
        "X-Other: one\r\nX-Other: two\r\n\r\n");
    EXPECT_EQ(client.receive().body, "Bearer key|one|a=1&b=%20|4|none");
}

TEST_F(ServerTest, AnswersUnknownPathsAndMethodsInItsOwnWords) {
    start();
    auto client = connect();
    client.send("GET /nowhere HTTP/1.1\r\nHost: a\r\nX-Request-Id: mine\r\n\r\n");
    const Answer unknown = client.receive();
    EXPECT_EQ(unknown.status, 404);
    EXPECT_EQ(unknown.body, "refused 404");
    EXPECT_EQ(unknown.header("X-Request-Id"), "mine");
    client.send("GET /echo HTTP/1.1\r\nHost: a\r\n\r\n");
    const Answer wrong = client.receive();
    EXPECT_EQ(wrong.status, 405);
    EXPECT_EQ(wrong.header("Allow"), "POST");
    EXPECT_EQ(wrong.body, "refused 405");
    client.send("BREW /path/1 HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(client.receive().header("Allow"), "GET, HEAD");
    EXPECT_EQ(server->counts().refused_total, 0U);
}

TEST_F(ServerTest, AnswersHeadWithoutTheBody) {
    start();
    auto client = connect();
    client.send("HEAD /path/12 HTTP/1.1\r\nHost: a\r\n\r\nGET /path/3 HTTP/1.1\r\nHost: a\r\n\r\n");
    const Answer head = client.receive(false);
    EXPECT_EQ(head.status, 200);
    EXPECT_EQ(head.header("Content-Length"), "9");
    EXPECT_EQ(client.receive().body, "/path/3|");
}

TEST_F(ServerTest, AnswersPipelinedRequestsInOrder) {
    start();
    auto client = connect();
    std::string requests;
    for (int i = 0; i < 500; ++i) {
        requests += "GET /path/" + std::to_string(i) + " HTTP/1.1\r\nHost: a\r\n\r\n";
    }
    client.send(requests);
    for (int i = 0; i < 500; ++i) {
        ASSERT_EQ(client.receive().body, "/path/" + std::to_string(i) + "|");
    }
}

TEST_F(ServerTest, AnswersRequestsThatComeByteByByte) {
    start();
    auto client = connect();
    client.send_byte_by_byte(
        "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"
        "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        "2;x=\"y\"\r\nde\r\n1\r\nf\r\n0\r\nTrailer: t\r\n\r\n"
        "GET /path/x?y HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(client.receive().body, "abc");
    EXPECT_EQ(client.receive().body, "def");
    EXPECT_EQ(client.receive().body, "/path/x|y");
}

TEST_F(ServerTest, KeepsVersion10OnlyWhenAsked) {
    start();
    auto client = connect();
    client.send("GET /path/1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    EXPECT_EQ(client.receive().header("Connection"), "keep-alive");
    client.send("GET /path/2 HTTP/1.0\r\n\r\n");
    const Answer last = client.receive();
    EXPECT_EQ(last.body, "/path/2|");
    EXPECT_EQ(last.header("Connection"), "close");
    EXPECT_TRUE(client.is_closed());
}

TEST_F(ServerTest, ClosesWhenTheClientAsks) {
    start();
    auto client = connect();
    client.send("GET /path/1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    EXPECT_EQ(client.receive().header("Connection"), "close");
    EXPECT_TRUE(client.is_closed());
}

TEST_F(ServerTest, ClosesWhenTheHandlerAsks) {
    router.add(Method::get, "/last", [](const Request&, Responder responder) {
        responder.send({.body = "bye", .close = true});
    });
    start();
    auto client = connect();
    client.send("GET /last HTTP/1.1\r\nHost: a\r\n\r\nGET /path/1 HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(client.receive().body, "bye");
    EXPECT_TRUE(client.is_closed());
}

TEST_F(ServerTest, ClosesAfterTheLastRequestOfAConnection) {
    options.limits.requests_per_connection = 2;
    start();
    auto client = connect();
    client.send("GET /path/1 HTTP/1.1\r\nHost: a\r\n\r\nGET /path/2 HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(client.receive().header("Connection"), "");
    EXPECT_EQ(client.receive().header("Connection"), "close");
    EXPECT_TRUE(client.is_closed());
}

TEST_F(ServerTest, AnswersAClientThatHasStoppedSending) {
    start();
    auto client = connect();
    client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi");
    client.stop_sending();
    EXPECT_EQ(client.receive().body, "hi");
    EXPECT_TRUE(client.is_closed());
}

TEST_F(ServerTest, SaysContinueToAClientThatWaitsForIt) {
    start();
    auto client = connect();
    client.send(
        "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n");
    EXPECT_EQ(client.receive().status, 100);
    client.send("body");
    EXPECT_EQ(client.receive().body, "body");
}

TEST_F(ServerTest, SaysNoContinueBeforeARefusalNorAfterTheBody) {
    start();
    auto client = connect();
    client.send(
        "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\nbody"
        "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 70000\r\nExpect: 100-continue\r\n\r\n");
    EXPECT_EQ(client.receive().status, 200);
    EXPECT_EQ(client.receive().status, 413);
}

TEST_F(ServerTest, CarriesBodiesUpToTheLimit) {
    start();
    auto client = connect();
    const std::string body(options.limits.body_max, 'b');
    client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(body.size()) +
                "\r\n\r\n" + body);
    EXPECT_EQ(client.receive().body, body);
    client.send("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n10000\r\n" +
                body + "\r\n0\r\n\r\n");
    EXPECT_EQ(client.receive().body, body);
}

TEST_F(ServerTest, ARouteMayTakeLargerOrSmallerBodiesThanTheOthers) {
    const auto echo = [](const Request& request, Responder responder) {
        responder.send({.body = std::to_string(request.body.size())});
    };
    options.limits.body_max = 100;
    router.add(Method::post, "/small", echo, 10);
    router.add(Method::post, "/large", echo, 1'000);
    start();
    for (const auto& [path, most] : {std::pair{"/small", 10}, {"/large", 1'000}, {"/echo", 100}}) {
        for (const bool fits : {true, false}) {
            const std::string body(static_cast<std::size_t>(most + (fits ? 0 : 1)), 'b');
            auto client = connect();
            client.send("POST " + std::string{path} + " HTTP/1.1\r\nHost: a\r\nContent-Length: " +
                        std::to_string(body.size()) + "\r\n\r\n" + body);
            EXPECT_EQ(client.receive().status, fits ? 200 : 413) << path;
        }
        auto chunked = connect();
        chunked.send("POST " + std::string{path} +
                     " HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + "3e9\r\n" +
                     std::string(1'001, 'b') + "\r\n0\r\n\r\n");
        EXPECT_EQ(chunked.receive().status, 413) << path;
    }
}

TEST_F(ServerTest, RefusesABodyTooLargeBeforeItComes) {
    start();
    auto client = connect();
    client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 65537\r\n\r\n");
    const Answer answer = client.receive();
    EXPECT_EQ(answer.status, 413);
    EXPECT_EQ(answer.body, "refused 413");
    EXPECT_EQ(answer.header("Connection"), "close");
    client.send(std::string(65537, 'x'));  // A client that sends on must not lose the answer.
    client.stop_sending();
    EXPECT_TRUE(client.is_closed());
}

TEST_F(ServerTest, DoesNotResetAClientThatSendsOnBeforeItReadsTheRefusal) {
    start();
    auto client = connect();
    client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 20000000\r\n\r\n");
    EXPECT_TRUE(client.send(std::string(20'000'000, 'x')));
    EXPECT_EQ(client.receive().status, 413);
}

TEST_F(ServerTest, TellsAnEarlierReasonThanTheBodysSize) {
    router.before_too_large = [](const Request& request) -> std::optional<Reply> {
        if (request.authorization.empty()) {
            return Reply{.status = 401, .body = "who?" + std::string{request.body}};
        }
        if (request.authorization == "throw") {
            throw std::runtime_error{"out of order"};
        }
        return std::nullopt;
    };
    start();
    const auto ask = [&](const std::string& fields) {
        auto client = connect();
        client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 99999\r\n" + fields +
                    "\r\nbody");
        const Answer answer = client.receive();
        EXPECT_EQ(answer.header("Connection"), "close");
        return std::to_string(answer.status) + " " + answer.body;
    };
    EXPECT_EQ(ask(""), "401 who?");
    EXPECT_EQ(ask("Authorization: me\r\n"), "413 refused 413");
    EXPECT_EQ(ask("Authorization: throw\r\n"), "413 refused 413");
}

TEST_F(ServerTest, KnowsAPeerOnThisMachine) {
    router.add(Method::get, "/near", [](const Request& request, Responder responder) {
        responder.send({.body = request.from_loopback ? "near" : "far"});
    });
    start();
    auto client = connect();
    client.send("GET /near HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(client.receive().body, "near");
}

TEST_F(ServerTest, Answers500ForAHandlerThatThrows) {
    router.add(Method::get, "/throw", [](const Request&, Responder) { throw 7; });
    start();
    auto client = connect();
    client.send("GET /throw HTTP/1.1\r\nHost: a\r\n\r\nGET /path/1 HTTP/1.1\r\nHost: a\r\n\r\n");
    const Answer answer = client.receive();
    EXPECT_EQ(answer.status, 500);
    EXPECT_EQ(answer.body, "refused 500");
    EXPECT_EQ(client.receive().body, "/path/1|");
}

TEST_F(ServerTest, LogsWhatAHandlerThrew) {
    router.add(Method::get, "/throw/*",
               [](const Request&, Responder) { throw std::runtime_error{"out of order"}; });
    ::testing::internal::CaptureStderr();
    server.emplace(clock, random, options, router, local_router, refusal_text,
                   telemetry::Log{clock, telemetry::Level::info, telemetry::Format::text});
    ASSERT_TRUE(server->start());
    auto client = connect();
    client.send("GET /throw/a-secret HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(client.receive().status, 500);
    server->stop();
    const auto log = ::testing::internal::GetCapturedStderr();
    EXPECT_NE(log.find("out of order"), std::string::npos) << log;
    EXPECT_NE(log.find("/throw/*"), std::string::npos) << log;
    EXPECT_EQ(log.find("a-secret"), std::string::npos) << log;
}

TEST_F(ServerTest, SendsAnswersFarLargerThanASocketHolds) {
    const std::string large(20'000'000, 'l');
    router.add(Method::get, "/large",
               [&](const Request&, Responder responder) { responder.send({.body = large}); });
    start();
    auto client = connect();
    client.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\nGET /path/1 HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_TRUE(client.receive().body == large);
    EXPECT_EQ(client.receive().body, "/path/1|");
}

TEST_F(ServerTest, SaysNothingAboutTheBodyOf204) {
    router.add(Method::del, "/thing",
               [](const Request&, Responder responder) { responder.send({.status = 204}); });
    start();
    auto client = connect();
    client.send("DELETE /thing HTTP/1.1\r\nHost: a\r\n\r\nGET /path/1 HTTP/1.1\r\nHost: a\r\n\r\n");
    const Answer answer = client.receive();
    EXPECT_EQ(answer.status, 204);
    EXPECT_EQ(answer.header("Content-Length"), "");
    EXPECT_EQ(client.receive().body, "/path/1|");
}

TEST_F(ServerTest, ServesManyThreadsOnOnePort) {
    options.threads = 3;
    start();
    EXPECT_EQ(server->addresses().size(), 1U);
    for (int i = 0; i < 30; ++i) {
        auto client = connect();
        client.send("GET /path/1 HTTP/1.1\r\nHost: a\r\n\r\n");
        EXPECT_EQ(client.receive().status, 200);
    }
}

TEST_F(ServerTest, ListensOnSeveralAddressesOfBothKinds) {
    options.listen = {"127.0.0.1:0", "[::1]:0"};
    server.emplace(clock, random, options, router, local_router, refusal_text);
    if (!server->start()) {
        GTEST_SKIP() << "this machine has no IPv6";
    }
    const auto addresses = server->addresses();
    ASSERT_EQ(addresses.size(), 2U);
    EXPECT_TRUE(addresses[1].starts_with("[::1]:"));
    EXPECT_FALSE(addresses[1].ends_with(":0"));
}

TEST_F(ServerTest, RefusesToStartOnAnAddressInUse) {
    start();
    for (const std::size_t threads : {1U, 2U}) {
        Options taken = options;
        taken.listen = server->addresses();
        taken.threads = threads;
        Server second{clock, random, taken, router, local_router, refusal_text};
        const auto started = second.start();
        ASSERT_FALSE(started);
        EXPECT_EQ(started.error().code, ErrorCode::io_failed);
        EXPECT_NE(started.error().detail.find("another process"), std::string::npos);
    }
}

TEST_F(ServerTest, RefusesToStartOnWhatIsNoAddress) {
    for (const char* address :
         {"", "8080", ":8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:99999",
          "::1:80", "[127.0.0.1]:80", "localhost:80", "127.0.0.1:+80", "[::1:80"}) {
        options.listen = {address};
        Server other{clock, random, options, router, local_router, refusal_text};
        const auto started = other.start();
        ASSERT_FALSE(started) << address;
        EXPECT_EQ(started.error().code, ErrorCode::invalid_argument) << address;
    }
}

TEST_F(ServerTest, StopsTwiceAndForgetsItsPort) {
    start();
    const std::string address = server->addresses().at(0);
    auto client = connect();
    client.send("GET /path/1 HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(client.receive().status, 200);
    server->stop();
    server->stop();
    EXPECT_TRUE(client.is_closed());
    EXPECT_EQ(server->counts().connections_open, 0U);
    options.listen = {address};
    start();
    EXPECT_EQ(server->addresses().at(0), address);
}

}  // namespace
}  // namespace merpati::http::testing
