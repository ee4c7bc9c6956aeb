#include "outbound/response_reader.hpp"

#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace merpati::outbound {
namespace {

using State = ResponseReader::State;

/// Every result that reading a response can have.
struct Reading {
    State state = State::needs_more;
    ErrorCode error = ErrorCode::conflict;  // If it did not fail.
    bool has_head = false;
    Response response;
    std::string pieces;  // The bytes that on_body got.

    bool operator==(const Reading& other) const {
        return state == other.state && error == other.error && has_head == other.has_head &&
               response.status == other.response.status &&
               response.headers == other.response.headers && response.body == other.response.body &&
               pieces == other.pieces;
    }
};

struct ResponseReaderTest : ::testing::Test {
    /// Feeds these pieces until the state is no longer needs_more, and then the end.
    Reading read(const std::vector<std::string_view>& pieces) {
        Reading reading;
        auto asked = request;
        if (collects_pieces) {
            asked.on_body = [&reading](std::span<const std::byte> body) {
                for (const auto byte : body) {
                    reading.pieces += static_cast<char>(byte);
                }
                return true;
            };
        }
        ResponseReader reader{asked};
        for (const auto piece : pieces) {
            if (reader.state() == State::needs_more) {
                reader.feed(piece);
            }
        }
        reading.state = reader.finish();
        if (reading.state == State::failed) {
            reading.error = reader.take_error().code;
        }
        reading.has_head = reader.has_head();
        reading.response = reader.response();
        return reading;
    }
    Reading read(std::string_view bytes) { return read(std::vector<std::string_view>{bytes}); }
    Reading read_bytewise(std::string_view bytes) {
        std::vector<std::string_view> pieces;
        for (std::size_t at = 0; at < bytes.size(); ++at) {
            pieces.push_back(bytes.substr(at, 1));
        }
        return read(pieces);
    }

