// The server's answers to malformed requests.
#include "http/hostile_requests.hpp"
#include "http/server_fixture.hpp"

namespace merpati::http::testing {
namespace {

std::string expected_answer(std::uint16_t status, std::string_view phrase) {
    const std::string body = refusal_text(status);
    return "HTTP/1.1 " + std::to_string(status) + " " + std::string{phrase} +
           "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
           "\r\nX-Content-Type-Options: nosniff\r\nX-Request-Id: ID\r\nConnection: close\r\n\r\n" +
           body;
}

std::string expected_answer(std::uint16_t status) {
    switch (status) {
        case 400:
            return expected_answer(status, "Bad Request");
        case 413:
            return expected_answer(status, "Content Too Large");
        case 414:
            return expected_answer(status, "URI Too Long");
        case 431:
            return expected_answer(status, "Request Header Fields Too Large");
        default:
            return expected_answer(status, "HTTP Version Not Supported");
    }
}

std::string without_id(std::string answer) {
    static constexpr std::string_view name = "X-Request-Id: ";
    const std::size_t id = answer.find(name);
    if (id != std::string::npos) {
        answer.replace(id + name.size(), 36, "ID");
    }
    return answer;
}

TEST_F(ServerTest, RefusesEveryHostileRequestAtOnceAndCloses) {
    start();
    const auto requests = hostile_requests();
    ASSERT_GE(requests.size(), 100U);
    for (const auto& request : requests) {
        SCOPED_TRACE(request.why);
        auto client = connect();
        client.send(request.bytes);
        EXPECT_EQ(without_id(client.receive_all()), expected_answer(request.status));
    }
    EXPECT_EQ(server->counts().refused_total, requests.size());
}

TEST_F(ServerTest, RefusesAHostileRequestBehindASoundOne) {
    start();
    for (const auto& request : hostile_requests()) {
        SCOPED_TRACE(request.why);
        auto client = connect();
        client.send("GET /path/1 HTTP/1.1\r\nHost: a\r\n\r\n" + request.bytes);
        EXPECT_EQ(client.receive().body, "/path/1|");
        EXPECT_EQ(without_id(client.receive_all()), expected_answer(request.status));
    }
}

TEST_F(ServerTest, HandlesNothingThatComesBehindAHostileRequest) {
    std::atomic<int> handled = 0;
    router.add(Method::get, "/count", [&](const Request&, Responder responder) {
        ++handled;
        responder.send({});
    });
    start();
    for (const auto& request : hostile_requests()) {
        auto client = connect();
        client.send(request.bytes);
        client.send("GET /count HTTP/1.1\r\nHost: a\r\n\r\n");
        (void)client.receive_all();
    }
    EXPECT_EQ(handled, 0);
}

}  // namespace
}  // namespace merpati::http::testing
