// Bodies of which it is not known at first who takes them.
#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "forwarding/broadcast.hpp"
#include "forwarding/divertible_body.hpp"
#include "forwarding/forwarding_fixture.hpp"
#include "forwarding/kept_body.hpp"
#include "forwarding/whole_body.hpp"

namespace merpati::forwarding {
namespace {

/// Keeps what was taken.
class Receiver final : public http::BodyReceiver {
public:
    explicit Receiver(std::string& into) : into_(into) {}
    void take(std::string piece, http::PieceHold /*hold*/) override { into_ += piece; }
    void finish() override { into_ += '.'; }

private:
    std::string& into_;
};

http::PieceHold no_hold() {
    return http::PieceHold{nullptr, 0};
}

struct BodiesTest : ForwardingFixture<> {
    class Client final : public http::ReplySink {
    public:
        explicit Client(std::optional<http::Reply>& answer) : answer_(answer) {}
        void deliver(http::Reply&& reply) override { answer_ = std::move(reply); }

    private:
        std::optional<http::Reply>& answer_;
    };
    std::shared_ptr<Broadcast> broadcast() {
        return std::make_shared<Broadcast>(
            asked, http::Responder{std::make_shared<Client>(answer)},
            [](const http::Reply& reply) { return reply.status == 401; });
    }

