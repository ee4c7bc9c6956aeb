// Bodies that are handled while they arrive.
#include "http/body_receiver.hpp"

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "http/hostile_requests.hpp"
#include "http/io_thread.hpp"
#include "http/server_fixture.hpp"

namespace merpati::http::testing {
namespace {

/// What the test's receivers have got.
struct Inbox {
    std::mutex mutex;
    std::string body;
    std::size_t pieces = 0;
    std::size_t largest = 0;
    std::size_t finished = 0;
    std::size_t broken_off = 0;
    std::vector<PieceHold> holds;         // If `keeps`: of the pieces that the test has not taken.
    std::vector<Responder> unanswered{};  // Of uploads that have not ended.
    bool keeps = false;
    bool throws = false;
};

/// Answers the number of bytes when the body has ended.
class InboxReceiver final : public BodyReceiver {
public:
    InboxReceiver(Inbox& inbox, Responder responder)
        : inbox_(inbox), responder_(std::move(responder)) {}
    ~InboxReceiver() override {
        const std::lock_guard lock{inbox_.mutex};
        ++(finished_ ? inbox_.finished : inbox_.broken_off);
    }

    void take(std::string piece, PieceHold hold) override {
        const std::lock_guard lock{inbox_.mutex};
        if (inbox_.throws) {
            throw std::runtime_error{"no memory"};
        }
        inbox_.body += piece;
        ++inbox_.pieces;
        inbox_.largest = std::max(inbox_.largest, piece.size());
        size_ += piece.size();
        if (inbox_.keeps) {
            inbox_.holds.push_back(std::move(hold));
        }
    }
    void finish() override {
        finished_ = true;
        responder_.send({.body = std::to_string(size_)});
    }

private:
    Inbox& inbox_;
    Responder responder_;
    std::size_t size_ = 0;
    bool finished_ = false;
};

/// /upload receives, /limited up to 1000 bytes, /refused answers 409 at once, /judged when the test
/// says so, whatever has been received.
struct BodyReceiverTest : ServerTest {
    BodyReceiverTest() {
        const UploadHandler receive = [this](const Request& request, Responder responder,
                                             PieceHold hold) {
            if (const auto account = request.header("Account")) {
                request.vouch(Party::account(std::stoi(std::string{*account})));
            }
            const std::lock_guard lock{inbox.mutex};
            if (inbox.keeps) {
                inbox.holds.push_back(std::move(hold));
            }
            return std::make_unique<InboxReceiver>(inbox, std::move(responder));
        };
        router.add_upload(Method::post, "/upload", receive);
        router.add_upload(Method::post, "/limited", receive, 1000);
        router.add_upload(Method::post, "/refused",
                          [](const Request& request, Responder responder,
                             const PieceHold& /*hold*/) -> std::unique_ptr<BodyReceiver> {
                              EXPECT_EQ(request.body, "");
                              responder.send({.status = 409, .body = "no"});
                              return nullptr;
                          });
        router.add_upload(Method::post, "/judged",
                          [this](const Request&, Responder responder, const PieceHold& /*hold*/) {
                              const std::lock_guard lock{inbox.mutex};
                              inbox.unanswered.push_back(std::move(responder));
                              return std::make_unique<InboxReceiver>(
                                  inbox, Responder{std::make_shared<Unread>()});
                          });
        router.add_upload(Method::post, "/throws",
                          [](const Request&, Responder /*responder*/,
                             PieceHold /*hold*/) -> std::unique_ptr<BodyReceiver> {
                              throw std::runtime_error{"no memory"};
                          });
    }
    ~BodyReceiverTest() override {
        server.reset();  // Its receivers refer to the inbox.
    }

    /// Where the answers of receivers go if the test itself answers.
    struct Unread final : ReplySink {
        void deliver(Reply&& /*reply*/) override {}
    };

    static std::string head(std::string_view path, std::string_view field) {
        return "POST " + std::string{path} + " HTTP/1.1\r\nHost: a\r\n" + std::string{field} +
               "\r\n\r\n";
    }
    static std::string sized(std::size_t size, std::string_view path = "/upload") {
        return head(path, "Content-Length: " + std::to_string(size));
    }

    template <class Value>
    [[nodiscard]] Value look(Value Inbox::* member) {
        const std::lock_guard lock{inbox.mutex};
        return inbox.*member;
    }
    /// Takes the piece, or the body as a whole, that the receiver holds.
    void let_go() {
        std::vector<PieceHold> held;
        ASSERT_TRUE(eventually([&] {
            const std::lock_guard lock{inbox.mutex};
            held.swap(inbox.holds);
            return !held.empty();
        }));
    }
    [[nodiscard]] bool breaks_off() {
        return eventually([&] { return look(&Inbox::broken_off) == 1; });
    }

