// The client's limits of time and of connections, with a clock that the tests move.
#include <fstream>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "outbound/client_fixture.hpp"
#include "testing/manual_clock.hpp"
#include "testing/temporary_folder.hpp"

namespace merpati::outbound {
namespace {

struct ClientLimitsTest : ClientFixture<testing::ManualClock> {
    void TearDown() override {
        small->close();
        ClientFixture::TearDown();
    }

    /// Replaces the client by one with these limits.
    void limit(ClientOptions limits) {
        small = std::make_unique<Client>(clock, io.get_executor(), policy, resolver, limits);
    }

    /// Sends, and keeps the answer for later.
    std::size_t send(Request asked) {
        const auto place = answers.size();
        answers.emplace_back();
        small->send(std::move(asked),
                    [this, place](Result<Response> got) { answers[place] = std::move(got); });
        return place;
    }

    /// Runs the io_context until `done`, for at most ten seconds.
    template <class Condition>
    bool run_until(Condition done) {
        const auto end = std::chrono::steady_clock::now() + 10s;
        while (!done() && std::chrono::steady_clock::now() < end) {
            io.run_one_for(20ms);
        }
        return done();
    }
    bool answered(std::size_t place) {
        return run_until([this, place] { return answers[place].has_value(); });
    }
    ErrorCode failed(std::size_t place) {
        EXPECT_TRUE(answered(place));
        return answers[place] && !*answers[place] ? answers[place]->error().code
                                                  : ErrorCode::conflict;
    }
    /// Long enough for two sweeps.
    void run_a_while() { io.run_for(120ms); }

    Request of(const ScriptedServer& other) const {
        auto made = request();
        made.url.port = other.port();
        return made;
    }