    const http::Party caller = http::Party::account(1);
    const http::Party other_caller = http::Party::account(2);
    http::Request asked{.method = http::Method::post, .path = "/echo"};
    std::optional<http::Reply> answer;
    std::string here;
    std::string there;
};

TEST_F(BodiesTest, ABodyIsDivertedBeforeAnythingWasRead) {
    const auto way = std::make_shared<BodyWay>();
    EXPECT_TRUE(way->lead(std::make_unique<Receiver>(here)));
    EXPECT_TRUE(way->divert([&] { return std::make_unique<Receiver>(there); }));
    DivertibleBody body{way};
    body.take("all", no_hold());
    body.finish();
    EXPECT_EQ(there, "all.");
    EXPECT_EQ(here, "");
}

TEST_F(BodiesTest, ABodyOfWhichSomethingWasReadIsNotDiverted) {
    const auto way = std::make_shared<BodyWay>();
    EXPECT_TRUE(way->lead(std::make_unique<Receiver>(here)));
    DivertibleBody body{way};
    body.take("all", no_hold());
    EXPECT_FALSE(way->divert([&] { return std::make_unique<Receiver>(there); }));
    body.finish();
    EXPECT_EQ(here, "all.");
}

TEST_F(BodiesTest, ABodyWhoseClientHasGoneIsNotDiverted) {
    const auto way = std::make_shared<BodyWay>();
    EXPECT_TRUE(way->lead(std::make_unique<Receiver>(here)));
    {
        const DivertibleBody body{way};
    }
    EXPECT_FALSE(way->divert([&] { return std::make_unique<Receiver>(there); }));
}

TEST_F(BodiesTest, ACopyIsWholeOnceTheBodyHasEndedIfThereWasRoom) {
    BodyRoom room{10};
    const auto copy = std::make_shared<KeptBody>(room, caller, asked);
    const auto other = std::make_shared<KeptBody>(room, caller, asked);
    KeepingReceiver body{copy, std::make_unique<Receiver>(here)};
    KeepingReceiver late{other, std::make_unique<Receiver>(there)};
    body.take("seven", no_hold());
    EXPECT_FALSE(copy->is_whole());
    late.take("more of it", no_hold());
    body.finish();
    late.finish();
    EXPECT_TRUE(copy->is_whole());
    EXPECT_EQ(copy->request().body, "seven");
    EXPECT_FALSE(other->is_whole());
    EXPECT_EQ(there, "more of it.");
}

TEST_F(BodiesTest, CopiesOfOneCallersBodiesLeaveRoomForThoseOfOthers) {
    BodyRoom room{10};
    std::vector<std::shared_ptr<KeptBody>> copies;
    const auto is_kept = [&](const http::Party& whose) {
        copies.push_back(std::make_shared<KeptBody>(room, whose, asked));
        copies.back()->add("four");
        copies.back()->end();
        return copies.back()->is_whole();
    };
    EXPECT_TRUE(is_kept(caller));
    EXPECT_FALSE(is_kept(caller)) << "it would have more than what is left for others";
    EXPECT_TRUE(is_kept(other_caller));
}

TEST_F(BodiesTest, WhatIsNotKeptWholeHoldsNothing) {
    BodyRoom room{12};
    KeptBody large{room, caller, asked};
    large.add("ten bytes.");
    large.add("and more");
    large.end();
    EXPECT_FALSE(large.is_whole());
    KeptBody small{room, other_caller, asked};
    small.add("ten bytes.");
    small.end();
    EXPECT_TRUE(small.is_whole());
}

TEST_F(BodiesTest, BodiesThatOneCallerSendsSlowlyLeaveRoomForThoseOfOthers) {
    BodyRoom room{10};
    std::vector<std::unique_ptr<WholeBody>> bodies;
    std::vector<std::string> collected;
    int beyond = 0;
    const auto begin = [&](const http::Party& whose) -> WholeBody& {
        bodies.push_back(std::make_unique<WholeBody>(
            room, whose, 100, [&](std::string body) { collected.push_back(std::move(body)); },
            [&](const std::string& /*begun*/, bool is_too_long) {
                EXPECT_FALSE(is_too_long);
                ++beyond;
                return nullptr;
            }));
        bodies.back()->take("four", no_hold());
        return *bodies.back();
    };
    begin(caller);
    begin(caller);
    EXPECT_EQ(beyond, 1);
    begin(other_caller).finish();
    EXPECT_THAT(collected, ::testing::ElementsAre("four"));
}

TEST_F(BodiesTest, ABroadcastHasTheAnswerOfWhoCouldNotTakeItsPart) {
    const auto all = broadcast();
    auto one = all->answer();
    auto other = all->answer();
    all->send(sending, {});
    one.send({.status = 200});
    EXPECT_FALSE(answer);
    other.send({.status = 503});
    EXPECT_EQ(answer->status, 503);
}

TEST_F(BodiesTest, ABroadcastThatOneHasTakenConcernsNobodyElse) {
    const auto all = broadcast();
    auto one = all->answer();
    auto other = all->answer();
    all->send(sending, {});
    one.send({.status = 401});
    other.send({.status = 200});
    EXPECT_EQ(answer->status, 200);
}

TEST_F(BodiesTest, WhoKnowsNobodyDoesNotAnswerABroadcastBeforeItWasSent) {
    const auto all = broadcast();
    all->answer().send({.status = 401});
    EXPECT_FALSE(all->is_answered());
    all->send(sending, {});
    EXPECT_EQ(answer->status, 401);
}

TEST_F(BodiesTest, AnEarlyRefusalOfABroadcastIsAnsweredAtOnce) {
    const auto all = broadcast();
    all->answer().send({.status = 503});
    EXPECT_TRUE(all->is_answered());
    EXPECT_EQ(answer->status, 503);
}

TEST_F(BodiesTest, ABroadcastGoesToTheOwnersOfTheOthers) {
    let_work(second);
    const auto all = broadcast();
    BroadcastBody body{all, std::make_unique<Receiver>(here), [this](Broadcast& whole) {
                           const std::array others{Shard{7}};
                           whole.send(sending, others);
                       }};
    body.take("for all", no_hold());
    auto own = all->answer();
    body.finish();
    EXPECT_EQ(here, "for all.");
    own.send({.status = 200});
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds{20};
    while (!all->is_answered() && std::chrono::steady_clock::now() < give_up) {
        std::this_thread::yield();
    }
    EXPECT_EQ(second.calls, 1);
    EXPECT_EQ(answer->status, 201);
}

}  // namespace
}  // namespace merpati::forwarding
