// Calls to a running server, and to a stopped server's store.
#include "cli/gateway.hpp"

#include <filesystem>

#include "cli/cli_fixture.hpp"
#include "http/server.hpp"

namespace merpati::cli::testing {
namespace {

struct GatewayTest : CliTest {
    GatewayTest() {
        settings.store.url = "sqlite:" + folder.file("m.db");
        settings.store.key_file = folder.file("m.db.key");
    }
    ~GatewayTest() override {
        if (server) {
            server->stop();
        }
    }

    void answer(std::uint16_t status, std::string body) {
        router.add(
            http::Method::get, "/v1/*",
            [=, this](const http::Request& request, http::Responder responder) {
                targets.push_back(std::string{request.path} + "?" + std::string{request.query});
                responder.send({.status = status, .body = body});
            });
        http::Options options;
        options.listen = {"127.0.0.1:0"};
        options.local_socket = folder.file("m.db.sock");
        server.emplace(clock, random, options, network, router,
                       [](std::uint16_t) { return std::string{"{}"}; });
        const auto started = server->start();
        ASSERT_TRUE(started) << started.error().describe();
    }

    SystemClock clock;
    SystemRandom random;
    config::Settings settings;
    http::Router network;
    http::Router router;
    std::vector<std::string> targets;
    std::optional<http::Server> server;
};

TEST_F(GatewayTest, ARunningServerIsAskedAndItsStoreLeftAlone) {
    answer(200, R"({"items":[{"id":"acc_7"}],"next":null})");
    Gateway asked{settings, clock, random};
    const auto items = asked.ask_all("/admin/accounts");
    ASSERT_TRUE(items) << items.error().describe();
    EXPECT_EQ(items->at(0).at("id"), "acc_7");
    EXPECT_FALSE(std::filesystem::exists(folder.file("m.db")));
}

TEST_F(GatewayTest, TheServersSentenceAndCodeComeBack) {
    answer(409, R"({"code":"conflict","detail":"it is sent"})");
    Gateway asked{settings, clock, random};
    const auto answered = asked.ask(http::Method::get, "/messages/x");
    ASSERT_FALSE(answered);
    EXPECT_EQ(answered.error().code, ErrorCode::conflict);
    EXPECT_EQ(answered.error().detail, "it is sent");
}

TEST_F(GatewayTest, AnswersOfAnotherShapeAreErrorsNotCrashes) {
    answer(200, "<html>");
    Gateway asked{settings, clock, random};
    EXPECT_EQ(asked.ask(http::Method::get, "/status").error().code, ErrorCode::protocol);
    EXPECT_EQ(asked.ask_all("/admin/accounts").error().code, ErrorCode::protocol);
}

TEST_F(GatewayTest, PagesAreFollowedAsFarAsAskedFor) {
    answer(200, R"({"items":[1,2],"next":"cursor"})");
    Gateway asked{settings, clock, random};
    const auto items = asked.ask_newest("/messages?state=sent", 4);
    ASSERT_TRUE(items);
    EXPECT_EQ(items->size(), 4U);
    EXPECT_THAT(targets, ::testing::ElementsAre("/v1/messages?state=sent&limit=4",
                                                "/v1/messages?state=sent&limit=2&cursor=cursor"));
}

/// Answers the size of a body that is uploaded.
class SizeReceiver final : public http::BodyReceiver {
public:
    explicit SizeReceiver(http::Responder responder) : responder_(std::move(responder)) {}
    void take(std::string piece, http::PieceHold /*hold*/) override { size_ += piece.size(); }
    void finish() override {
        responder_.send({.body = boost::json::serialize(boost::json::value{{"size", size_}})});
    }

private:
    http::Responder responder_;
    std::size_t size_ = 0;
};

TEST_F(GatewayTest, AnUploadReachesTheServerInPieces) {
    router.add_upload(http::Method::post, "/v1/rows",
                      [](const http::Request&, http::Responder responder, http::PieceHold) {
                          return std::make_unique<SizeReceiver>(std::move(responder));
                      });
    answer(200, "{}");
    Gateway asked{settings, clock, random};
    int given = 0;
    const auto answered = asked.upload("/rows", "text/csv", [&]() -> Result<std::string> {
        return ++given <= 30 ? std::string(50'000, 'x') : "";
    });
    ASSERT_TRUE(answered) << answered.error().describe();
    EXPECT_EQ(answered->at("size"), 1'500'000);
    const auto broken = asked.upload("/rows", "text/csv", []() -> Result<std::string> {
        return fail(ErrorCode::unreachable, "the disk is gone");
    });
    ASSERT_FALSE(broken);
    EXPECT_EQ(broken.error().detail, "the disk is gone");
    EXPECT_FALSE(std::filesystem::exists(folder.file("m.db")));
}

TEST_F(GatewayTest, AnUploadOfARefusedCallIsNotReadOnAStoppedServersStore) {
    Gateway asked{settings, clock, random};
    ASSERT_TRUE(asked.ask(http::Method::post, "/admin/accounts", {{"name", "Toko"}}));
    int given = 0;
    const auto answered = asked.upload("/no-rows?x=1", "text/csv", [&]() -> Result<std::string> {
        ++given;
        return "";
    });
    ASSERT_FALSE(answered);
    EXPECT_EQ(answered.error().code, ErrorCode::not_found);
    EXPECT_EQ(given, 0);
}

TEST_F(GatewayTest, WithoutAServerTheStoreIsOpenedHere) {
    Gateway asked{settings, clock, random};
    const auto made = asked.ask(http::Method::post, "/admin/accounts", {{"name", "Toko"}});
    ASSERT_TRUE(made) << made.error().describe();
    EXPECT_EQ(made->at("id"), "acc_1");
    EXPECT_TRUE(std::filesystem::exists(folder.file("m.db")));
}

TEST(PercentEncodeTest, KeepsWhatIsPlainAndEscapesTheRest) {
    EXPECT_EQ(percent_encode("acc_1-a.b~"), "acc_1-a.b~");
    EXPECT_EQ(percent_encode("a b/?&=%\xc3\xa4"), "a%20b%2F%3F%26%3D%25%C3%A4");
}

}  // namespace
}  // namespace merpati::cli::testing
