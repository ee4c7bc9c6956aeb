// Statuses that are posted together.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "callback/retry_table.hpp"
#include "callback/sender_core.hpp"
#include "callback/sender_fixture.hpp"
#include "callback/signature.hpp"

namespace merpati::callback {
namespace {

using model::CallbackState;
using ::testing::HasSubstr;
using ::testing::Not;

using Ids = std::vector<model::EventId>;
constexpr const char* shop = "https://toko.example.com/status";

struct BatchesTest : SenderFixture {
    BatchesTest() { batch = {.max = 4, .wait = 200ms}; }

    model::EventId send_status(const std::string& url = shop) {
        auto callback = commit(7, url, 1, model::CallbackKind::message_status);
        const auto id = callback.id;
        core->add(std::move(callback));
        run();
        return id;
    }
    Ids send_statuses(std::size_t count) {
        Ids sent;
        while (sent.size() < count) {
            sent.push_back(send_status());
        }
        return sent;
    }
    /// Has the receiver busy with a first status, while `count` others gather.
    Ids gathered(std::size_t count) {
        send_status();
        return send_statuses(count);
    }

    /// The ids of the events of a request.
    [[nodiscard]] Ids events(std::size_t place) const {
        Ids ids;
        for (const auto& event : list(place)) {
            ids.push_back(*Uuid::parse(std::string_view{event.at("id").as_string()}));
        }
        return ids;
    }
    [[nodiscard]] boost::json::array list(std::size_t place) const {
        return boost::json::parse(attempts.at(place).request.body).at("events").as_array();
    }
    [[nodiscard]] std::string webhook_id(std::size_t place) const {
        return attempts.at(place).request.headers.substr(0, 12 + 36);
    }

    void answer_too_large(std::size_t place) {
        attempts.at(place).answer(outbound::Response{.status = 413});
        run();
    }
    void answer_retry(std::size_t place, const Ids& ids) {
        std::string body;
        for (const auto& id : ids) {
            body += (body.empty() ? "\"" : ",\"") + id.text() + "\"";
        }
        answer(place, outbound::Response{.status = 200, .body = R"({"retry":[)" + body + "]}"});
    }
    [[nodiscard]] CallbackState state(model::EventId id) { return stored(id).state; }
    [[nodiscard]] std::uint64_t attempts_that(AttemptResult result) const {
        return core->counts().attempts.at(static_cast<std::size_t>(result));
    }
};

Ids part(const Ids& all, std::size_t from, std::size_t count) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(from);
    return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

TEST_F(BatchesTest, AnAnswerThatBreaksOffTakesNothing) {
    start();
    const auto sent = gathered(2);
    answer(0, 200);
    answer(1, outbound::Response{.status = 200, .body = "{\"retry\":[", .is_whole = false});
    for (const auto& id : sent) {
        EXPECT_EQ(state(id), CallbackState::waiting);
    }
    EXPECT_EQ(attempts_that(AttemptResult::unreachable), 2U);
}

TEST_F(BatchesTest, WithoutJsonTheStatusIsEnough) {
    start();
    const auto sent = gathered(2);
    answer(0, 200);
    answer(1, outbound::Response{.status = 200, .body = "o", .is_whole = false});
    for (const auto& id : sent) {
        EXPECT_EQ(state(id), CallbackState::delivered);
    }
}

TEST_F(BatchesTest, AStatusGoesAtOnceInTheFormOfABatchSignedAsAWhole) {
    start();
    const auto at = queue_clock.now();
    const auto id = send_status();
    ASSERT_EQ(attempts.size(), 1U);
    const auto& request = attempts[0].request;
    EXPECT_EQ(request.body, R"({"events":[{"id":")" + id.text() + R"(","timestamp":")" +
                                to_rfc3339(at) + R"(","payload":{"code":200}}]})");
    EXPECT_THAT(webhook_id(0), Not(HasSubstr(id.text())));
    EXPECT_EQ(request.headers,
              signature_headers(secrets, webhook_id(0).substr(12), clock.now(), request.body) +
                  "Content-Type: application/json\r\n");
    answer(0, 204);
    EXPECT_EQ(state(id), CallbackState::delivered);
    EXPECT_EQ(stored(id).batch->events, 1U);
    EXPECT_TRUE(core->is_idle());
}

TEST_F(BatchesTest, WithoutBatchesItIsAsSingleAsEver) {
    batch.reset();
    start();
    const auto id = send_status();
    EXPECT_EQ(attempts[0].request.body, R"({"code":200})");
    EXPECT_THAT(webhook_id(0), HasSubstr(id.text()));
    answer(0, outbound::Response{.status = 200, .body = R"({"retry":[")" + id.text() + "\"]}"});
    EXPECT_EQ(state(id), CallbackState::delivered);
    EXPECT_EQ(stored(id).batch, std::nullopt);
}