    std::deque<std::optional<Result<Response>>> answers;
    std::unique_ptr<Client> small =
        std::make_unique<Client>(clock, io.get_executor(), policy, resolver, options);
};

TEST_F(ClientLimitsTest, GivesUpWhereTheFirstByteIsLate) {
    answer_with(ScriptedReply{});  // Nothing, for ever.
    auto asked = request();
    asked.timeout = 1h;
    asked.first_byte_timeout = 5s;
    const auto one = send(std::move(asked));
    clock.advance(4'999ms);
    run_a_while();
    EXPECT_FALSE(answers[one]);
    clock.advance(1ms);
    EXPECT_EQ(failed(one), ErrorCode::timeout);
}

TEST_F(ClientLimitsTest, AFileThatGoesOnHasNoMoreTimeThanItsRequest) {
    const testing::TemporaryFolder folder;
    constexpr std::size_t bytes = 200'000;
    std::ofstream{folder.path() / "file"} << std::string(bytes, 'f');
    answer_with(ScriptedReply{});  // Nothing, for ever.
    auto asked = request("POST");
    asked.timeout = 5s;
    asked.file = BodyFile{.path = folder.path() / "file", .bytes = bytes, .after = {}};
    const auto one = send(std::move(asked));
    clock.advance(4s);
    EXPECT_TRUE(run_until([&] { return server->last_body.size() == bytes; }));
    clock.advance(999ms);
    run_a_while();
    EXPECT_FALSE(answers[one]);
    clock.advance(1ms);
    EXPECT_EQ(failed(one), ErrorCode::timeout);
}

TEST_F(ClientLimitsTest, OnceTheAnswerHasBegunTheFirstBytesLimitIsOver) {
    answer_with(ScriptedReply{.bytes = "HTTP/1.1 200 OK\r\n"});
    auto asked = request();
    asked.timeout = 1h;
    asked.first_byte_timeout = 5s;
    const auto one = send(std::move(asked));
    ASSERT_TRUE(run_until([this] { return server->requests == 1; }));
    run_a_while();
    clock.advance(10min);
    run_a_while();
    EXPECT_FALSE(answers[one]);
    clock.advance(1h);
    EXPECT_EQ(failed(one), ErrorCode::timeout);
}

TEST_F(ClientLimitsTest, GivesUpOnAnAnswerThatTrickles) {
    answer_with(ScriptedReply{.bytes = "HTTP/1.1 200 OK\r\n\r\n", .again = "x", .pause = 20ms});
    auto asked = request();
    asked.timeout = 1h;
    asked.rate_min = 4'096;
    std::size_t received = 0;
    asked.body_bytes_max = std::size_t{1} << 30;
    asked.on_body = [&received](auto piece) {
        received += piece.size();
        return true;
    };
    const auto one = send(std::move(asked));
    ASSERT_TRUE(run_until([&received] { return received > 0; }));
    clock.advance(4s);
    run_a_while();
    EXPECT_FALSE(answers[one]);
    clock.advance(1s);
    EXPECT_EQ(failed(one), ErrorCode::timeout);
}

TEST_F(ClientLimitsTest, WaitsASecondForTheBodyWhereTheHeadSuffices) {
    answer_with(ScriptedReply{.bytes = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc"});
    auto asked = request();
    asked.timeout = 10s;
    asked.head_suffices = true;
    const auto one = send(std::move(asked));
    ASSERT_TRUE(run_until([this] { return server->requests == 1; }));
    run_a_while();
    EXPECT_FALSE(answers[one]);
    clock.advance(1s);
    ASSERT_TRUE(answered(one));
    ASSERT_TRUE(*answers[one]);
    EXPECT_EQ((*answers[one])->status, 200);
}

TEST_F(ClientLimitsTest, WaitsLongerForTheBodyIfTheCallerMayNeedIt) {
    answer_with(ScriptedReply{.bytes = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc"});
    auto asked = request();
    asked.timeout = 10s;
    asked.head_suffices = true;
    asked.body_wait = 10s;
    const auto one = send(std::move(asked));
    ASSERT_TRUE(run_until([this] { return server->requests == 1; }));
    clock.advance(9s);
    run_a_while();
    EXPECT_FALSE(answers[one]);
    clock.advance(1s);
    ASSERT_TRUE(answered(one));
    EXPECT_TRUE(*answers[one]);
}

TEST_F(ClientLimitsTest, LetsAnAnswerThatIsFastEnoughGoOn) {
    answer_with(ScriptedReply{
        .bytes = "HTTP/1.1 200 OK\r\n\r\n", .again = std::string(8'192, 'x'), .pause = 1ms});
    auto asked = request();
    asked.timeout = 1h;
    asked.rate_min = 4'096;
    asked.body_bytes_max = std::size_t{1} << 30;
    std::size_t received = 0;
    asked.on_body = [&received](auto piece) {
        received += piece.size();
        return true;
    };
    const auto one = send(std::move(asked));
    for (int window = 1; window <= 3; ++window) {
        const auto before = received;
        ASSERT_TRUE(run_until([&] { return received > before + std::size_t{5} * 4'096; }));
        clock.advance(5s);
        run_a_while();
        EXPECT_FALSE(answers[one]) << window;
    }
}

TEST_F(ClientLimitsTest, RefusesARequestWhenAllConnectionsAreInUse) {
    limit({.pool_total = 2});
    answer_with(ScriptedReply{});
    ScriptedServer other{io, [](int, const std::string&) { return fine; }};
    send(request());
    send(request());
    EXPECT_EQ(failed(send(of(other))), ErrorCode::busy);
    clock.advance(5s);
    run_a_while();  // The others have timed out.
    const auto next = send(of(other));
    ASSERT_TRUE(answered(next));
    EXPECT_TRUE(*answers[next]);
}

TEST_F(ClientLimitsTest, AnIdleConnectionGivesItsPlaceToAnotherOrigin) {
    limit({.pool_total = 1});
    answer_with(fine);
    ScriptedServer other{io, [](int, const std::string&) { return fine; }};
    ASSERT_TRUE(answered(send(request())));
    const auto two = send(of(other));
    ASSERT_TRUE(answered(two));
    EXPECT_TRUE(*answers[two]);
    EXPECT_EQ(other.connections, 1);
}

TEST_F(ClientLimitsTest, ClosesConnectionsThatAreIdleOrOldTooLong) {
    limit({.pool_idle = 30s, .pool_life = 60s});
    answer_with(fine);
    ASSERT_TRUE(answered(send(request())));
    clock.advance(29s);
    ASSERT_TRUE(answered(send(request())));
    EXPECT_EQ(server->connections, 1);
    clock.advance(30s);
    ASSERT_TRUE(answered(send(request())));
    EXPECT_EQ(server->connections, 2);  // It was idle for 30 s.
    for (int turn = 0; turn < 3; ++turn) {
        clock.advance(20s);
        ASSERT_TRUE(answered(send(request())));
    }
    EXPECT_EQ(server->connections, 3);  // Never idle so long, but 60 s old.
}

/// Three origins, each with two requests at once, where there are four connections in all.
TEST_F(ClientLimitsTest, OriginsThatNeedMoreConnectionsThanThereAreKeepSome) {
    limit({.pool_total = 4});
    answer_with(fine);
    std::deque<ScriptedServer> origins;
    for (int count = 0; count < 3; ++count) {
        origins.emplace_back(io, [](int, const std::string&) { return fine; });
    }
    int requests = 0;
    for (int round = 0; round < 10; ++round) {
        for (const auto& origin : origins) {
            const auto one = send(of(origin));
            const auto two = send(of(origin));
            ASSERT_TRUE(answered(one) && answered(two));
            EXPECT_TRUE(*answers[one] && *answers[two]);
            requests += 2;
        }
    }
    int connections = 0;
    for (const auto& origin : origins) {
        connections += origin.connections;
    }
    EXPECT_LE(connections, requests * 2 / 3);
}

TEST_F(ClientLimitsTest, CancelsTheLookUpOfARequestThatTimesOut) {
    answer_with(fine);
    resolver.silent = true;
    const auto one = send(request());
    clock.advance(5s);
    EXPECT_EQ(failed(one), ErrorCode::timeout);
    EXPECT_EQ(resolver.cancelled, 1);
}

}  // namespace
}  // namespace merpati::outbound