    static constexpr std::string_view get_last =
        "GET /path/1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    static constexpr std::string_view two_chunks =
        "5;x=\"y\"\r\nhello\r\n00006\r\n world\r\n000;last\r\nX-T: 1\r\n\r\n";

    Inbox inbox;
};

TEST_F(BodyReceiverTest, GetsTheSameBodyHoweverItIsCutAndKeepsTheConnection) {
    start();
    const std::string with_length = sized(11) + "hello world";
    const std::string with_chunks =
        head("/upload", "Transfer-Encoding: chunked") + std::string{two_chunks};
    for (const auto& bytes : {with_length, with_chunks}) {
        auto client = connect();
        for (const std::size_t size : {1UL, 2UL, 3UL, 7UL, 64UL, bytes.size()}) {
            SCOPED_TRACE(size);
            inbox.body.clear();
            for (std::size_t at = 0; at < bytes.size(); at += size) {
                client.send(std::string_view{bytes}.substr(at, size));
            }
            EXPECT_EQ(client.receive().body, "11");
            EXPECT_EQ(inbox.body, "hello world");
        }
    }
    EXPECT_TRUE(eventually([&] { return look(&Inbox::finished) == 12; }));
    EXPECT_EQ(inbox.broken_off, 0U);
}

TEST_F(BodyReceiverTest, GetsALargeBodyInPieces) {
    start();
    std::string body;
    for (std::size_t line = 0; body.size() < 5'000'000; ++line) {
        body += std::to_string(line) + "\n";
    }
    auto client = connect();
    client.send(sized(body.size()) + body);
    EXPECT_EQ(client.receive().body, std::to_string(body.size()));
    EXPECT_TRUE(inbox.body == body);
    EXPECT_GT(inbox.pieces, body.size() / BodyReceiver::piece_max);
    EXPECT_LE(inbox.largest, BodyReceiver::piece_max);
}

TEST_F(BodyReceiverTest, LeavesWhatComesBehindTheBodyToTheNextRequest) {
    start();
    auto client = connect();
    client.send(sized(3) + "one" + head("/upload", "Transfer-Encoding: chunked") +
                std::string{two_chunks} + sized(0) + sized(3, "/refused") + "two" + sized(5) +
                "three" + std::string{get_last});
    EXPECT_EQ(client.receive().body, "3");
    EXPECT_EQ(client.receive().body, "11");
    EXPECT_EQ(client.receive().body, "0");
    EXPECT_EQ(client.receive().status, 409);
    EXPECT_EQ(client.receive().body, "5");
    EXPECT_EQ(client.receive().body, "/path/1|");
    EXPECT_EQ(inbox.body, "onehello worldthree");
}

TEST_F(BodyReceiverTest, AReceiverThatIsSlowHoldsOnePiece) {
    inbox.keeps = true;
    start();
    auto client = connect();
    client.send(sized(200'000) + std::string(200'000, 'x'));
    let_go();
    ASSERT_TRUE(eventually([&] { return look(&Inbox::pieces) == 1; }));
    clock.advance(3600s);  // No deadline runs meanwhile.
    EXPECT_FALSE(client.is_readable(30ms));
    EXPECT_EQ(look(&Inbox::pieces), 1U);
    const auto first = look(&Inbox::body).size();
    let_go();
    ASSERT_TRUE(eventually([&] { return look(&Inbox::pieces) == 2; }));
    EXPECT_GT(look(&Inbox::body).size(), first);
    {
        const std::lock_guard lock{inbox.mutex};
        inbox.keeps = false;
        inbox.holds.clear();
    }
    EXPECT_EQ(client.receive().body, "200000");
}

TEST_F(BodyReceiverTest, APieceThatIsHeldCountsForItsSender) {
    inbox.keeps = true;
    start();
    auto client = connect();
    client.send(head("/upload", "Account: 1\r\nContent-Length: 60000") + std::string(60'000, 'x'));
    let_go();
    EXPECT_TRUE(eventually([&] { return server->counts().caller_bytes > 0; }));
    while (look(&Inbox::body).size() < 60'000) {
        EXPECT_GT(server->counts().caller_bytes, 0U);
        let_go();
    }
    const std::lock_guard lock{inbox.mutex};
    inbox.holds.clear();
}

TEST_F(BodyReceiverTest, SendersThatHoldMostLoseTheirUploads) {
    options.limits.caller_bytes_max = IoThread::bytes_min;
    inbox.keeps = true;
    start();
    std::vector<RawClient> bad;
    for (int i = 0; i < 30; ++i) {
        bad.push_back(connect());
        bad.back().send(head("/upload", "Account: 1\r\nContent-Length: 60000") +
                        std::string(50'000, 'x'));
    }
    EXPECT_TRUE(eventually([&] {
        const std::lock_guard lock{inbox.mutex};
        inbox.holds.clear();
        const auto counts = server->counts();
        return counts.shed_total >= 10 && counts.caller_bytes <= options.limits.caller_bytes_max;
    }));
}

TEST_F(BodyReceiverTest, AsksForTheBodyWhenTheHandlerWantsIt) {
    inbox.keeps = true;
    start();
    auto client = connect();
    client.send(head("/upload", "Expect: 100-continue\r\nContent-Length: 5"));
    ASSERT_TRUE(eventually([&] {
        const std::lock_guard lock{inbox.mutex};
        return !inbox.holds.empty();
    }));
    EXPECT_FALSE(client.is_readable(30ms));
    let_go();
    EXPECT_EQ(client.receive(false).status, 100);
    client.send("hello");
    let_go();
    EXPECT_EQ(client.receive().body, "5");
}

TEST_F(BodyReceiverTest, ARefusedRequestIsAnsweredWithoutItsBody) {
    start();
    for (const auto* field : {"Expect: 100-continue\r\nContent-Length: 5000",
                              "Content-Length: 99999999999", "Transfer-Encoding: chunked"}) {
        auto client = connect();
        client.send(head("/refused", field));
        const auto answer = client.receive();
        EXPECT_EQ(answer.status, 409) << field;
        EXPECT_EQ(answer.header("Connection"), "close");
        client.send("late");
        client.stop_sending();
        EXPECT_TRUE(client.is_closed());
    }
    EXPECT_EQ(inbox.pieces, 0U);
}

TEST_F(BodyReceiverTest, AnAnswerBeforeTheEndEndsTheUpload) {
    start();
    auto client = connect();
    client.send(sized(5000, "/judged") + "half of it");
    ASSERT_TRUE(eventually([&] { return look(&Inbox::body) == "half of it"; }));
    inbox.unanswered.at(0).send({.status = 400, .body = "line 1"});
    const auto answer = client.receive();
    EXPECT_EQ(answer.status, 400);
    EXPECT_EQ(answer.header("Connection"), "close");
    EXPECT_TRUE(breaks_off());
    client.send("more");
    client.send(get_last);
    client.stop_sending();
    EXPECT_TRUE(client.is_closed());
    EXPECT_EQ(look(&Inbox::body), "half of it");
}

TEST_F(BodyReceiverTest, ABodyOverTheLimitIsRefused) {
    start();
    auto client = connect();
    client.send(sized(1001, "/limited"));
    EXPECT_EQ(client.receive().status, 413);
    EXPECT_EQ(look(&Inbox::broken_off), 0U) << "it never began";
    auto chunked = connect();
    chunked.send(head("/limited", "Transfer-Encoding: chunked") + "3e8\r\n" +
                 std::string(1000, 'x') + "\r\n");
    ASSERT_TRUE(eventually([&] { return look(&Inbox::body).size() == 1000; }));
    chunked.send("1\r\n");
    EXPECT_EQ(chunked.receive().status, 413);
    EXPECT_TRUE(breaks_off());
    EXPECT_EQ(inbox.finished, 0U);
}

TEST_F(BodyReceiverTest, MalformedChunksBreakTheUploadOff) {
    start();
    auto client = connect();
    client.send(head("/upload", "X-Request-Id: mine\r\nTransfer-Encoding: chunked") +
                "5\r\nhelloX\r\n");
    const auto answer = client.receive();
    EXPECT_EQ(answer.status, 400);
    EXPECT_EQ(answer.header("X-Request-Id"), "mine");
    EXPECT_TRUE(breaks_off());
    EXPECT_EQ(inbox.finished, 0U);
}

TEST_F(BodyReceiverTest, RefusesEveryHostileRequestAsOthersAre) {
    start();
    for (auto request : hostile_requests()) {
        if (!request.bytes.starts_with("POST /echo ") || request.status == 413) {
            continue;
        }
        SCOPED_TRACE(request.why);
        request.bytes.replace(5, 5, "/upload");
        auto client = connect();
        client.send(request.bytes);
        EXPECT_EQ(client.receive().status, request.status);
    }
    EXPECT_EQ(look(&Inbox::finished), 0U);
}

TEST_F(BodyReceiverTest, AClientThatHangsUpBreaksTheUploadOff) {
    start();
    auto client = connect();
    client.send(sized(5000) + "half of it");
    ASSERT_TRUE(eventually([&] { return look(&Inbox::body) == "half of it"; }));
    client.hang_up();
    EXPECT_TRUE(breaks_off());
    EXPECT_TRUE(eventually([&] { return server->counts().connections_open == 0; }));
    EXPECT_EQ(inbox.finished, 0U);
}

TEST_F(BodyReceiverTest, AClientThatHangsUpWhileAPieceIsHeldBreaksTheUploadOff) {
    inbox.keeps = true;
    start();
    auto client = connect();
    client.send(sized(5000) + "half of it");
    let_go();
    ASSERT_TRUE(eventually([&] { return look(&Inbox::body) == "half of it"; }));
    client.hang_up();
    EXPECT_TRUE(breaks_off());
    let_go();  // Too late, and harmless.
}

TEST_F(BodyReceiverTest, AClientThatSendsNothingMoreIsAnswered408) {
    start();
    auto client = connect();
    client.send(sized(5000) + "half of it");
    ASSERT_TRUE(eventually([&] { return look(&Inbox::body) == "half of it"; }));
    EXPECT_TRUE(passing_time(1s, [&] { return client.is_readable(0ms); }));
    EXPECT_EQ(client.receive().status, 408);
    EXPECT_TRUE(breaks_off());
}

TEST_F(BodyReceiverTest, AClientThatTricklesIsAnswered408) {
    start();
    auto client = connect();
    client.send(sized(5'000'000));
    std::size_t sent = 0;
    EXPECT_TRUE(passing_time(500ms, [&] {
        sent += client.send("x") ? 1 : 0;
        return client.is_readable(0ms);
    }));
    EXPECT_EQ(client.receive().status, 408);
    EXPECT_LT(sent, 1000U);
    EXPECT_TRUE(breaks_off());
}

TEST_F(BodyReceiverTest, AClientThatIsFastEnoughMayTakeAsLongAsItNeeds) {
    start();
    auto client = connect();
    const std::string piece(30'000, 'x');  // In 5 seconds: 6,000 bytes a second.
    constexpr std::size_t pieces = 12;
    client.send(sized(pieces * piece.size()));
    for (std::size_t sent = 1; sent <= pieces; ++sent) {
        client.send(piece);
        ASSERT_TRUE(eventually([&] { return look(&Inbox::body).size() == sent * piece.size(); }));
        int seconds = 0;
        ASSERT_TRUE(passing_time(1s, [&] { return ++seconds == 5; }));
    }
    EXPECT_EQ(client.receive().body, std::to_string(pieces * piece.size()));
}

TEST_F(BodyReceiverTest, AServerThatDrainsBreaksUploadsOff) {
    start();
    auto client = connect();
    client.send(sized(5000) + "half of it");
    ASSERT_TRUE(eventually([&] { return look(&Inbox::body) == "half of it"; }));
    server->drain(Millis{0});
    const auto answer = client.receive();
    EXPECT_EQ(answer.status, 503);
    EXPECT_EQ(answer.header("Connection"), "close");
    EXPECT_TRUE(breaks_off());
}

TEST_F(BodyReceiverTest, TheServersEndBreaksUploadsOffAndALateHoldDoesNothing) {
    inbox.keeps = true;
    start();
    auto client = connect();
    client.send(sized(5000) + "half of it");
    let_go();
    ASSERT_TRUE(eventually([&] { return look(&Inbox::body) == "half of it"; }));
    server.reset();
    EXPECT_EQ(inbox.broken_off, 1U);
    let_go();
}

TEST_F(BodyReceiverTest, AReceiverOrHandlerThatThrowsIsAnswered500) {
    inbox.throws = true;
    start();
    for (const auto* path : {"/upload", "/throws"}) {
        auto client = connect();
        client.send(sized(5000, path) + "half of it");
        const auto answer = client.receive();
        EXPECT_EQ(answer.status, 500) << path;
        EXPECT_EQ(answer.header("Connection"), "close");
    }
    EXPECT_TRUE(breaks_off());
}

TEST_F(BodyReceiverTest, OtherMethodsOfItsPathAreRefused) {
    start();
    auto client = connect();
    client.send("GET /upload HTTP/1.1\r\nHost: a\r\n\r\n");
    const auto answer = client.receive();
    EXPECT_EQ(answer.status, 405);
    EXPECT_EQ(answer.header("Allow"), "POST");
}

}  // namespace
}  // namespace merpati::http::testing
