// Bodies that are produced while they are sent.
#include "http/body_source.hpp"

#include <atomic>
#include <mutex>
#include <vector>

#include "http/server_fixture.hpp"

namespace merpati::http::testing {
namespace {

/// What happened to a source.
struct Life {
    std::atomic<int> asked{0};
    std::atomic<bool> over{false};
};

/// Gives each piece at once. Without pieces it repeats the same one for ever.
class ReadySource final : public BodySource {
public:
    ReadySource(std::shared_ptr<Life> life, std::vector<std::string> pieces)
        : life_(std::move(life)), pieces_(std::move(pieces)) {}
    ~ReadySource() override { life_->over = true; }

    void next(BodyWriter writer) override {
        const auto turn = static_cast<std::size_t>(life_->asked++);
        if (pieces_.empty()) {
            writer.give(std::string(64UL * 1024, 'x'));
        } else if (turn + 1 < pieces_.size()) {
            writer.give(pieces_[turn]);
        } else {
            writer.finish(pieces_[turn]);
        }
    }

private:
    std::shared_ptr<Life> life_;
    std::vector<std::string> pieces_;
};

/// Leaves its writers to the test.
class LateSource final : public BodySource {
public:
    struct Writers {
        std::mutex mutex;
        std::vector<BodyWriter> waiting;
    };
    LateSource(std::shared_ptr<Life> life, std::shared_ptr<Writers> writers)
        : life_(std::move(life)), writers_(std::move(writers)) {}
    ~LateSource() override { life_->over = true; }

    void next(BodyWriter writer) override {
        const std::lock_guard lock{writers_->mutex};
        writers_->waiting.push_back(std::move(writer));
        ++life_->asked;
    }

private:
    std::shared_ptr<Life> life_;
    std::shared_ptr<Writers> writers_;
};

struct BodySourceTest : ServerTest {
    BodySourceTest() {
        router.add(Method::get, "/ready", [this](const Request&, Responder responder) {
            responder.send({.content_type = "text/plain",
                            .source = std::make_unique<ReadySource>(life, pieces)});
        });
        router.add(Method::get, "/late", [this](const Request&, Responder responder) {
            responder.send({.source = std::make_unique<LateSource>(life, writers)});
        });
        router.add(Method::get, "/mine", [this](const Request& request, Responder responder) {
            request.vouch(Party::account(1));
            responder.send({.source = std::make_unique<LateSource>(life, writers)});
        });
    }

    /// The writer of the `turn`th piece, once it was asked for.
    BodyWriter take_writer(int turn) {
        EXPECT_TRUE(eventually([&] { return life->asked >= turn; }));
        const std::lock_guard lock{writers->mutex};
        auto writer = std::move(writers->waiting.back());
        writers->waiting.pop_back();
        return writer;
    }
    bool is_over() {
        return eventually([&] { return life->over.load(); });
    }

    static constexpr std::string_view get_ready = "GET /ready HTTP/1.1\r\nHost: a\r\n\r\n";
    static constexpr std::string_view get_late = "GET /late HTTP/1.1\r\nHost: a\r\n\r\n";
    static constexpr std::string_view get_last =
        "GET /path/1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

