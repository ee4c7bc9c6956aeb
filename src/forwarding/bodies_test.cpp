// Bodies of which it is not known at first who takes them.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "forwarding/divertible_body.hpp"
#include "forwarding/forwarding_fixture.hpp"
#include "forwarding/kept_body.hpp"
#include "forwarding/whole_body.hpp"

namespace merpati::forwarding {
namespace {

http::PieceHold no_hold() {
    return http::PieceHold{nullptr, 0};
}

struct BodiesTest : ::testing::Test {
    const http::Party caller = http::Party::account(1);
    const http::Party other_caller = http::Party::account(2);
    http::Request asked{.method = http::Method::post, .path = "/echo"};
    std::string here;
    std::string there;
};

TEST_F(BodiesTest, ABodyIsDivertedBeforeAnythingWasRead) {
    const auto way = std::make_shared<BodyWay>();
    EXPECT_TRUE(way->lead(std::make_unique<NotingReceiver>(here)));
    EXPECT_TRUE(way->divert([&] { return std::make_unique<NotingReceiver>(there); }));
    DivertibleBody body{way};
    body.take("all", no_hold());
    body.finish();
    EXPECT_EQ(there, "all.");
    EXPECT_EQ(here, "");
}

TEST_F(BodiesTest, ABodyOfWhichSomethingWasReadIsNotDiverted) {
    const auto way = std::make_shared<BodyWay>();
    EXPECT_TRUE(way->lead(std::make_unique<NotingReceiver>(here)));
    DivertibleBody body{way};
    body.take("all", no_hold());
    EXPECT_FALSE(way->divert([&] { return std::make_unique<NotingReceiver>(there); }));
    body.finish();
    EXPECT_EQ(here, "all.");
}

TEST_F(BodiesTest, ABodyWhoseClientHasGoneIsNotDiverted) {
    const auto way = std::make_shared<BodyWay>();
    EXPECT_TRUE(way->lead(std::make_unique<NotingReceiver>(here)));
    {
        const DivertibleBody body{way};
    }
    EXPECT_FALSE(way->divert([&] { return std::make_unique<NotingReceiver>(there); }));
}

TEST_F(BodiesTest, ACopyIsWholeOnceTheBodyHasEndedIfThereWasRoom) {
    BodyRoom room{10};
    const auto copy = std::make_shared<KeptBody>(room, caller, asked);
    const auto other = std::make_shared<KeptBody>(room, caller, asked);
    KeepingReceiver body{copy, std::make_unique<NotingReceiver>(here)};
    KeepingReceiver late{other, std::make_unique<NotingReceiver>(there)};
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
        copies.back()->end_body();
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
    large.end_body();
    EXPECT_FALSE(large.is_whole());
    KeptBody small{room, other_caller, asked};
    small.add("ten bytes.");
    small.end_body();
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

}  // namespace
}  // namespace merpati::forwarding
