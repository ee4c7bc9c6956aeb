// Histories of messages and callbacks, what a message waits for, and operations on waiting ones.
#include <fmt/format.h>

#include "api/manage/engine/manage_fixture.hpp"

namespace merpati::api::manage::testing {
namespace {

using namespace std::chrono_literals;
using model::CallbackState;
using model::MessageEvent;
using model::MessageState;
using model::MessageStep;
using model::WaitReason;

struct TrailsTest : ManageTest {
    TrailsTest() { make_device(account, device); }

    model::Callback callback_of(const model::Message& message, std::int64_t origin_key = 77,
                                std::string url = "https://toko.example.com/status") {
        return {.id = ids.next(),
                .account = message.account,
                .message = message.id,
                .url = std::move(url),
                .origin_key = origin_key,
                .body = "{}",
                .created_at = clock.now()};
    }
    model::Callback told(CallbackState state, std::int64_t origin_key = 77) {
        const auto message = accept(account, device);
        const auto callback = callback_of(message, origin_key);
        finish(message, MessageState::sent, callback);
        if (state != CallbackState::waiting) {
            attempt(callback, state, state == CallbackState::delivered ? 200 : 500);
        }
        return callback;
    }
    void attempt(const model::Callback& callback, CallbackState state, std::uint16_t status,
                 std::uint32_t number = 1) {
        store::WriteBatch batch;
        batch.callback_updates.push_back(
            {.event = callback.id,
             .progress = {.state = state,
                          .attempts = number,
                          .due_at = clock.now() + 5s,
                          .last_status = status,
                          .last_error = status == 200 ? "" : fmt::format("HTTP {}", status),
                          .updated_at = clock.now()},
             .took = 120ms,
             .answer = "ok"});
        write(batch);
    }
    void note(const model::Message& message, MessageEvent event) {
        store::WriteBatch batch;
        batch.changes.push_back(
            {.run = [&](store::Tables& tables) { return tables.note_event(message.id, event); }});
        write(batch);
    }
    static std::vector<std::string> steps_of(const Answer& answer) {
        std::vector<std::string> steps;
        for (const auto& item : answer.items()) {
            steps.emplace_back(item.at("step").as_string().c_str());
        }
        return steps;
    }