    std::vector<std::string> pieces{"first ", "", "second"};
    std::shared_ptr<Life> life = std::make_shared<Life>();
    std::shared_ptr<LateSource::Writers> writers = std::make_shared<LateSource::Writers>();
};

TEST_F(BodySourceTest, SendsPieceByPieceAndKeepsTheConnection) {
    start();
    auto client = connect();
    client.send(std::string{get_ready} + std::string{get_last});
    const auto all = client.receive_all();
    EXPECT_NE(all.find("Transfer-Encoding: chunked\r\n"), std::string::npos) << all;
    EXPECT_EQ(all.find("Content-Length: 0"), std::string::npos) << all;
    EXPECT_NE(all.find("\r\n\r\n6\r\nfirst \r\n6\r\nsecond\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n"),
              std::string::npos)
        << all;
    EXPECT_TRUE(all.ends_with("/path/1|")) << all;
    EXPECT_TRUE(is_over());
    EXPECT_EQ(life->asked, 3);
}

TEST_F(BodySourceTest, TakesPiecesFromOtherThreadsOneAtATime) {
    start();
    auto client = connect();
    client.send(get_late);
    take_writer(1).give("one");
    auto second = take_writer(2);
    EXPECT_EQ(client.receive(false).header("Transfer-Encoding"), "chunked");
    second.finish();
    client.send(get_last);
    EXPECT_TRUE(client.receive_all().starts_with("3\r\none\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n"));
}

TEST_F(BodySourceTest, CountsAnAuthenticatedCallerAsAnonymousNoMoreBetweenPieces) {
    start();
    auto client = connect();
    client.send("GET /mine HTTP/1.1\r\nHost: a\r\n\r\n");
    auto writer = take_writer(1);
    EXPECT_TRUE(eventually([&] { return server->counts().anonymous_bytes == 0; }));
    writer.finish("all");
    client.send(get_last);
    EXPECT_NE(client.receive_all().find("3\r\nall\r\n0\r\n\r\n"), std::string::npos);
}

TEST_F(BodySourceTest, AClientThatDoesNotReadHoldsOnePieceAndIsClosedInTheEnd) {
    pieces.clear();
    start();
    auto client = connect();
    client.send(get_ready);
    ASSERT_TRUE(passing_time(100ms, [&] { return life->over.load(); }));
    // Only what the sockets of both sides took: the source waits for the client.
    EXPECT_LT(life->asked, 1'000);
    EXPECT_TRUE(eventually([&] { return server->counts().connections_open == 0; }));
}

TEST_F(BodySourceTest, AClientThatHangsUpEndsItsSource) {
    pieces.clear();
    start();
    auto client = connect();
    client.send(get_ready);
    EXPECT_TRUE(client.skip(100'000));
    client.hang_up();
    EXPECT_TRUE(is_over());
}

TEST_F(BodySourceTest, AClientThatHangsUpWhileItWaitsEndsItsSourceWithoutAnotherPiece) {
    start();
    auto client = connect();
    client.send(get_late);
    EXPECT_TRUE(eventually([&] { return life->asked == 1; }));
    client.hang_up();
    EXPECT_TRUE(is_over());
    EXPECT_TRUE(eventually([&] { return server->counts().connections_open == 0; }));
    EXPECT_EQ(life->asked, 1);
    writers->waiting.clear();
}

TEST_F(BodySourceTest, ABodyThatNobodyEndsIsCutOff) {
    start();
    auto client = connect();
    client.send(get_late);
    take_writer(1).give("one");
    {
        const auto forgotten = take_writer(2);
    }
    const auto all = client.receive_all();
    EXPECT_TRUE(all.ends_with("\r\n\r\n3\r\none\r\n")) << all;
    EXPECT_TRUE(is_over());
}

TEST_F(BodySourceTest, AnHttp10ClientReadsToTheEnd) {
    start();
    auto client = connect();
    client.send("GET /ready HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    const auto all = client.receive_all();
    EXPECT_EQ(all.find("Transfer-Encoding"), std::string::npos) << all;
    EXPECT_NE(all.find("Connection: close\r\n"), std::string::npos) << all;
    EXPECT_TRUE(all.ends_with("\r\n\r\nfirst second")) << all;
}

TEST_F(BodySourceTest, HeadIsAnsweredWithoutAskingTheSource) {
    start();
    auto client = connect();
    client.send("HEAD /ready HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    const auto all = client.receive_all();
    EXPECT_TRUE(all.ends_with("\r\n\r\n")) << all;
    EXPECT_TRUE(life->over);
    EXPECT_EQ(life->asked, 0);
}

TEST_F(BodySourceTest, TheServersEndEndsItsSourcesAndALateWriterDoesNothing) {
    start();
    auto client = connect();
    client.send(get_late);
    auto writer = take_writer(1);
    server->drain(Millis{0});
    EXPECT_FALSE(life->over);
    server.reset();
    EXPECT_TRUE(life->over);
    writer.give("too late");
}

TEST_F(BodySourceTest, APieceIsNoLargerThanOneClientMayHold) {
    struct Sink final : BodySink {
        void take_piece(std::string&&, bool) override {}
        void cut_off() override {}
    };
    BodyWriter writer{std::make_shared<Sink>()};
    EXPECT_DEATH(writer.give(std::string(BodyWriter::piece_max + 1, 'x')), "given once");
}

}  // namespace
}  // namespace merpati::http::testing
