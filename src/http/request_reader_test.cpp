#include "http/request_reader.hpp"

#include <algorithm>
#include <cstring>

#include <gtest/gtest.h>

#include "http/body_receiver.hpp"
#include "http/hostile_requests.hpp"

namespace merpati::http::testing {
namespace {

using State = RequestReader::State;

/// A reader that gets its bytes in pieces.
struct Feeding {
    /// Gives the reader `bytes` in pieces of size `piece`, until a request is ready or refused.
    State feed(std::string_view bytes, std::size_t piece = 1'000'000) {
        State state = reader.advance();
        while (!bytes.empty() && state == State::needs_more) {
            const auto room = reader.room();
            const std::size_t size = std::min({piece, bytes.size(), room.size()});
            std::memcpy(room.data(), bytes.data(), size);
            reader.received(size);
            bytes.remove_prefix(size);
            state = reader.advance();
        }
        unfed = bytes;
        return state;
    }

    Limits limits;
    RequestReader reader{limits};
    std::string_view unfed;
};

struct RequestReaderTest : ::testing::Test, Feeding {};

/// Reads all bodies in pieces.
struct PiecesTest : ::testing::Test, BodyLimiter {
    BodyRule body_rule(const Head& /*head*/) override {
        return {.bytes_max = 1'000'000'000, .in_pieces = true};
    }

    /// What is read when `bytes` come in pieces of size `piece`: "path:body " for each request, and
    /// the status of a refusal.
    std::string read(std::string_view bytes, std::size_t piece) {
        RequestReader reader{limits, this};
        std::string log;
        std::string body;
        largest_buffer = 0;
        for (;;) {
            switch (reader.advance()) {
                case State::begun:
                    EXPECT_EQ(reader.body(), "");
                    break;
                case State::piece:
                    body += reader.take_piece();
                    break;
                case State::ready:
                    log.append(reader.head()->path).append(":").append(body).append(" ");
                    body.clear();
                    reader.consume();
                    break;
                case State::refused:
                    return log + std::to_string(reader.refusal());
                case State::needs_more: {
                    if (bytes.empty()) {
                        return log;
                    }
                    const auto room = reader.room();
                    const std::size_t size = std::min({piece, bytes.size(), room.size()});
                    std::memcpy(room.data(), bytes.data(), size);
                    reader.received(size);
                    bytes.remove_prefix(size);
                    largest_buffer = std::max(largest_buffer, reader.capacity());
                    break;
                }
            }
        }
    }

    Limits limits;
    std::size_t largest_buffer = 0;
};

TEST_F(PiecesTest, MakeTheSameBodiesHoweverTheBytesAreCut) {
    const std::string bytes =
        "POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello"
        "POST /2 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        "3;x=\"y\"\r\none\r\n00001\r\n,\r\n3\r\ntwo\r\n0;last\r\nX-T: 1\r\n\r\n"
        "GET /3 HTTP/1.1\r\nHost: a\r\n\r\n"
        "POST /4 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        "POST /5 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nxy";
    for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
        ASSERT_EQ(read(bytes, piece), "/1:hello /2:one,two /3: /4: 400") << piece;
    }
}

TEST_F(PiecesTest, NeedABufferForTheHeadAndOnePieceWhateverTheBodysSize) {
    const std::string body(3'000'000, 'b');
    const std::string head = "POST /1 HTTP/1.1\r\nHost: a\r\n";
    for (const std::size_t piece : {999U, 1'000'000U}) {
        const auto sized = head + "Content-Length: 3000000\r\n\r\n" + body;
        EXPECT_EQ(read(sized, piece).size(), body.size() + 4);
        EXPECT_LE(largest_buffer, BodyReceiver::piece_max + limits.header_bytes_max);
        const auto chunked =
            head + "Transfer-Encoding: chunked\r\n\r\n2dc6c0\r\n" + body + "\r\n0\r\n\r\n";
        EXPECT_EQ(read(chunked, piece).size(), body.size() + 4);
        EXPECT_LE(largest_buffer, BodyReceiver::piece_max + limits.header_bytes_max);
    }
}

TEST(HostileRequests, AreRefusedHoweverTheyAreCut) {
    for (const auto& request : hostile_requests()) {
        for (const std::size_t piece : {1U, 2U, 3U, 7U, 64U, 1'000'000U}) {
            SCOPED_TRACE(std::string{request.why} + " in pieces of " + std::to_string(piece));
            Feeding feeding;
            EXPECT_EQ(feeding.feed(request.bytes, piece), State::refused);
            EXPECT_EQ(feeding.reader.refusal(), request.status);
            EXPECT_EQ(feeding.reader.advance(), State::refused);
        }
    }
}

TEST(SoundRequests, AreReadAlikeHoweverTheyAreCut) {
    const std::string bytes =
        "\r\nPOST /v1/send?x=1?y HTTP/1.1\r\nhOST: example.org:80\r\nX-Empty:\r\n"
        "X-Obs: \xe4\t\"'\r\nTransfer-Encoding:\tChunked \r\n\r\n"
        "5;name=\"quoted;text\"\r\nhello\r\n00006\r\n world\r\n000;last\r\nX-T: 1\r\n\r\n";
    for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
        SCOPED_TRACE(piece);
        Feeding feeding;
        ASSERT_EQ(feeding.feed(bytes, piece), State::ready);
        const Head& head = *feeding.reader.head();
        EXPECT_EQ(head.method, Method::post);
        EXPECT_EQ(head.path, "/v1/send");
        EXPECT_EQ(head.query, "x=1?y");
        ASSERT_EQ(head.headers.size(), 4U);
        EXPECT_EQ(head.headers[1], Request::Header("X-Empty", ""));
        EXPECT_EQ(head.headers[2].second, "\xe4\t\"'");
        EXPECT_EQ(feeding.reader.body(), "hello world");
    }
}

TEST_F(RequestReaderTest, KeepsWhatComesBehindARequest) {
    ASSERT_EQ(feed("POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx"
                   "POST /2 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                   "1\r\ny\r\n0\r\n\r\n"
                   "GET /3 HTTP/1.1\r\nHost: a\r\n\r\nGET"),
              State::ready);
    EXPECT_EQ(reader.body(), "x");
    reader.consume();
    ASSERT_EQ(reader.advance(), State::ready);
    EXPECT_EQ(reader.head()->path, "/2");
    EXPECT_EQ(reader.body(), "y");
    reader.consume();
    ASSERT_EQ(reader.advance(), State::ready);
    EXPECT_EQ(reader.head()->path, "/3");
    EXPECT_EQ(reader.body(), "");
    reader.consume();
    EXPECT_EQ(reader.advance(), State::needs_more);
    EXPECT_EQ(reader.part(), RequestReader::Part::head);
}

TEST_F(RequestReaderTest, TellsWhichPartIsAwaited) {
    EXPECT_EQ(reader.part(), RequestReader::Part::nothing_yet);
    (void)feed("P");
    EXPECT_EQ(reader.part(), RequestReader::Part::head);
    (void)feed("OST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n");
    EXPECT_EQ(reader.part(), RequestReader::Part::body);
    EXPECT_EQ(feed("x"), State::ready);
    reader.consume();
    EXPECT_EQ(reader.part(), RequestReader::Part::nothing_yet);
}

TEST_F(RequestReaderTest, TakesAbsoluteAndQueryOnlyTargets) {
    struct Row {
        std::string_view target;
        std::string_view path;
        std::string_view query;
    };
    for (const Row& row :
         {Row{"http://a/b?c", "/b", "c"}, Row{"HTTPS://a:1/b", "/b", ""}, Row{"http://a", "/", ""},
          Row{"http://a?q", "/", "q"}, Row{"/?", "/", ""}, Row{"//a//b", "//a//b", ""},
          Row{"/%00/..", "/%00/..", ""}}) {
        SCOPED_TRACE(row.target);
        ASSERT_EQ(feed("GET " + std::string{row.target} + " HTTP/1.1\r\nHost: a\r\n\r\n"),
                  State::ready);
        EXPECT_EQ(reader.head()->path, row.path);
        EXPECT_EQ(reader.head()->query, row.query);
        reader.consume();
    }
    ASSERT_EQ(feed("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n"), State::ready);
    EXPECT_EQ(reader.head()->path, "*");
}

TEST_F(RequestReaderTest, TakesTheLargestHeadThatTheLimitsAllow) {
    const std::string line = "GET /" + std::string(8192 - 14, 'x') + " HTTP/1.1\r\n";
    const std::string fields = "Host: a\r\nX: " + std::string(16384 - 14, 'y') + "\r\n";
    EXPECT_EQ(feed(line + fields + "\r\n", 1000), State::ready);
    EXPECT_EQ(reader.head()->path.size(), 8192U - 13);
    reader.consume();
    EXPECT_EQ(feed(line + fields.substr(0, fields.size() - 2) + "y\r\n\r\n"), State::refused);
    EXPECT_EQ(reader.refusal(), 431);
}

TEST_F(RequestReaderTest, TakesAsManyFieldsAsTheLimitsAllow) {
    EXPECT_EQ(feed("GET / HTTP/1.1\r\nHost: a\r\n" + repeated("X: y\r\n", 63) + "\r\n"),
              State::ready);
    EXPECT_EQ(reader.head()->headers.size(), 64U);
}

TEST_F(RequestReaderTest, GivesItsMemoryBackWhenNothingWaits) {
    const std::string body(60'000, 'b');
    ASSERT_EQ(feed("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n" + body),
              State::ready);
    EXPECT_EQ(reader.body(), body);
    reader.consume();
    EXPECT_EQ(reader.room().size(), RequestReader::idle_capacity);
}

TEST_F(RequestReaderTest, KeepsTheHeadsViewsWhereTheBytesAreWhenTheBufferGrows) {
    const std::string body(60'000, 'b');
    ASSERT_EQ(feed("\r\nPOST http://a?q HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer k\r\n"
                   "X-Request-Id: mine\r\nContent-Length: 60000\r\n\r\n" +
                       body,
                   999),
              State::ready);
    const Head& head = *reader.head();
    EXPECT_EQ(head.path, "/");
    EXPECT_EQ(head.query, "q");
    EXPECT_EQ(head.authorization, "Bearer k");
    EXPECT_EQ(head.request_id, "mine");
    ASSERT_EQ(head.headers.size(), 4U);
    EXPECT_EQ(head.headers[1], Request::Header("Authorization", "Bearer k"));
    EXPECT_EQ(head.headers[3], Request::Header("Content-Length", "60000"));
    EXPECT_EQ(reader.body(), body);
}

TEST_F(RequestReaderTest, JoinsTheSmallestChunksWithoutGrowing) {
    ASSERT_EQ(feed("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"),
              State::needs_more);
    ASSERT_EQ(feed(repeated("1\r\nx\r\n", 65536), 4001), State::needs_more);
    EXPECT_LE(reader.room().size(), 256U * 1024);
    ASSERT_EQ(feed("0\r\n\r\n"), State::ready);
    EXPECT_EQ(reader.body(), std::string(65536, 'x'));
}

}  // namespace
}  // namespace merpati::http::testing