    std::string account = make_account();
    std::string device = "6281100000001";
};

TEST_F(TrailsTest, ATimelineTellsWhatWasRecordedInOrder) {
    const auto message = accept(account, device);
    clock.advance(3s);
    note(message, MessageEvent::wait(WaitReason::device, message.due_at, clock.now()));
    note(message, {.step = MessageStep::attempted,
                   .at = clock.now(),
                   .until = clock.now() + 5s,
                   .code = 500,
                   .details = "busy"});
    clock.advance(5s);
    const auto callback = callback_of(message);
    finish(message, MessageState::sent, callback);
    clock.advance(1s);
    attempt(callback, CallbackState::delivered, 200);
    note(message, {.step = MessageStep::read, .at = clock.now() + 1h});

    const auto timeline = get("/messages/" + message.id.text() + "/timeline");
    ASSERT_EQ(timeline.status, 200);
    EXPECT_THAT(steps_of(timeline),
                ElementsAre("accepted", "waited", "attempted", "sent", "callback", "read"));
    const auto& waited = timeline.items()[1].as_object();
    EXPECT_EQ(waited.at("for"), "device");
    EXPECT_EQ(waited.at("until").as_string(), to_rfc3339(message.due_at + 3s));
    EXPECT_EQ(timeline.items()[2].at("code").to_number<int>(), 500);
    EXPECT_EQ(timeline.items()[4].at("id").as_string(), callback.id.text());
    EXPECT_EQ(timeline.items()[4].at("took_ms").to_number<int>(), 120);
}

TEST_F(TrailsTest, WhatAPlatformSaysInWholeSecondsStandsAfterTheStepsThatItFollowed) {
    clock.advance(900ms);
    const auto message = accept(account, device);
    finish(message, MessageState::sent);
    const auto second = std::chrono::floor<std::chrono::seconds>(clock.now());
    note(message, {.step = MessageStep::delivered, .at = second});
    note(message, {.step = MessageStep::read, .at = second - 1s});
    const auto timeline = get("/messages/" + message.id.text() + "/timeline");
    EXPECT_THAT(steps_of(timeline), ElementsAre("accepted", "sent", "delivered", "read"));
    EXPECT_EQ(timeline.items()[2].at("at").as_string(), to_rfc3339(second));
}

TEST_F(TrailsTest, ATimelineCountsWhatItLeavesOut) {
    const auto message = accept(account, device);
    for (int made = 0; made < 100; ++made) {
        note(message, {.step = MessageStep::hastened, .at = clock.now()});
    }
    const auto timeline = get("/messages/" + message.id.text() + "/timeline");
    EXPECT_EQ(timeline.items().size(), 65U);
    EXPECT_THAT(timeline.whole(), HasSubstr(R"("step":"folded")"));
    EXPECT_THAT(timeline.whole(), HasSubstr(R"("count":37)"));
}

TEST_F(TrailsTest, AttemptsOfACallbackAreShownWithTheAnswer) {
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

TEST_F(TrailsTest, AWaitingMessageSaysWhatItWaitsFor) {
    const auto message = accept(account, device);
    const auto path = "/messages/" + message.id.text();
    EXPECT_EQ(get(path).json.at("waits").at("for"), "queue");
    messages.wait = scheduler::Wait{.reason = WaitReason::pace, .until = clock.now() + 3s};
    const auto waits = get(path).json.at("waits");
    EXPECT_EQ(waits.at("for"), "pace");
    EXPECT_EQ(waits.at("since").as_string(), to_rfc3339(message.due_at));
    EXPECT_EQ(waits.at("until").as_string(), to_rfc3339(clock.now() + 3s));
    EXPECT_FALSE(waits.at("text").as_string().empty());
    EXPECT_TRUE(waits.at("details").is_null());
    store::WriteBatch batch;
    batch.changes.push_back({.run = [&](store::Tables& tables) -> Result<void> {
        const auto identity = store::DeviceIdentity::of(*directory.find_device(message.device));
        EXPECT_TRUE(tables.set_device_state(identity, model::DeviceState::disconnected,
                                            "Ponsel tidak aktif", clock.now()));
        return {};
    }});
    write(batch);
    directory.apply(batch.row_changes.at(0));
    messages.wait = scheduler::Wait{.reason = WaitReason::device};
    EXPECT_EQ(get(path).json.at("waits").at("details"), "Ponsel tidak aktif");
    finish(message, MessageState::sent);
    EXPECT_TRUE(get(path).json.at("waits").is_null());
}

TEST_F(TrailsTest, OnlyADelayedMessageIsSentNow) {
    const auto due = accept(account, device);
    EXPECT_EQ(post("/messages/" + due.id.text() + "/send-now").status, 409);
    auto later = std::make_unique<model::Message>(due);
    later->id = ids.next();
    later->due_at = clock.now() + 1h;
    const auto id = later->id;
    store::WriteBatch batch;
    batch.accepts.push_back({.message = std::move(later)});
    write(batch);
    EXPECT_EQ(post("/messages/" + id.text() + "/send-now").status, 200);
    EXPECT_THAT(messages.hastened, ElementsAre(id));
    finish(due, MessageState::sent);
    EXPECT_EQ(post("/messages/" + due.id.text() + "/send-now").status, 409);
}

TEST_F(TrailsTest, OnlyAFailedMessageIsSentAgain) {
    const auto failed = accept(account, device);
    const auto path = "/messages/" + failed.id.text() + "/retry";
    EXPECT_EQ(post(path).status, 409);
    finish(failed, MessageState::failed);
    messages.retried_as = accept(account, device).id;
    const auto retried = post(path);
    EXPECT_EQ(retried.status, 200);
    EXPECT_EQ(retried.text("id"), messages.retried_as->text());
    EXPECT_EQ(retried.text("retry_of"), failed.id.text());
    messages.answer = ErrorCode::refused;
    EXPECT_EQ(post(path).status, 403);
}

TEST_F(TrailsTest, ManyCallbacksAreReplayedByWhatIsSaidOfThem) {
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

TEST_F(TrailsTest, CallbacksAreReplayedByTheWallClock) {
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

TEST_F(TrailsTest, MoreThanACommitsWorthAreReplayedToo) {
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

TEST_F(TrailsTest, ATestGoesToAPublicAddressAlone) {
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

TEST_F(TrailsTest, AFieldThatIsWrongIsNamedWhateverItsFaultIs) {
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

TEST_F(TrailsTest, HostsTellWhatWaitsAndHowWellTheyAnswer) {
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

TEST_F(TrailsTest, OneCallCountsTheCallbacksOfManyHostsUpToAShareOfEach) {
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

TEST_F(TrailsTest, HostsThatAreLeftOutAreSaidToBe) {
    for (std::int64_t origin = 1; origin <= 101; ++origin) {
        told(CallbackState::waiting, origin);
    }
    const auto hosts = get("/callbacks/hosts?account=" + account);
    EXPECT_TRUE(hosts.json.at("more").as_bool());
}

}  // namespace
}  // namespace merpati::api::manage::testing