TEST_F(BatchesTest, OthersWaitForTheNextRequest) {
    start();
    const auto waiting = gathered(3);
    EXPECT_EQ(attempts.size(), 1U);
    answer(0, 200);
    ASSERT_EQ(attempts.size(), 2U);
    EXPECT_EQ(events(1), waiting);
    answer(1, 200);
    for (const auto& id : waiting) {
        EXPECT_EQ(state(id), CallbackState::delivered);
        EXPECT_EQ(stored(id).attempts, 1U);
        EXPECT_EQ(stored(id).batch->events, 3U);
    }
    EXPECT_EQ(attempts_that(AttemptResult::delivered), 4U);
    EXPECT_EQ(core->counts().in_memory, 0U);
}

TEST_F(BatchesTest, TheyGoWhenTheyAreAsManyAsMay) {
    start();
    const auto waiting = gathered(5);
    ASSERT_EQ(attempts.size(), 2U);
    EXPECT_EQ(events(1), part(waiting, 0, 4));
    answer(1, 200);
    EXPECT_EQ(attempts.size(), 2U);  // The first request is still in flight.
    answer(0, 200);
    ASSERT_EQ(attempts.size(), 3U);
    EXPECT_EQ(events(2), part(waiting, 4, 1));
}

TEST_F(BatchesTest, NoneWaitsLongerThanItMay) {
    start();
    const auto waiting = gathered(1);
    pass_time(150ms);
    send_status();
    EXPECT_LE(core->next_step_at(), clock.steady_now() + 50ms);
    pass_time(49ms);
    EXPECT_EQ(attempts.size(), 1U);
    pass_time(1ms);
    ASSERT_EQ(attempts.size(), 2U);
    EXPECT_EQ(events(1).size(), 2U);
    EXPECT_EQ(events(1).front(), waiting.front());
}

TEST_F(BatchesTest, AnotherAddressOfTheHostIsNotWaitedFor) {
    start();
    send_status();
    const auto other = send_status("https://toko.example.com/other");
    ASSERT_EQ(attempts.size(), 2U);
    EXPECT_EQ(events(1), Ids{other});
    EXPECT_EQ(attempts[1].request.url.target, "/other");
}

TEST_F(BatchesTest, WebhooksOfDevicesGoAloneAndAtOnce) {
    start();
    gathered(2);
    const auto webhook = send();
    ASSERT_EQ(attempts.size(), 2U);
    EXPECT_EQ(attempts[1].request.body, R"({"code":200})");
    EXPECT_THAT(webhook_id(1), HasSubstr(webhook.text()));
}

TEST_F(BatchesTest, WhatTheReceiverAsksForComesAgainUnderItsId) {
    start();
    const auto sent = gathered(4);
    answer_retry(1, {sent[2], ids.next(), sent[0]});
    EXPECT_EQ(state(sent[1]), CallbackState::delivered);
    EXPECT_EQ(state(sent[3]), CallbackState::delivered);
    EXPECT_EQ(state(sent[0]), CallbackState::waiting);
    EXPECT_EQ(stored(sent[0]).last_status, 200);
    EXPECT_EQ(stored(sent[0]).last_error, "the receiver asked for it again");
    EXPECT_EQ(attempts_that(AttemptResult::asked_again), 2U);
    pass_time(7s);
    ASSERT_EQ(attempts.size(), 3U);
    EXPECT_EQ(events(2), (Ids{sent[0], sent[2]}));
    EXPECT_NE(webhook_id(2), webhook_id(1));
    answer(2, 200);
    EXPECT_EQ(state(sent[2]), CallbackState::delivered);
    EXPECT_EQ((*store->open_reader())->attempts(sent[2])->size(), 2U);
}

TEST_F(BatchesTest, ATooLargeOneIsHalvedAtOnceWhichIsNoAttempt) {
    start();
    const auto sent = gathered(4);
    answer_too_large(1);
    ASSERT_EQ(attempts.size(), 4U);
    EXPECT_EQ(events(2), part(sent, 0, 2));
    EXPECT_EQ(events(3), part(sent, 2, 2));
    EXPECT_EQ(stored(sent[0]).attempts, 0U);
    answer_too_large(2);
    ASSERT_EQ(attempts.size(), 6U);
    EXPECT_EQ(events(4), part(sent, 0, 1));
    EXPECT_EQ(events(5), part(sent, 1, 1));
    answer(4, 413);  // Of one event it is a failure.
    EXPECT_EQ(stored(sent[0]).attempts, 1U);
    EXPECT_EQ(stored(sent[0]).last_status, 413);
    answer(5, 200);
    answer(3, 200);
    EXPECT_EQ(stored(sent[3]).attempts, 1U);
    EXPECT_EQ(state(sent[3]), CallbackState::delivered);
}

