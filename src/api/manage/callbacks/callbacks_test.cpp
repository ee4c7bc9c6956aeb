#include <fmt/format.h>

#include "api/manage/callbacks/callbacks_fixture.hpp"
#include "api/manage/callbacks/replay_rate.hpp"

namespace merpati::api::manage::testing {
namespace {

using namespace std::chrono_literals;
using model::CallbackState;

TEST_F(CallbacksTest, AReplayedCallbackIsDueNowAndItsOriginWoken) {
    const auto callback = told(CallbackState::exhausted);
    EXPECT_EQ(get("/callbacks?state=exhausted").items().size(), 1U);
    const auto replayed = post("/callbacks/" + callback.id.text() + "/replay");
    EXPECT_EQ(replayed.status, 200);
    EXPECT_EQ(replayed.text("state"), "waiting");
    EXPECT_EQ(replayed.json.at("attempts").to_number<int>(), 0);
    EXPECT_THAT(callbacks.woken, ElementsAre(store::Endpoint{callback.account, 77}));
    EXPECT_THAT(get("/callbacks?state=exhausted").items(), IsEmpty());
}

TEST_F(CallbacksTest, ACallbackThatStillWaitsIsNotReplayed) {
    const auto callback = told(CallbackState::waiting);
    EXPECT_EQ(post("/callbacks/" + callback.id.text() + "/replay").status, 409);
    EXPECT_THAT(callbacks.woken, IsEmpty());
    EXPECT_EQ(get("/callbacks/" + callback.id.text()).text("state"), "waiting");
    EXPECT_EQ(get("/callbacks?message=" + callback.message->text()).items().size(), 1U);
    EXPECT_EQ(get("/callbacks?state=sent").status, 400);
}

TEST_F(CallbacksTest, AnAccountMayReplaySoManyCallbacksAMinute) {
    const auto caller = key_of(account, {model::Scope::callbacks_manage});
    const auto replay = [&](const admission::Principal& principal) {
        const auto callback = told(CallbackState::exhausted);
        return call_as(principal, http::Method::post,
                       "/callbacks/" + callback.id.text() + "/replay", "{}");
    };
    const auto replay_many = [&] {
        return call_as(caller, http::Method::post, "/callbacks/replay", R"({"state":"exhausted"})");
    };
    EXPECT_EQ(replay(caller).status, 200);
    const auto& bucket = directory.find_account(*model::AccountId::parse(account))->replays;
    while (bucket->take(replay_rate.count, replay_rate.period, clock.steady_now(), 100).allowed) {
    }
    while (bucket->take(replay_rate.count, replay_rate.period, clock.steady_now()).allowed) {
    }
    EXPECT_EQ(replay(caller).status, 429);
    EXPECT_EQ(replay_many().status, 429);
    EXPECT_EQ(replay(admission::Principal::local()).status, 200);
    clock.advance(6ms);  // One of 10,000 a minute.
    const auto one = replay_many();
    EXPECT_EQ(one.status, 200) << one.whole();
    EXPECT_EQ(one.json.at("replayed").to_number<int>(), 1);
}

TEST_F(CallbacksTest, AttemptsOfACallbackAreShownWithTheAnswer) {
    const auto callback = told(CallbackState::waiting);
    attempt(callback, CallbackState::waiting, 503, 1);
    attempt(callback, CallbackState::delivered, 200, 2);
    const auto attempts = get("/callbacks/" + callback.id.text() + "/attempts");
    ASSERT_EQ(attempts.items().size(), 2U);
    const auto& first = attempts.items()[0].as_object();
    EXPECT_EQ(first.at("status").to_number<int>(), 503);
    EXPECT_EQ(first.at("error"), "HTTP 503");
    EXPECT_EQ(first.at("answer"), "ok");
    EXPECT_EQ(first.at("next_attempt_at").as_string(), to_rfc3339(clock.now() + 5s));
    EXPECT_TRUE(attempts.items()[1].at("next_attempt_at").is_null());
}

TEST_F(CallbacksTest, ManyCallbacksAreReplayedByWhatIsSaidOfThem) {
    const auto early = told(CallbackState::exhausted);
    clock.advance(1h);
    const auto since = to_rfc3339(clock.now());
    const auto exhausted = told(CallbackState::exhausted);
    const auto gone = told(CallbackState::gone);
    const auto delivered = told(CallbackState::delivered);
    EXPECT_EQ(post("/callbacks/replay", fmt::format(R"({{"account":"{}"}})", account)).status, 400);
    const auto replayed = post("/callbacks/replay",
                               fmt::format(R"({{"account":"{}","since":"{}"}})", account, since));
    ASSERT_EQ(replayed.status, 200) << replayed.whole();
    EXPECT_EQ(replayed.json.at("replayed").to_number<int>(), 2);
    EXPECT_FALSE(replayed.json.at("more").as_bool());
    EXPECT_EQ(get("/callbacks/" + early.id.text()).text("state"), "exhausted");
    EXPECT_EQ(get("/callbacks/" + gone.id.text()).text("state"), "waiting");
    EXPECT_EQ(get("/callbacks/" + delivered.id.text()).text("state"), "delivered");
    EXPECT_FALSE(callbacks.woken.empty());
    EXPECT_EQ(
        post("/callbacks/replay", fmt::format(R"({{"account":"{}","state":"waiting"}})", account))
            .status,
        400);
    EXPECT_EQ(
        post("/callbacks/replay", fmt::format(R"({{"account":"{}","state":"delivered"}})", account))
            .json.at("replayed")
            .to_number<int>(),
        1);
}

TEST_F(CallbacksTest, CallbacksAreReplayedByTheWallClock) {
    clock.set_wall(clock.now() - 3h);  // Ids are 3 hours ahead from now on.
    told(CallbackState::exhausted);
    const auto replayed_since = [&](const std::string& since) {
        return post("/callbacks/replay",
                    fmt::format(R"({{"account":"{}","since":"{}"}})", account, since))
            .json.at("replayed")
            .to_number<int>();
    };
    EXPECT_EQ(replayed_since("2100-01-01T00:00:00Z"), 0);
    EXPECT_EQ(replayed_since(to_rfc3339(clock.now() + 1s)), 0);
    EXPECT_EQ(replayed_since(to_rfc3339(clock.now() - 1s)), 1);
}

TEST_F(CallbacksTest, MoreThanACommitsWorthAreReplayedToo) {
    store::WriteBatch given_up;
    store::WriteBatch made;
    made.changes.push_back({.run = [&](store::Tables& tables) -> Result<void> {
        for (int count = 0; count < 1'100; ++count) {
            const auto callback = callback_of({.account = *model::AccountId::parse(account)});
            EXPECT_TRUE(tables.add_callback(callback));
            given_up.callback_updates.push_back(
                {.event = callback.id,
                 .progress = {.state = CallbackState::exhausted, .attempts = 11}});
        }
        return {};
    }});
    write(made);
    write(given_up);
    EXPECT_EQ(
        post("/callbacks/replay", fmt::format(R"({{"account":"{}","state":"exhausted"}})", account))
            .json.at("replayed")
            .to_number<int>(),
        1'100);
    EXPECT_THAT(get("/callbacks?state=exhausted").items(), IsEmpty());
}

TEST_F(CallbacksTest, ATestGoesToAPublicAddressAlone) {
    callbacks.tested_attempt = {.took = 42ms, .status = 204};
    const auto tested =
        post("/callbacks/test",
             fmt::format(R"({{"account":"{}","url":"https://toko.example.com/s"}})", account));
    ASSERT_EQ(tested.status, 200) << tested.whole();
    EXPECT_TRUE(tested.json.at("delivered").as_bool());
    EXPECT_EQ(tested.json.at("status").to_number<int>(), 204);
    EXPECT_EQ(tested.json.at("took_ms").to_number<int>(), 42);
    EXPECT_THAT(callbacks.tested, ElementsAre(account + " https://toko.example.com/s"));
    for (const std::string_view url :
         {"http://toko.example.com/s", "https://127.0.0.1/s", "https://10.0.0.1/", "no"}) {
        EXPECT_EQ(
            post("/callbacks/test", fmt::format(R"({{"account":"{}","url":"{}"}})", account, url))
                .status,
            400)
            << url;
    }
    EXPECT_EQ(callbacks.tested.size(), 1U);
}

TEST_F(CallbacksTest, AFieldThatIsWrongIsNamedWhateverItsFaultIs) {
    const auto body = [&](std::string_view more) {
        return fmt::format(R"({{"account":"{}"{}}})", account, more);
    };
    const auto expect_named = [](const Answer& refused, std::string_view field,
                                 std::string_view message) {
        EXPECT_EQ(refused.status, 400);
        EXPECT_EQ(refused.error(), fmt::format("'{}' {}", field, message));
        ASSERT_TRUE(refused.json.as_object().contains("errors")) << refused.whole();
        const auto& first = refused.json.at("errors").at(0);
        EXPECT_EQ(std::string_view{first.at("field").as_string()}, field);
        EXPECT_EQ(std::string_view{first.at("message").as_string()}, message);
    };
    expect_named(post("/callbacks/test", body("")), "url",
                 "must be given: the account has no callback address");
    const auto refused = post("/callbacks/test", body(R"(,"url":"https://127.0.0.1/")"));
    EXPECT_THAT(refused.error(), HasSubstr("'url' must be a public https URL: "));
    EXPECT_TRUE(refused.json.as_object().contains("errors"));
    expect_named(post("/callbacks/replay", body("")), "since",
                 "must be given, or `until`, or `state`: all are never replayed");
    expect_named(get("/account"), "account",
                 "must be given: it is not clear which account is meant");
}

TEST_F(CallbacksTest, HostsTellWhatWaitsAndHowWellTheyAnswer) {
    told(CallbackState::delivered);
    told(CallbackState::exhausted);
    told(CallbackState::waiting);
    callbacks.known_health = {
        {.origin_key = 77, .open = true, .probe_at = clock.now() + 7s, .in_flight = 1}};
    const auto hosts = get("/callbacks/hosts?account=" + account);
    ASSERT_EQ(hosts.items().size(), 1U) << hosts.whole();
    const auto& host = hosts.items()[0].as_object();
    EXPECT_EQ(host.at("origin"), "https://toko.example.com");
    EXPECT_EQ(host.at("waiting").to_number<int>(), 1);
    EXPECT_EQ(host.at("recent").to_number<int>(), 2);
    EXPECT_EQ(host.at("success_rate").to_number<double>(), 0.5);
    EXPECT_EQ(host.at("breaker"), "open");
    EXPECT_EQ(host.at("next_probe_at").as_string(), to_rfc3339(clock.now() + 7s));
    EXPECT_FALSE(hosts.json.at("more").as_bool());
}

TEST_F(CallbacksTest, OneCallCountsTheCallbacksOfManyHostsUpToAShareOfEach) {
    for (std::int64_t origin = 1; origin <= 100; ++origin) {
        told(CallbackState::waiting, origin);
    }
    store::WriteBatch made;
    made.changes.push_back({.run = [&](store::Tables& tables) -> Result<void> {
        for (int count = 0; count < 1'000; ++count) {
            EXPECT_TRUE(tables.add_callback(
                callback_of({.account = *model::AccountId::parse(account)}, 1)));
        }
        return {};
    }});
    write(made);
    const auto hosts = get("/callbacks/hosts?account=" + account);
    ASSERT_EQ(hosts.items().size(), 100U) << hosts.whole();
    EXPECT_EQ(hosts.items()[0].at("waiting"), 1'000);
    EXPECT_EQ(hosts.items()[0].at("waiting_more"), true);
    EXPECT_EQ(hosts.items()[1].at("waiting"), 1);
    EXPECT_EQ(hosts.items()[1].at("waiting_more"), false);
}

TEST_F(CallbacksTest, HostsThatAreLeftOutAreSaidToBe) {
    for (std::int64_t origin = 1; origin <= 101; ++origin) {
        told(CallbackState::waiting, origin);
    }
    const auto hosts = get("/callbacks/hosts?account=" + account);
    EXPECT_TRUE(hosts.json.at("more").as_bool());
}

}  // namespace
}  // namespace merpati::api::manage::testing
