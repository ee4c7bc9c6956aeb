#include "outbound/client.hpp"

#include <array>
#include <cstdlib>
#include <fstream>
#include <optional>

#include <gtest/gtest.h>

#include "outbound/client_fixture.hpp"
#include "testing/temporary_folder.hpp"

namespace merpati::outbound {
namespace {

using ClientTest = ClientFixture<SystemClock>;

TEST_F(ClientTest, ShowsTheHeadBeforeTheBodyAndMayEndThere) {
    answer_with(ScriptedReply{.bytes = "HTTP/1.1 100 Continue\r\n\r\n"
                                       "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nhi"});
    auto asked = request();
    int heads = 0;
    asked.on_head = [&heads](const Response& head) { return ++heads == 0 || head.status == 200; };
    const auto response = fetch(std::move(asked));
    ASSERT_TRUE(response);
    EXPECT_EQ(response->status, 404);
    EXPECT_EQ(response->body, "");
    EXPECT_EQ(heads, 1);
}

TEST_F(ClientTest, KeepsTheConnectionForTheNextRequest) {
    answer_with(fine);
    for (int turn = 0; turn < 3; ++turn) {
        EXPECT_EQ(fetch(request()).value().body, "hi");
    }
    EXPECT_EQ(server->connections, 1);
    EXPECT_EQ(server->requests, 3);
    EXPECT_EQ(resolver.asked, 1);
}

TEST_F(ClientTest, RepeatsARequestOnceWhenThePooledConnectionWasClosed) {
    answer_with([](int connection, const std::string&) {
        auto reply = fine;
        reply.close = connection == 1;
        return reply;
    });
    EXPECT_TRUE(fetch(request()));
    EXPECT_EQ(fetch(request("POST")).value().body, "hi");
    EXPECT_EQ(server->connections, 2);
    EXPECT_EQ(server->requests, 2);
}

TEST_F(ClientTest, DoesNotRepeatARequestThatANewConnectionBroke) {
    answer_with({.bytes = "", .close = true});
    EXPECT_EQ(failure(request()), ErrorCode::unreachable);
    EXPECT_EQ(server->requests, 1);
}

TEST_F(ClientTest, DoesNotRepeatWhatTheServerMustNotGetTwice) {
    answer_with([requests = 0](int, const std::string&) mutable {
        return ++requests == 1 ? fine : ScriptedReply{.bytes = "", .close = true};
    });
    EXPECT_TRUE(fetch(request()));
    auto once = request("POST");
    int writes = 0;
    once.repeatable = false;
    once.on_write = [&writes] { ++writes; };
    EXPECT_EQ(failure(std::move(once)), ErrorCode::unreachable);
    EXPECT_EQ(server->requests, 2);
    EXPECT_EQ(writes, 1);
}

TEST_F(ClientTest, DoesNotUseAConnectionThatTheServerHasClosed) {
    answer_with([](int connection, const std::string&) {
        auto reply = fine;
        reply.close = connection == 1;
        return reply;
    });
    EXPECT_TRUE(fetch(request()));
    io.run_for(20ms);  // The server's end arrives.
    auto once = request("POST");
    once.repeatable = false;
    EXPECT_EQ(fetch(std::move(once)).value().body, "hi");
    EXPECT_EQ(server->connections, 2);
}

TEST_F(ClientTest, SendsAFileBetweenTheTwoPartsOfTheBody) {
    answer_with(fine);
    const testing::TemporaryFolder folder;
    const std::string content(300'000, 'f');
    std::ofstream{folder.path() / "file"} << content;
    auto post = request("POST");
    post.body = "before ";
    post.file =
        BodyFile{.path = folder.path() / "file", .bytes = content.size(), .after = " after"};
    ASSERT_TRUE(fetch(post));
    EXPECT_EQ(server->last_body, "before " + content + " after");

    post.file->bytes += 1;
    EXPECT_EQ(failure(post), ErrorCode::io_failed);
    post.file->path = folder.path() / "missing";
    EXPECT_EQ(failure(post), ErrorCode::io_failed);
}

TEST_F(ClientTest, SendsTheBodyAndItsLength) {
    answer_with(fine);
    auto post = request("POST");
    post.body = std::string(200'000, 'b');
    ASSERT_TRUE(fetch(post));
    EXPECT_EQ(server->last_body, post.body);
    EXPECT_TRUE(server->last_head.starts_with("POST /path HTTP/1.1\r\nHost: example.test:"));
}

TEST_F(ClientTest, EndsHeadersThatNeverEnd) {
    answer_with({.bytes = "HTTP/1.1 200 OK\r\n", .again = "A: " + std::string(500, 'a') + "\r\n"});
    EXPECT_EQ(failure(request()), ErrorCode::protocol);
}

TEST_F(ClientTest, EndsAHeaderLineThatNeverEnds) {
    answer_with({.bytes = "HTTP/1.1 200 OK\r\nA: ", .again = std::string(4096, 'a')});
    EXPECT_EQ(failure(request()), ErrorCode::protocol);
}

TEST_F(ClientTest, CutsABodyThatNeverEnds) {
    for (const auto* head :
         {"HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\n"}) {
        answer_with({.bytes = head, .again = std::string(5000, 'a')});
        EXPECT_EQ(fetch(request()).value().body.size(), Request{}.body_bytes_max);
        auto whole = request();
        whole.truncate = false;
        EXPECT_EQ(failure(whole), ErrorCode::refused);
        EXPECT_EQ(server->connections, 2) << "a cut connection is not used again";
    }
}

TEST_F(ClientTest, CutsChunksThatNeverEnd) {
    answer_with({.bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
                 .again = "5\r\nabcde\r\n"});
    EXPECT_EQ(fetch(request()).value().body.size(), Request{}.body_bytes_max);
}

TEST_F(ClientTest, EndsAnAnswerThatOnlyEverContinues) {
    answer_with({.bytes = "", .again = "HTTP/1.1 100 Continue\r\n\r\n"});
    EXPECT_EQ(failure(request()), ErrorCode::protocol);
}

TEST_F(ClientTest, TakesABodyOfExactlyTheCap) {
    const auto size = Request{}.body_bytes_max;
    answer_with({.bytes = "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(size) +
                          "\r\n\r\n" + std::string(size, 'a')});
    auto whole = request();
    whole.truncate = false;
    EXPECT_EQ(fetch(whole).value().body.size(), size);
}

TEST_F(ClientTest, GivesTheBodyInPiecesUntilTheHandlerReturnsFalse) {
    answer_with({.bytes = "HTTP/1.1 200 OK\r\n\r\n", .again = std::string(1000, 'a')});
    auto streamed = request();
    std::size_t received = 0;
    streamed.on_body = [&received](std::span<const std::byte> piece) {
        received += piece.size();
        return received < 3000;
    };
    EXPECT_EQ(fetch(streamed).value().body, "");
    EXPECT_GE(received, 3000U);
}

TEST_F(ClientTest, GivesUpAtTheDeadlineHoweverSlowlyBytesCome) {
    for (const auto* start : {"HTTP/1.1 200 OK\r\nA: ", "HTTP/1.1 200 OK\r\n\r\n"}) {
        answer_with({.bytes = start, .again = "a", .pause = 5ms});
        auto slow = request();
        slow.timeout = 150ms;
        EXPECT_EQ(failure(slow), ErrorCode::timeout) << start;
    }
}

TEST_F(ClientTest, GivesUpOnAServerThatSaysNothing) {
    answer_with(ScriptedReply{});
    auto slow = request();
    slow.timeout = 150ms;
    EXPECT_EQ(failure(slow), ErrorCode::timeout);
    EXPECT_EQ(server->requests, 1);
}

TEST_F(ClientTest, FailsAnAnswerThatEndsEarly) {
    for (const auto* bytes :
         {"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nhi",
          "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Le",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n", "H",
          "HTTP/1.1 100 Continue\r\n\r\n"}) {
        answer_with({.bytes = bytes, .close = true});
        EXPECT_EQ(failure(request()), ErrorCode::protocol) << bytes;
        EXPECT_EQ(server->requests, 1) << "what began to be answered is not repeated";
    }
}

TEST_F(ClientTest, OutlivesChunksThatAreCutAnywhere) {
    const std::string head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    for (const std::string body : {"0\r\n\r\n", "3\r\nabc\r\n0\r\n\r\n"}) {
        for (std::size_t size = 0; size < body.size(); ++size) {
            answer_with({.bytes = head + body.substr(0, size), .close = true});
            EXPECT_EQ(failure(request()), ErrorCode::protocol) << body.substr(0, size);
        }
    }
}

TEST_F(ClientTest, TakesWhateverFollowsAHeadThatSuffices) {
    for (const auto* rest :
         {"Content-Length: 9\r\n\r\nabc", "Transfer-Encoding: chunked\r\n\r\n5\r\nab",
          "Transfer-Encoding: chunked\r\n\r\nno chunk\r\n\r\n"}) {
        answer_with(
            ScriptedReply{.bytes = std::string{"HTTP/1.1 202 Accepted\r\n"} + rest, .close = true});
        auto asked = request();
        asked.head_suffices = true;
        const auto response = fetch(std::move(asked));
        ASSERT_TRUE(response) << rest;
        EXPECT_EQ(response->status, 202) << rest;
        EXPECT_FALSE(response->is_whole) << rest;
    }
    answer_with(ScriptedReply{.bytes = "HTTP/1.1 202 Accepted\r\nContent-", .close = true});
    auto asked = request();
    asked.head_suffices = true;
    EXPECT_EQ(failure(std::move(asked)), ErrorCode::protocol);
}

TEST_F(ClientTest, RefusesWhatIsNotHttp) {
    for (const auto* bytes :
         {"SSH-2.0-OpenSSH\r\n", "\r\n\r\n\r\n", "HTTP/1.1 999999 OK\r\n\r\n",
          "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
          "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
          "HTTP/1.1 200 OK\r\nBad Name: a\r\n\r\n", "HTTP/1.1 101 Switching Protocols\r\n\r\n",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"}) {
        answer_with({.bytes = bytes, .close = true});
        EXPECT_EQ(failure(request()), ErrorCode::protocol) << bytes;
    }
}

TEST_F(ClientTest, DoesNotFollowRedirects) {
    for (const auto* status : {"301", "302", "303", "307", "308"}) {
        answer_with({.bytes = std::string{"HTTP/1.1 "} + status +
                              " Elsewhere\r\nLocation: http://example.test/\r\n"
                              "Content-Length: 0\r\n\r\n"});
        const auto response = fetch(request()).value();
        EXPECT_EQ(response.status, std::stoi(status));
        EXPECT_EQ(response.header("location"), "http://example.test/");
        EXPECT_EQ(server->requests, 1);
    }
}

TEST_F(ClientTest, IgnoresProxiesOfTheEnvironment) {
    constexpr auto names = std::to_array<const char*>({"http_proxy", "HTTP_PROXY", "ALL_PROXY"});
    // NOLINTBEGIN(concurrency-mt-unsafe): the server's thread asks for nothing of the environment.
    for (const auto* name : names) {
        ::setenv(name, "http://127.0.0.2:1", 1);
    }
    answer_with(fine);
    EXPECT_TRUE(fetch(request()));
    EXPECT_TRUE(server->last_head.starts_with("GET /path HTTP/1.1\r\n"));
    for (const auto* name : names) {
        ::unsetenv(name);
    }
    // NOLINTEND(concurrency-mt-unsafe)
}

TEST_F(ClientTest, ReadsEveryFormOfAnswer) {
    struct Row {
        const char* method;
        const char* bytes;
        int status;
        const char* body;
        bool close;
    };
    for (const auto& row : std::to_array<Row>({
             {"GET",
              "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n3;a=b\r\n yo"
              "\r\n0\r\nT: t\r\n\r\n",
              200, "hi yo", false},
             {"GET", "HTTP/1.1 200 OK\r\n\r\nup to the end", 200, "up to the end", true},
             {"GET", "HTTP/1.0 200 OK\r\n\r\nold", 200, "old", true},
             {"GET", "HTTP/1.1 204 No Content\r\n\r\n", 204, "", false},
             {"GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", 304, "", false},
             {"HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n", 200, "", false},
             {"GET",
              "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n"
              "HTTP/1.1 201 Created\r\nContent-Length: 1\r\n\r\nx",
              201, "x", false},
         })) {
        answer_with({.bytes = row.bytes, .close = row.close});
        for (int turn = 1; turn <= 2; ++turn) {
            const auto response = fetch(request(row.method));
            ASSERT_TRUE(response) << row.bytes << response.error().describe();
            EXPECT_EQ(response->status, row.status);
            EXPECT_EQ(response->body, row.body);
            EXPECT_EQ(server->connections, row.close ? turn : 1) << row.bytes;
        }
    }
}

TEST_F(ClientTest, ClosesAConnectionOnWhichMoreCameThanTheAnswer) {
    answer_with({.bytes = fine.bytes + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"});
    EXPECT_EQ(fetch(request()).value().body, "hi");
    EXPECT_EQ(fetch(request()).value().body, "hi");
    EXPECT_EQ(server->connections, 2);
}

TEST_F(ClientTest, ChecksEveryAnswerOfTheResolver) {
    resolver.will_answer({"127.0.0.2"});
    auto closing = fine;
    closing.bytes = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi";
    closing.close = true;
    answer_with(closing);
    EXPECT_TRUE(fetch(request()));
    const auto second = fetch(request());
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, ErrorCode::refused);
    EXPECT_EQ(second.error().detail.find("127.0"), std::string::npos);
    EXPECT_EQ(server->connections, 1) << "nothing private is dialled";
}

TEST_F(ClientTest, ChecksTheNewAnswerWhenAStaleConnectionIsReplaced) {
    resolver.will_answer({"127.0.0.2"});
    auto closing = fine;
    closing.close = true;
    answer_with(closing);
    EXPECT_TRUE(fetch(request()));
    EXPECT_EQ(failure(request()), ErrorCode::refused);
    EXPECT_EQ(server->connections, 1);
}

TEST_F(ClientTest, RefusesANameWithOneDeniedAddressAmongOthers) {
    answer_with(fine);
    for (const auto& answer : {std::initializer_list<const char*>{"127.0.0.1", "127.0.0.2"},
                               {"127.0.0.2", "127.0.0.1"},
                               {"127.0.0.1", "::ffff:127.0.0.1"},
                               {"8.8.8.8", "10.0.0.1"},
                               {"127.0.0.1", "169.254.169.254", "127.0.0.1"},
                               {}}) {
        resolver.answers.clear();
        resolver.will_answer(answer);
        EXPECT_EQ(failure(request()), ErrorCode::refused);
    }
    EXPECT_EQ(server->connections, 0);
}

TEST_F(ClientTest, RefusesLiteralAddressesWithoutALookUp) {
    answer_with(fine);
    for (const auto* host : {"127.0.0.2", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0"}) {
        EXPECT_EQ(failure(request("GET", host)), ErrorCode::refused) << host;
    }
    EXPECT_TRUE(fetch(request("GET", "127.0.0.1")));
    EXPECT_EQ(resolver.asked, 0);
    EXPECT_EQ(server->connections, 1);
}

TEST_F(ClientTest, PassesTheResolversFailureOn) {
    answer_with(fine);
    resolver.answers = {fail(ErrorCode::unreachable, "no such name")};
    EXPECT_EQ(failure(request()), ErrorCode::unreachable);
}

TEST_F(ClientTest, FailsWhatIsUnderWayWhenItIsClosed) {
    answer_with(fine);
    std::optional<ErrorCode> code;
    client.send(request(), [&code](const Result<Response>& got) { code = got.error().code; });
    client.close();
    EXPECT_EQ(code, ErrorCode::shutting_down);
    EXPECT_EQ(failure(request()), ErrorCode::shutting_down);
}

TEST_F(ClientTest, TakesTheNextAddressWhereOneRefuses) {
    answer_with(fine);
    const AddressPolicy open{{Cidr::parse("127.0.0.0/8").value(), Cidr::parse("::1/128").value()}};
    Client both{clock, io.get_executor(), open, resolver, options};
    resolver.answers.clear();
    resolver.will_answer({"::1", "127.0.0.1"});  // The server listens on IPv4 alone.
    std::optional<Result<Response>> result;
    both.send(request(), [&result](Result<Response> got) { result = std::move(got); });
    while (!result && io.run_one_for(10s) > 0) {
    }
    both.close();
    ASSERT_TRUE(result && *result);
    EXPECT_EQ((*result)->body, "hi");
}

}  // namespace
}  // namespace merpati::outbound