    Request request{.method = "GET", .header_bytes_max = 200, .body_bytes_max = 12};
    bool collects_pieces = false;
};

const std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

const std::vector<std::string> answers{
    "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi",
    "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nhi",
    "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n01234567890123456789",
    "HTTP/1.1 200 OK\r\n\r\nup to",
    "HTTP/1.1 200 OK\r\n\r\nup to the end and beyond",
    "HTTP/1.0 200 OK\r\n\r\nold",
    "HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n",
    "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n",
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n"
    "HTTP/1.1 201 Created\r\nContent-Length: 1\r\n\r\nx",
    "HTTP/1.1 100 Continue\r\nTransfer-Encoding: chunked\r\n\r\nHTTP/1.1 204 Done\r\n\r\n",
    "HTTP/1.1 200 OK\r\nFolded: a\r\n b\r\nContent-Length: 1\r\n\r\nx",
    chunked + "0\r\n\r\n",
    chunked + "3\r\nabc\r\n0\r\n\r\n",
    chunked + "2\r\nhi\r\n3;a=b\r\n yo\r\n0\r\nT: t\r\n\r\n",
    chunked + "c\r\n012345678901\r\n0\r\n\r\n",
    chunked + "d\r\n0123456789012\r\n0\r\n\r\n",
    chunked + "2\r\nhi\r\nno chunk\r\n\r\n",
    chunked + "2\r\nhi\r0\r\n\r\n",
    chunked + "0\r\nT: t\n\r\n",
    chunked + "0\r\n \r\n\r\n",
    chunked + "ffffffffffffffff\r\n",
    chunked + "\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nzipped",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\nhi",
    "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\nhi",
    "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nhi",
    "HTTP/1.1 200 OK\r\nContent-Length: ,\r\n\r\nhi",
    "HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\nhi",
    "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nhi",
    "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nhi",
    "HTTP/1.1 200 OK\r\nConnection: ,;\r\n\r\nhi",
    "HTTP/1.1 200 OK\r\nBad Name: a\r\n\r\n",
    "HTTP/1.1 200 OK\r\n: a\r\n\r\n",
    "HTTP/1.1 200 OK\r\n folded: a\r\n\r\n",
    "HTTP/1.1 200 OK\r\nA: b\r\n \r\n\r\n",
    "HTTP/1.1 200 OK\r\nA: b\rc\r\n\r\n",
    "HTTP/1.1 200 OK\nA: b\n\n",
    "HTTP/1.1 200 OK\r\n\n",
    "HTTP/1.1 101 Switching Protocols\r\n\r\n",
    "HTTP/1.1 099 Below\r\n\r\n",
    "HTTP/1.1 999999 OK\r\n\r\n",
    "HTTP/1.1\r\n\r\n",
    "HTTP/1.\r\n\r\n",
    "HTTP/1.1 200\r\n\r\n",
    "HTTP/2.0 200 OK\r\n\r\n",
    "SSH-2.0-OpenSSH\r\n",
    "\r\n\r\n\r\n",
    "\n",
    "",
    "HTTP/1.1 200 OK\r\nA: " + std::string(300, 'a') + "\r\n\r\n",
    "HTTP/1.1 200 OK\r\nA: " + std::string(300, 'a'),
    "HTTP/1.1 200 OK\r\n" + std::string(300, '\n'),
    std::string{"HTTP/1.1 200 OK\r\nA: \0\r\n\r\n", 25},
};

/// Whole, byte by byte, and in two pieces split at each place.
TEST_F(ResponseReaderTest, ReadsTheSameHoweverTheBytesAreCut) {
    for (const auto* method : {"GET", "HEAD"}) {
        for (const bool streams : {false, true}) {
            request.method = method;
            collects_pieces = streams;
            for (const auto& answer : answers) {
                const auto whole = read(answer);
                EXPECT_NE(whole.state, State::needs_more);
                EXPECT_EQ(read_bytewise(answer), whole) << method << ' ' << answer;
                for (std::size_t at = 1; at < answer.size(); ++at) {
                    const std::string_view bytes = answer;
                    EXPECT_EQ(read({bytes.substr(0, at), bytes.substr(at)}), whole)
                        << method << ' ' << answer << " cut at " << at;
                }
            }
        }
    }
}

/// The connection ends after each byte.
TEST_F(ResponseReaderTest, EndsWhereverTheConnectionDoes) {
    for (const auto* method : {"GET", "HEAD"}) {
        request.method = method;
        for (const auto& answer : answers) {
            for (std::size_t size = 0; size < answer.size(); ++size) {
                const auto begun = std::string_view{answer}.substr(0, size);
                const auto whole = read(begun);
                EXPECT_NE(whole.state, State::needs_more) << begun;
                EXPECT_EQ(read_bytewise(begun), whole) << begun;
            }
        }
    }
}

TEST_F(ResponseReaderTest, TakesTheLastChunkInThreePieces) {
    EXPECT_EQ(read({chunked, "0\r\n", "\r", "\n"}).state, State::done);
    const auto reading = read({chunked + "3\r\nabc\r\n", "0\r\n", "\r", "\n"});
    EXPECT_EQ(reading.state, State::done);
    EXPECT_EQ(reading.response.body, "abc");
}

TEST_F(ResponseReaderTest, RefusesAnAnswerThatIsReadInTwoWays) {
    for (const auto* fields :
         {"Transfer-Encoding: chunked\r\nContent-Length: 2\r\n",
          "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n",
          "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
          "Content-Length: 1\r\nContent-Length: 2\r\n", "Content-Length: 1, 2\r\n"}) {
        const auto reading = read(std::string{"HTTP/1.1 200 OK\r\n"} + fields + "\r\nhi");
        EXPECT_EQ(reading.error, ErrorCode::protocol) << fields;
        EXPECT_FALSE(reading.has_head) << fields;
    }
}

TEST_F(ResponseReaderTest, KnowsTheStatusWhereTheBodyCannotBeRead) {
    const auto reading = read("HTTP/1.1 202 OK\r\nTransfer-Encoding: gzip\r\n\r\nzipped");
    EXPECT_EQ(reading.error, ErrorCode::protocol);
    EXPECT_TRUE(reading.has_head);
    EXPECT_EQ(reading.response.status, 202);
}

TEST_F(ResponseReaderTest, CutsABodyAtItsCap) {
    const auto cut = read("HTTP/1.1 200 OK\r\n\r\n0123456789abcdef");
    EXPECT_EQ(cut.state, State::done);
    EXPECT_EQ(cut.response.body, "0123456789ab");
    request.truncate = false;
    EXPECT_EQ(read("HTTP/1.1 200 OK\r\n\r\n0123456789abcdef").error, ErrorCode::refused);
    EXPECT_EQ(read("HTTP/1.1 200 OK\r\n\r\n0123456789ab").response.body, "0123456789ab");
}

TEST_F(ResponseReaderTest, BoundsTheHeadByteForByte) {
    const std::string begin = "HTTP/1.1 204 OK\r\nA: ";
    const std::string end = "\r\n\r\n";
    const std::string fitting(request.header_bytes_max - begin.size() - end.size(), 'a');
    EXPECT_EQ(read(begin + fitting + end).state, State::done);
    EXPECT_EQ(read(begin + fitting + "a" + end).error, ErrorCode::protocol);
    EXPECT_EQ(read("HTTP/1.1 204 OK\r\nA: a").error, ErrorCode::protocol);
}

TEST_F(ResponseReaderTest, BoundsTheNumberOfFieldsAndOfInterimAnswers) {
    request.header_bytes_max = 4'096;
    std::string fields;
    for (int count = 0; count < 128; ++count) {
        fields += "A: b\r\n";
    }
    EXPECT_EQ(read("HTTP/1.1 204 OK\r\n" + fields + "\r\n").state, State::done);
    EXPECT_EQ(read("HTTP/1.1 204 OK\r\n" + fields + "A: b\r\n\r\n").error, ErrorCode::protocol);

    std::string interim;
    for (int count = 0; count < 8; ++count) {
        interim += "HTTP/1.1 100 Continue\r\n\r\n";
    }
    EXPECT_EQ(read(interim + "HTTP/1.1 204 OK\r\n\r\n").state, State::done);
    EXPECT_EQ(read(interim + interim + "HTTP/1.1 204 OK\r\n\r\n").error, ErrorCode::protocol);
}

TEST_F(ResponseReaderTest, SaysWhetherTheConnectionMayBeUsedAgain) {
    const auto keeps = [this](const std::string& bytes) {
        ResponseReader reader{request};
        reader.feed(bytes);
        return reader.keep_alive();
    };
    EXPECT_TRUE(keeps("HTTP/1.1 204 OK\r\n\r\n"));
    EXPECT_TRUE(keeps("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"));
    EXPECT_TRUE(keeps(chunked + "0\r\n\r\n"));
    EXPECT_TRUE(keeps("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n"));
    EXPECT_FALSE(keeps("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n"));
    EXPECT_FALSE(keeps("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"));
    EXPECT_FALSE(keeps("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi!"));
    EXPECT_FALSE(keeps("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nh"));
    EXPECT_FALSE(keeps("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n01234567890123456789"));
    EXPECT_FALSE(keeps("HTTP/1.1 200 OK\r\n\r\nup to"));
}

TEST_F(ResponseReaderTest, EndsWhereOnHeadWantsNoMore) {
    request.on_head = [](const Response& head) { return head.status == 200; };
    ResponseReader reader{request};
    EXPECT_EQ(reader.feed("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 404 No\r\n\r\n"), State::done);
    EXPECT_EQ(reader.response().status, 404);
    EXPECT_FALSE(reader.keep_alive());
}

TEST_F(ResponseReaderTest, KeepsTheConnectionWhereOnHeadWantsNoBodyAndNoneFollows) {
    request.on_head = [](const Response&) { return false; };
    const auto keeps = [this](std::string_view method, std::string_view bytes) {
        request.method = method;
        ResponseReader reader{request};
        EXPECT_EQ(reader.feed(bytes), State::done);
        return reader.keep_alive();
    };
    EXPECT_TRUE(keeps("GET", "HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n"));
    EXPECT_TRUE(keeps("HEAD", "HTTP/1.1 404 No\r\nContent-Length: 9\r\n\r\n"));
    EXPECT_FALSE(keeps("HEAD", "HTTP/1.1 404 No\r\nContent-Length: 9\r\n\r\nunasked"));
    EXPECT_FALSE(keeps("HEAD", "HTTP/1.1 404 No\r\nConnection: close\r\n\r\n"));
    EXPECT_FALSE(keeps("GET", "HTTP/1.1 404 No\r\nContent-Length: 2\r\n\r\n"));
    EXPECT_FALSE(keeps("GET", "HTTP/1.1 404 No\r\nContent-Length: 2\r\n\r\nhi"));
    EXPECT_FALSE(keeps("GET", "HTTP/1.1 404 No\r\nTransfer-Encoding: gzip\r\n\r\n"));
}

}  // namespace
}  // namespace merpati::outbound
