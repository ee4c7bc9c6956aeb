// The management socket, from both ends.
#include <atomic>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sys/stat.h>

#include "http/local_address.hpp"
#include "http/local_client.hpp"
#include "http/server_fixture.hpp"
#include "testing/temporary_folder.hpp"

namespace merpati::http::testing {
namespace {

struct LocalSocketTest : ServerTest {
    LocalSocketTest() {
        options.local_socket = folder.file("merpati.sock");
        local_router.add(Method::post, "/manage", [](const Request& request, Responder responder) {
            responder.send({.status = 201,
                            .body = std::string{request.body} + "|" + std::string{request.query} +
                                    (request.from_local_socket ? "|local" : "|network")});
        });
        router.add(Method::get, "/origin", [](const Request& request, Responder responder) {
            responder.send({.body = request.from_local_socket ? "local" : "network"});
        });
    }

    Result<ClientReply> ask(Method method, std::string_view target, std::string_view body = {},
                            std::chrono::milliseconds timeout = patience) {
        return request(options.local_socket, method, target, body, timeout);
    }
    Result<void> start_second() {
        second.emplace(clock, random, options, router, local_router, refusal_text);
        return second->start();
    }
    /// Listens on `options.local_socket` and answers the first request with `answer`.
    std::thread answer_once(std::string answer) {
        const auto address = LocalAddress::of(options.local_socket);
        FileDescriptor listener{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
        EXPECT_EQ(::bind(listener.get(), address->data(), address->size()), 0);
        EXPECT_EQ(::listen(listener.get(), 1), 0);
        return std::thread{[listener = std::move(listener), answer = std::move(answer)] {
            RawClient peer{FileDescriptor{::accept(listener.get(), nullptr, nullptr)}};
            EXPECT_TRUE(peer.is_readable(patience));
            peer.send(answer);
            peer.stop_sending();
            (void)peer.receive_all();
        }};
    }

    merpati::testing::TemporaryFolder folder;
    std::optional<Server> second;
};

TEST_F(LocalSocketTest, ServesItsOwnRoutes) {
    start();
    const auto reply = ask(Method::post, "/manage?a=b", "hello");
    ASSERT_TRUE(reply) << reply.error().describe();
    EXPECT_EQ(reply->status, 201);
    EXPECT_EQ(reply->body, "hello|a=b|local");
    EXPECT_EQ(ask(Method::get, "/origin")->status, 404);
    auto client = connect();
    client.send("GET /origin HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(client.receive().body, "network");
}

TEST_F(LocalSocketTest, CarriesLargeBodiesBothWays) {
    options.limits.body_max = 10'000'000;
    start();
    const std::string body(9'000'000, 'b');
    const auto reply = ask(Method::post, "/manage", body);
    ASSERT_TRUE(reply) << reply.error().describe();
    EXPECT_TRUE(reply->body == body + "||local");
}

TEST_F(LocalSocketTest, TellsTheClientWhyABodyIsRefused) {
    start();
    const auto reply = ask(Method::post, "/manage", std::string(5'000'000, 'b'));
    ASSERT_TRUE(reply) << reply.error().describe();
    EXPECT_EQ(reply->status, 413);
}

/// Answers what it has received, and nothing of a body that was broken off.
class EchoReceiver final : public BodyReceiver {
public:
    EchoReceiver(Responder responder, std::atomic<bool>& broken_off)
        : responder_(std::move(responder)), broken_off_(broken_off) {}
    ~EchoReceiver() override { broken_off_ = !finished_; }

    void take(std::string piece, PieceHold /*hold*/) override { body_ += piece; }
    void finish() override {
        finished_ = true;
        responder_.send({.body = std::move(body_)});
    }

private:
    Responder responder_;
    std::atomic<bool>& broken_off_;
    std::string body_;
    bool finished_ = false;
};

struct LocalUploadTest : LocalSocketTest {
    LocalUploadTest() {
        local_router.add_upload(
            Method::post, "/rows", [this](const Request& request, Responder responder, PieceHold) {
                type = request.header("Content-Type").value_or("");
                return std::make_unique<EchoReceiver>(std::move(responder), broken_off);
            });
        local_router.add_upload(
            Method::post, "/refused",
            [](const Request&, Responder responder, PieceHold) -> std::unique_ptr<BodyReceiver> {
                responder.send({.status = 409, .body = "no"});
                return nullptr;
            });
    }
    ~LocalUploadTest() override { server.reset(); }

    /// Gives `count` pieces of 100,000 bytes, then the end, or the error.
    BodyGiver pieces(std::size_t count, std::optional<ErrorCode> error = {}) {
        return [this, count, error]() -> Result<std::string> {
            if (given == count) {
                return error ? Result<std::string>{fail(*error, "the disk is gone")} : "";
            }
            ++given;
            return std::string(100'000, 'p');
        };
    }
    Result<ClientReply> send(std::string_view target, const BodyGiver& give) {
        return upload(options.local_socket, Method::post, target, "text/csv", give, patience);
    }

    std::string type;
    std::size_t given = 0;
    std::atomic<bool> broken_off = false;
};

TEST_F(LocalUploadTest, SendsABodyInPieces) {
    start();
    const auto reply = send("/rows", pieces(50));
    ASSERT_TRUE(reply) << reply.error().describe();
    EXPECT_EQ(reply->status, 200);
    EXPECT_TRUE(reply->body == std::string(5'000'000, 'p'));
    EXPECT_EQ(type, "text/csv");
    given = 0;
    EXPECT_EQ(send("/rows", pieces(0))->body, "");
}

TEST_F(LocalUploadTest, StopsWhenTheServerAnswersEarlier) {
    start();
    const auto reply = send("/refused", pieces(1'000'000));
    ASSERT_TRUE(reply) << reply.error().describe();
    EXPECT_EQ(reply->status, 409);
    EXPECT_EQ(reply->body, "no");
    EXPECT_LT(given, 100'000U);
}

TEST_F(LocalUploadTest, BreaksOffWhenTheBodyCannotBeRead) {
    start();
    const auto reply = send("/rows", pieces(2, ErrorCode::io_failed));
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().detail, "the disk is gone");
    EXPECT_TRUE(eventually([&] { return broken_off.load(); }));
}

TEST_F(LocalUploadTest, TakesNoPieceWithoutAServer) {
    EXPECT_EQ(send("/rows", pieces(1)).error().code, ErrorCode::unreachable);
    EXPECT_EQ(send("rows", pieces(1)).error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(given, 0U);
}

TEST_F(LocalSocketTest, IsItsOwnersAlone) {
    start();
    struct stat file{};
    ASSERT_EQ(::lstat(options.local_socket.c_str(), &file), 0);
    EXPECT_TRUE(S_ISSOCK(file.st_mode));
    EXPECT_EQ(file.st_mode & 0777U, 0600U);
}

TEST_F(LocalSocketTest, IsRemovedAtTheEnd) {
    start();
    server->stop();
    EXPECT_FALSE(std::filesystem::exists(options.local_socket));
}

TEST_F(LocalSocketTest, IsLeftAloneWhenItBelongsToAnotherByThen) {
    start();
    std::filesystem::remove(options.local_socket);
    std::ofstream{options.local_socket} << "mine";
    server->stop();
    EXPECT_TRUE(std::filesystem::exists(options.local_socket));
}

TEST_F(LocalSocketTest, WorksUnderAPathLongerThanAnAddressHolds) {
    std::string deep = folder.path();
    while (deep.size() < 1000) {
        deep += "/a-directory-with-quite-a-long-name";
    }
    std::filesystem::create_directories(deep);
    options.local_socket = deep + "/merpati.sock";
    start();
    EXPECT_EQ(ask(Method::post, "/manage", "x")->body, "x||local");
    struct stat file{};
    ASSERT_EQ(::lstat(options.local_socket.c_str(), &file), 0);
    EXPECT_EQ(file.st_mode & 0777U, 0600U);
    EXPECT_FALSE(start_second());
    server->stop();
    EXPECT_FALSE(std::filesystem::exists(options.local_socket));
    EXPECT_EQ(ask(Method::get, "/").error().code, ErrorCode::unreachable);
}

TEST_F(LocalSocketTest, RefusesANameThatFitsNowhere) {
    options.local_socket = folder.path() / std::string(200, 'n');
    EXPECT_EQ(start_second().error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(ask(Method::get, "/").error().code, ErrorCode::invalid_argument);
    options.local_socket = std::string(300, 'd') + "/merpati.sock";
    EXPECT_EQ(start_second().error().code, ErrorCode::io_failed);
    EXPECT_EQ(ask(Method::get, "/").error().code, ErrorCode::unreachable);
}

TEST_F(LocalSocketTest, ReplacesAFileNobodyListensOn) {
    {
        const auto address = LocalAddress::of(options.local_socket);
        const FileDescriptor stale{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
        ASSERT_EQ(::bind(stale.get(), address->data(), address->size()), 0);
    }
    EXPECT_EQ(ask(Method::get, "/").error().code, ErrorCode::unreachable);
    start();
    EXPECT_EQ(ask(Method::post, "/manage")->status, 201);
}

TEST_F(LocalSocketTest, LeavesARunningServerItsSocket) {
    start();
    const auto started = start_second();
    ASSERT_FALSE(started);
    EXPECT_EQ(started.error().code, ErrorCode::io_failed);
    EXPECT_NE(started.error().detail.find("another process listens"), std::string::npos);
    second.reset();
    EXPECT_EQ(ask(Method::post, "/manage")->status, 201);
}

TEST_F(LocalSocketTest, LeavesAnyOtherFileAlone) {
    std::ofstream{options.local_socket} << "a diary";
    const auto started = start_second();
    ASSERT_FALSE(started);
    EXPECT_NE(started.error().detail.find("no socket"), std::string::npos);
    EXPECT_TRUE(std::filesystem::exists(options.local_socket));
    EXPECT_EQ(ask(Method::get, "/").error().code, ErrorCode::unreachable);
}

TEST_F(LocalSocketTest, LetsTheOperatorInHoweverManyClientsThereAre) {
    options.limits.connections_max = 1;
    start();
    auto one = connect();
    auto two = connect();
    EXPECT_EQ(two.receive().status, 503);
    EXPECT_EQ(ask(Method::post, "/manage")->status, 201);
}

TEST_F(LocalSocketTest, TellsTheClientWhenNobodyIsThere) {
    EXPECT_EQ(ask(Method::get, "/").error().code, ErrorCode::unreachable);
    options.local_socket = folder.file("nowhere/merpati.sock");
    EXPECT_EQ(ask(Method::get, "/").error().code, ErrorCode::unreachable);
}

TEST_F(LocalSocketTest, TellsTheClientWhenTheAnswerIsLate) {
    std::vector<Responder> waiting;
    local_router.add(Method::get, "/wait", [&](const Request&, Responder responder) {
        waiting.push_back(std::move(responder));
    });
    start();
    EXPECT_EQ(ask(Method::get, "/wait", {}, 20ms).error().code, ErrorCode::timeout);
    server->stop();
}

TEST_F(LocalSocketTest, TellsTheClientWhenTheAnswerIsNone) {
    for (const char* answer :
         {"", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell", "SSH-2.0-x\r\n\r\n",
          "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n",
          "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
          "HTTP/1.1 200 OK\r\nContent-Length: 1x\r\n\r\nx", "HTTP/1.1 200 OK\r\n\r\nno length",
          "HTTP/1.1 200 OK\r\n\r\n"}) {
        std::thread peer = answer_once(answer);
        EXPECT_EQ(ask(Method::get, "/").error().code, ErrorCode::protocol) << answer;
        peer.join();
        std::filesystem::remove(options.local_socket);
    }
}

TEST_F(LocalSocketTest, NeedsNoLengthWhereAnAnswerHasNoBody) {
    for (const int status : {204, 304}) {
        std::thread peer = answer_once("HTTP/1.1 " + std::to_string(status) + " None\r\n\r\n");
        const auto reply = ask(Method::get, "/");
        ASSERT_TRUE(reply) << reply.error().describe();
        EXPECT_EQ(reply->status, status);
        EXPECT_EQ(reply->body, "");
        peer.join();
        std::filesystem::remove(options.local_socket);
    }
}

TEST_F(LocalSocketTest, GivesTheClientABodyPieceByPiece) {
    std::thread peer = answer_once(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n "
        "world\r\n0\r\n\r\n");
    std::string all;
    const auto reply = request(options.local_socket, Method::get, "/", {}, patience,
                               [&](std::string_view piece) -> Result<void> {
                                   all += piece;
                                   return {};
                               });
    ASSERT_TRUE(reply) << reply.error().describe();
    EXPECT_EQ(all, "hello world");
    EXPECT_EQ(reply->body, "");
    peer.join();
}

TEST_F(LocalSocketTest, TellsTheClientOfABodyThatIsCutOff) {
    for (const char* body : {"", "0\r\n", "3\r\n", "5\r\nhel", "5\r\nhello\r\n"}) {
        std::thread peer = answer_once("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" +
                                       std::string{body});
        const auto reply = request(options.local_socket, Method::get, "/", {}, patience,
                                   [](std::string_view) { return Result<void>{}; });
        ASSERT_FALSE(reply) << body;
        EXPECT_EQ(reply.error().code, ErrorCode::protocol) << body;
        peer.join();
        std::filesystem::remove(options.local_socket);
    }
}

TEST_F(LocalSocketTest, SendsNoTargetThatIsSeveralLines) {
    for (const char* target : {"", "manage", "/a b", "/a\r\nX: y", "/\xc3\xa4"}) {
        EXPECT_EQ(ask(Method::get, target).error().code, ErrorCode::invalid_argument);
    }
}

}  // namespace
}  // namespace merpati::http::testing
