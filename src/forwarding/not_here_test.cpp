#include "forwarding/not_here.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "forwarding/passage_text.hpp"

namespace merpati::forwarding {
namespace {

struct NotHereTest : ::testing::Test {
    class Sink final : public http::ReplySink {
    public:
        explicit Sink(NotHereTest& test) : test_(test) {}
        void deliver(http::Reply&& reply) override { test_.answer = std::move(reply); }
        [[nodiscard]] bool is_gone() const noexcept override { return test_.client_is_gone; }

    private:
        NotHereTest& test_;
    };

    http::Responder watched() {
        return watch_for_elsewhere(http::Responder{std::make_shared<Sink>(*this)},
                                   [this](std::optional<Shard> shard, http::Responder responder) {
                                       was_elsewhere = true;
                                       named = shard;
                                       late.emplace(std::move(responder));
                                   });
    }

    std::optional<http::Reply> answer;
    bool client_is_gone = false;
    bool was_elsewhere = false;
    std::optional<Shard> named;
    std::optional<http::Responder> late;
};

TEST_F(NotHereTest, OtherAnswersArePassedOn) {
    watched().send({.status = 201, .body = "made", .headers = "X-One: merpati-not-here\r\n"});
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 201);
    EXPECT_EQ(answer->body, "made");
    EXPECT_FALSE(was_elsewhere);
}

TEST_F(NotHereTest, TheShardThatTheAnswerNamesIsTold) {
    watched().send({.status = 503,
                    .headers = "Retry-After: 1\r\nmerpati-not-here: 1\r\nmerpati-shard: 200\r\n"});
    EXPECT_FALSE(answer);
    EXPECT_EQ(named, 200U);
    late->send({.status = 200});
    EXPECT_EQ(answer->status, 200);
}

TEST_F(NotHereTest, AnAnswerMayNameNoShard) {
    watched().send({.status = 503, .headers = "merpati-not-here: 1\r\n"});
    EXPECT_TRUE(was_elsewhere);
    EXPECT_FALSE(named);
}

TEST_F(NotHereTest, AnUnusedRightToAnswerIsTheClients) {
    {
        const auto dropped = watched();
    }
    EXPECT_EQ(answer->status, 500);
}

TEST_F(NotHereTest, AClientThatHasHungUpIsNoticed) {
    auto responder = watched();
    EXPECT_FALSE(responder.is_gone());
    client_is_gone = true;
    EXPECT_TRUE(responder.is_gone());
    responder.send({});
}

}  // namespace
}  // namespace merpati::forwarding
