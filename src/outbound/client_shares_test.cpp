// How connections are divided among accounts and origins.
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "outbound/client_fixture.hpp"
#include "testing/manual_clock.hpp"

namespace merpati::outbound {
namespace {

struct ClientSharesTest : ClientFixture<testing::ManualClock> {
    void SetUp() override {
        ClientFixture::SetUp();
        answer_with(fine);
    }
    void TearDown() override {
        limited->close();
        ClientFixture::TearDown();
    }

    void limit(ClientOptions limits) {
        limited = std::make_unique<Client>(clock, io.get_executor(), policy, resolver, limits);
    }

    std::size_t send(const ScriptedServer& to, std::int64_t account,
                     const std::string& target = "/path") {
        auto asked = request();
        asked.account = account;
        asked.url.target = target;
        asked.url.port = to.port();
        const auto place = answers.size();
        answers.emplace_back();
        limited->send(std::move(asked), [this, place](Result<Response> got) {
            answers[place] = std::move(got);
            ended.push_back(place);
        });
        return place;
    }
    bool succeeds(std::size_t place) {
        const auto end = std::chrono::steady_clock::now() + 10s;
        while (!answers[place] && std::chrono::steady_clock::now() < end) {
            io.run_one_for(20ms);
        }
        return answers[place] && *answers[place];
    }
    ErrorCode failed(std::size_t place) {
        EXPECT_FALSE(succeeds(place));
        return answers[place] ? answers[place]->error().code : ErrorCode::conflict;
    }

    std::deque<std::optional<Result<Response>>> answers;
    std::vector<std::size_t> ended;
    std::unique_ptr<Client> limited =
        std::make_unique<Client>(clock, io.get_executor(), policy, resolver, ClientOptions{});
    ScriptedServer hanging{io, [](int, const std::string&) { return ScriptedReply{}; }};
};

TEST_F(ClientSharesTest, AnAccountWhoseHostsHangLeavesConnectionsForOthers) {
    limit({.pool_per_origin = 1'000, .pool_total = 9});
    for (int count = 0; count < 1'000; ++count) {
        send(hanging, 1);
    }
    EXPECT_TRUE(succeeds(send(*server, 2)));
    EXPECT_TRUE(succeeds(send(*server, 3)));
    EXPECT_LE(hanging.connections, 6);
}

TEST_F(ClientSharesTest, AnAccountThatHangsOnASharedHostLeavesConnectionsThere) {
    limit({.pool_per_origin = 9, .pool_total = 1'000});
    ScriptedServer shared{io, [](int connection, const std::string&) {
                              return connection <= 5 ? ScriptedReply{} : fine;
                          }};
    for (int count = 0; count < 100; ++count) {
        send(shared, 1);
    }
    EXPECT_TRUE(succeeds(send(shared, 2)));
    EXPECT_EQ(shared.connections, 6);
}

TEST_F(ClientSharesTest, AnAccountIsServedBeforeTheManyOfAnother) {
    limit({.pool_total = 1});
    for (int count = 0; count < 50; ++count) {
        send(*server, 1);
    }
    const auto other = send(*server, 2);
    ASSERT_TRUE(succeeds(other));
    EXPECT_LE(ended.size(), 3U);
}

TEST_F(ClientSharesTest, OneOriginIsServedBeforeTheManyOfAnother) {
    limit({.pool_total = 1});
    ScriptedServer second{io, [](int, const std::string&) { return fine; }};
    for (int count = 0; count < 50; ++count) {
        send(*server, 1);
    }
    ASSERT_TRUE(succeeds(send(second, 1)));
    EXPECT_LE(ended.size(), 3U);
}

TEST_F(ClientSharesTest, WhatARepeatedRequestGivesUpGoesToWhoMayTakeIt) {
    limit({.pool_per_origin = 6, .pool_total = 1'000});
    ScriptedServer shared{io, [](int connection, const std::string& head) {
                              if (head.contains("/hang")) {
                                  return ScriptedReply{};
                              }
                              const bool stale = head.contains("/stale") && connection == 1;
                              return stale ? ScriptedReply{.close = true} : fine;
                          }};
    ASSERT_TRUE(succeeds(send(shared, 1)));
    send(shared, 1, "/stale");  // On the first one's connection, which the server closes then.
    for (const std::int64_t account : {1, 1, 1, 2, 2}) {
        send(shared, account, "/hang");
    }
    // All places are taken. With the stale one's free again, only who holds none may have it.
    EXPECT_TRUE(succeeds(send(shared, 3)));
}

TEST_F(ClientSharesTest, PlacesToWaitAreSharedToo) {
    limit({.pool_total = 1});
    send(hanging, 1);
    for (int count = 0; count < 4'096; ++count) {
        send(hanging, 1);
    }
    EXPECT_EQ(failed(answers.size() - 1), ErrorCode::busy);
    const auto other = send(*server, 2);
    clock.advance(4s);
    io.run_for(120ms);
    EXPECT_FALSE(answers[other]) << "it waits";
}

TEST_F(ClientSharesTest, WhoWaitsLeavesAtItsDeadline) {
    limit({.pool_total = 1});
    auto first = request();
    first.url.port = hanging.port();
    first.timeout = 1h;
    limited->send(std::move(first), [](const Result<Response>&) {});
    auto kept = std::make_shared<int>(0);
    auto asked = request();
    asked.on_head = [kept](const Response&) { return true; };
    bool over = false;
    limited->send(std::move(asked), [&over](const Result<Response>&) { over = true; });
    EXPECT_GT(kept.use_count(), 1);
    clock.advance(5s);
    while (!over && io.run_one_for(10s) > 0) {
    }
    EXPECT_EQ(kept.use_count(), 1) << "nothing of it is left in memory";
}

TEST_F(ClientSharesTest, ALookUpEndsWithItsLastRequest) {
    resolver.silent = true;
    const auto one = send(*server, 1);
    clock.advance(5s);
    EXPECT_EQ(failed(one), ErrorCode::timeout);
    EXPECT_EQ(resolver.cancelled, 1);
}

/// Three origins of one account, each with two connections, where there are four in all.
TEST_F(ClientSharesTest, OriginsThatWantMoreConnectionsThanThereAreKeepSome) {
    limit({.pool_total = 4});
    std::deque<ScriptedServer> origins;
    for (int count = 0; count < 3; ++count) {
        origins.emplace_back(io, [](int, const std::string&) { return fine; });
    }
    int requests = 0;
    for (int turn = 0; turn < 10; ++turn) {
        for (const auto& origin : origins) {
            const auto one = send(origin, 1);
            const auto two = send(origin, 1);
            EXPECT_TRUE(succeeds(one) && succeeds(two));
            requests += 2;
        }
    }
    int connections = 0;
    for (const auto& origin : origins) {
        connections += origin.connections;
    }
    EXPECT_LE(connections, requests * 2 / 3);
}

TEST_F(ClientSharesTest, TakesTheNextAddressWhereOneRefuses) {
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