TEST_F(BatchesTest, AfterTwoFailuresItIsHalvedUntilOneBadEventIsAlone) {
    batch->max = 5;
    start();
    const auto sent = gathered(5);
    answer(0, 200);
    const auto bad = sent[1];
    std::vector<std::size_t> sizes;
    for (std::size_t place = 1; place < attempts.size(); ++place) {
        const auto carried = events(place);
        const bool fails = std::ranges::find(carried, bad) != carried.end();
        if (fails) {
            sizes.push_back(carried.size());
        }
        if (sizes.size() == 6) {
            break;
        }
        answer(place, fails ? 500 : 200);
        if (place + 1 == attempts.size()) {
            pass_time(std::chrono::hours{2});
        }
    }
    EXPECT_EQ(sizes, (std::vector<std::size_t>{5, 5, 3, 2, 1, 1}));
    for (const auto& id : sent) {
        EXPECT_EQ(state(id), id == bad ? CallbackState::waiting : CallbackState::delivered);
    }
}

TEST_F(BatchesTest, NewOnesAreNotPostedWithThoseThatFailed) {
    start();
    const auto failed = gathered(4);
    answer(1, 500);
    const auto fresh = send_status();
    answer(0, 200);
    ASSERT_EQ(attempts.size(), 3U);
    EXPECT_EQ(events(2), Ids{fresh});
    send_status();
    pass_time(7s);
    ASSERT_EQ(attempts.size(), 5U);
    EXPECT_EQ(events(4), failed);
}

TEST_F(BatchesTest, AllEndWhenTheReceiverIsGone) {
    start();
    const auto sent = gathered(4);
    answer(1, 410);
    for (const auto& id : sent) {
        EXPECT_EQ(state(id), CallbackState::gone);
    }
}

TEST_F(BatchesTest, FailuresCountEventsButOneRequestAloneOpensNoBreaker) {
    batch->max = 100;
    start();
    send_statuses(51);
    answer(0, 200);
    ASSERT_EQ(events(1).size(), 50U);
    answer(1, 500);
    EXPECT_EQ(core->counts().breakers_open, 0U);
    EXPECT_EQ(attempts_that(AttemptResult::receiver_fault), 50U);
    send_status();
    answer(2, 500);
    EXPECT_EQ(core->counts().breakers_open, 1U);
}

TEST_F(BatchesTest, WhatWaitsOnDiskIsPostedTogether) {
    batch->max = 100;
    Ids waiting;
    for (int count = 0; count < 250; ++count) {
        waiting.push_back(commit(7, shop, 1, model::CallbackKind::message_status).id);
    }
    clock.advance(1s);
    start();
    Ids arrived;
    for (std::size_t place = 0; place < attempts.size(); ++place) {
        const auto carried = events(place);
        arrived.insert(arrived.end(), carried.begin(), carried.end());
        answer(place, 200);
    }
    EXPECT_EQ(arrived, waiting);
    EXPECT_EQ(attempts.size(), 3U);
}

TEST_F(BatchesTest, ABodyHasALimitButOneEventOfAnySizeGoes) {
    batch->max = 100;
    start();
    send_status();
    for (int count = 0; count < 3; ++count) {
        auto callback = commit(7, shop, 1, model::CallbackKind::message_status);
        callback.body = "\"" + std::string(200'000, 'x') + "\"";
        core->add(std::move(callback));
    }
    run();
    answer(0, 200);
    EXPECT_EQ(events(1).size(), 1U);
}

TEST_F(BatchesTest, ATestHasTheFormOfABatch) {
    start();
    auto callback = commit(7, shop, 1, model::CallbackKind::message_status);
    const auto id = callback.id;
    std::optional<model::CallbackAttempt> tested;
    core->test(std::move(callback), [&](auto result) { tested = *result; });
    EXPECT_EQ(events(0), Ids{id});
    attempts[0].answer(
        outbound::Response{.status = 200, .body = R"({"retry":[")" + id.text() + "\"]}"});
    ASSERT_TRUE(tested);
    EXPECT_EQ(tested->error, "the receiver asked for it again");
}

}  // namespace
}  // namespace merpati::callback
