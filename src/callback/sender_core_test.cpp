#include "callback/sender_core.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "callback/retry_table.hpp"
#include "callback/sender_fixture.hpp"
#include "callback/signature.hpp"

namespace merpati::callback {
namespace {

using model::CallbackState;
using ::testing::HasSubstr;

struct SenderCoreTest : SenderFixture {
    [[nodiscard]] std::uint64_t attempts_that(AttemptResult result) const {
        return core->counts().attempts.at(static_cast<std::size_t>(result));
    }
};

/// Longer than any wait of the table, its jitter included.
constexpr Millis next_wait(std::size_t failures) {
    return retry_waits.at(failures - 1) * 6 / 5 + std::chrono::milliseconds{1};
}

TEST_F(SenderCoreTest, SendsTheStoredBytesSignedAndIsDoneAt2xx) {
    start();
    const auto id = send();
    ASSERT_EQ(attempts.size(), 1U);
    const auto& request = attempts[0].request;
    EXPECT_EQ(request.method, "POST");
    EXPECT_EQ(request.body, R"({"code":200})");
    EXPECT_THAT(request.headers, HasSubstr("Content-Type: application/json\r\n"));
    EXPECT_THAT(request.headers,
                HasSubstr(signature_headers(std::vector<Bytes>{Bytes(32)}, id.text(), clock.now(),
                                            request.body)));
    answer(0, 204);
    EXPECT_EQ(stored(id).state, CallbackState::delivered);
    EXPECT_EQ(stored(id).last_status, 204);
    EXPECT_EQ(stored(id).attempts, 1U);
    EXPECT_TRUE(core->is_idle());
    pass_time(std::chrono::hours{48});
    EXPECT_EQ(attempts.size(), 1U);
}

TEST_F(SenderCoreTest, TriesAgainWhenTheTableSaysSoSignedAnew) {
    start();
    const auto id = send();
    answer(0, 500);
    const auto progress = stored(id);
    EXPECT_EQ(progress.state, CallbackState::waiting);
    EXPECT_EQ(progress.last_error, "HTTP 500");
    EXPECT_GE(progress.due_at, clock.now() + std::chrono::seconds{4});
    EXPECT_LE(progress.due_at, clock.now() + std::chrono::seconds{6});
    pass_time(std::chrono::seconds{3});
    EXPECT_EQ(attempts.size(), 1U);
    EXPECT_LE(core->next_step_at(), clock.steady_now() + std::chrono::seconds{4});
    pass_time(std::chrono::seconds{4});
    ASSERT_EQ(attempts.size(), 2U);
    EXPECT_THAT(attempts[1].request.headers, HasSubstr("webhook-id: " + id.text()));
    EXPECT_NE(attempts[1].request.headers, attempts[0].request.headers);
    answer(1, 200);
    EXPECT_EQ(stored(id).attempts, 2U);
    EXPECT_EQ(attempts_that(AttemptResult::receiver_fault), 1U);
    EXPECT_EQ(attempts_that(AttemptResult::delivered), 1U);
}

TEST_F(SenderCoreTest, KeepsWhatEachAttemptWasAnsweredAndHowLongThatTook) {
    start();
    const auto id = send();
    clock.advance(std::chrono::milliseconds{250});
    answer(0, outbound::Response{.status = 503, .body = "down\x1b[1m until \xff noon"});
    const auto retry_at = stored(id).due_at;
    pass_time(std::chrono::seconds{7});
    clock.advance(std::chrono::milliseconds{80});
    answer(1, outbound::Response{.status = 200, .body = std::string(4'000, 'k')});
    const auto kept = *(*store->open_reader())->attempts(id);
    ASSERT_EQ(kept.size(), 2U);
    EXPECT_EQ(kept[0].took, std::chrono::milliseconds{250});
    EXPECT_EQ(kept[0].status, 503);
    EXPECT_EQ(kept[0].error, "HTTP 503");
    EXPECT_EQ(kept[0].answer, "down?[1m until ? noon");
    EXPECT_EQ(kept[0].retry_at, retry_at);
    EXPECT_EQ(kept[1].took, std::chrono::milliseconds{80});
    EXPECT_EQ(kept[1].answer, std::string(1'024, 'k'));
    EXPECT_EQ(kept[1].retry_at, std::nullopt);
}

TEST_F(SenderCoreTest, TakesARedirectAndABrokenConnectionForFailures) {
    start();
    const auto moved = send();
    const auto broken = send();
    answer(0, 302);
    answer(1, fail(ErrorCode::unreachable, "cannot connect"));
    EXPECT_EQ(stored(moved).last_error, "HTTP 302");
    EXPECT_EQ(stored(broken).last_error, "unreachable: cannot connect");
    EXPECT_EQ(stored(broken).last_status, 0);
}

TEST_F(SenderCoreTest, CountsHowEachAttemptEnded) {
    using enum AttemptResult;
    const std::vector<std::pair<Result<outbound::Response>, AttemptResult>> ends{
        {outbound::Response{.status = 204}, delivered},
        {outbound::Response{.status = 302}, redirected},
        {outbound::Response{.status = 404}, refused},
        {outbound::Response{.status = 503}, receiver_fault},
        {outbound::Response{.status = 999}, receiver_fault},
        {fail(ErrorCode::timeout, "no answer in time"), timeout},
        {fail(ErrorCode::unreachable, "cannot connect"), unreachable},
        {fail(ErrorCode::refused, "the address is not a public one"), forbidden},
        {fail(ErrorCode::protocol, "not an HTTP answer"), broken},
    };
    start();
    std::array<std::uint64_t, attempt_results_count> expected{};
    for (std::size_t place = 0; place < ends.size(); ++place) {
        send(static_cast<std::int64_t>(place));
        answer(place, ends[place].first);
        ++expected.at(static_cast<std::size_t>(ends[place].second));
        EXPECT_EQ(core->counts().attempts, expected) << place;
    }
}

TEST_F(SenderCoreTest, HonoursALaterWishOfTheReceiver) {
    start();
    const auto id = send();
    answer(0, outbound::Response{.status = 429, .headers = {{"retry-after", "600"}}});
    EXPECT_EQ(stored(id).due_at, clock.now() + std::chrono::seconds{600});
    pass_time(std::chrono::seconds{599});
    EXPECT_EQ(attempts.size(), 1U);
    pass_time(std::chrono::seconds{2});
    EXPECT_EQ(attempts.size(), 2U);
}

TEST_F(SenderCoreTest, EndsWhenTheReceiverIsGone) {
    start();
    const auto id = send();
    answer(0, 410);
    EXPECT_EQ(stored(id).state, CallbackState::gone);
    pass_time(std::chrono::hours{48});
    EXPECT_EQ(attempts.size(), 1U);
}

TEST_F(SenderCoreTest, IsExhaustedAfterTheWholeTableAndReplayable) {
    start();
    const auto id = send();
    for (std::size_t failures = 1; failures <= retry_waits.size(); ++failures) {
        answer(failures - 1, 503);
        EXPECT_EQ(stored(id).state, CallbackState::waiting) << failures;
        pass_time(next_wait(failures));
        ASSERT_EQ(attempts.size(), failures + 1);
    }
    answer(retry_waits.size(), 503);
    EXPECT_EQ(stored(id).state, CallbackState::exhausted);
    EXPECT_EQ(core->counts().exhausted_total, 1U);
    pass_time(std::chrono::hours{48});
    ASSERT_EQ(attempts.size(), retry_waits.size() + 1);

    ASSERT_TRUE(committer.change_and_wait([&](store::Tables& tables) {
        return tables.replay_callback(id, clock.now(), clock.now());
    }));
    core->made_due({.account = {.value = 1}, .origin_key = 7});
    run();
    ASSERT_EQ(attempts.size(), retry_waits.size() + 2);
    answer(retry_waits.size() + 1, 200);
    EXPECT_EQ(stored(id).state, CallbackState::delivered);
}

TEST_F(SenderCoreTest, AnOriginEarnsAttemptsAtOnceByAnsweringPromptly) {
    start({.per_origin_max = 2});
    for (int i = 0; i < 6; ++i) {
        send();
    }
    EXPECT_EQ(attempts.size(), 1U);
    answer(0, 200);
    EXPECT_EQ(attempts.size(), 3U);
    EXPECT_EQ(core->counts().in_flight, 2U);
    answer(1, 200);
    EXPECT_EQ(attempts.size(), 4U);
    EXPECT_EQ(core->counts().in_flight, 2U);
    EXPECT_EQ(core->counts().slow_in_flight, 0U);
}

TEST_F(SenderCoreTest, NoMoreThanTheMostAreUnderWay) {
    start({.total_max = 3});
    for (std::int64_t account = 1; account < 9; ++account) {
        send_of(account, 7);
    }
    EXPECT_LE(attempts.size(), 3U);
    for (std::size_t place = 0; place < 8; ++place) {
        ASSERT_LT(place, attempts.size());
        answer(place, 200);
        EXPECT_LE(core->counts().in_flight, 3U);
    }
}

TEST_F(SenderCoreTest, AnOriginThatNeverAnswersDelaysNoOther) {
    start();
    for (int i = 0; i < 50; ++i) {
        send(7);
    }
    EXPECT_EQ(attempts.size(), 1U);
    const auto other = send(8);
    ASSERT_EQ(attempts.size(), 2U);
    answer(1, 200);
    EXPECT_EQ(stored(other).state, CallbackState::delivered);
}

TEST_F(SenderCoreTest, ProbesAnOriginThatKeepsFailingWithOneAttemptAtATime) {
    start();
    for (int i = 0; i < 20; ++i) {
        send();
    }
    for (std::size_t place = 0; place < 10; ++place) {
        ASSERT_EQ(attempts.size(), place + 1);
        answer(place, 500);
    }
    EXPECT_EQ(core->counts().breakers_open, 1U);
    EXPECT_EQ(core->counts().in_flight, 0U);

    pass_time(std::chrono::minutes{6});
    ASSERT_EQ(attempts.size(), 11U);  // The probe, though many are due.
    answer(10, 200);
    EXPECT_EQ(core->counts().breakers_open, 0U);
    EXPECT_EQ(core->counts().in_flight, 2U);
}

// The sender steps between an answer and its commit; the endpoint has nothing else to do then.
TEST_F(SenderCoreTest, AnEndpointWithOneCallbackIsBackedOffTooWhenItKeepsFailing) {
    start();
    send();
    for (std::size_t failures = 1; failures <= Health::failures_to_open; ++failures) {
        attempts.at(failures - 1).answer(outbound::Response{.status = 503});
        run();
        settle();
        EXPECT_EQ(core->counts().breakers_open, failures == Health::failures_to_open ? 1 : 0);
        pass_time(next_wait(failures));
    }
    ASSERT_EQ(attempts.size(), Health::failures_to_open + 1U);
    answer(attempts.size() - 1, 200);
    EXPECT_EQ(core->counts().breakers_open, 0U);
}

TEST_F(SenderCoreTest, AnOpenBreakerIsCountedOnlyWhileItsQueueExists) {
    start();
    send();
    send();
    bool was_open = false;
    for (std::size_t answered = 0; core->counts().exhausted_total < 2;) {
        while (answered < attempts.size()) {
            answer(answered++, 503);
            was_open = was_open || core->counts().breakers_open == 1;
        }
        ASSERT_LT(answered, 100U);
        pass_time(std::chrono::hours{30});
    }
    EXPECT_TRUE(was_open);
    EXPECT_EQ(core->counts().origins, 0U);
    EXPECT_EQ(core->counts().breakers_open, 0U);
}

TEST_F(SenderCoreTest, AnAttemptCutByTheStopCountsNothing) {
    start();
    const auto id = send();
    core->drain();
    attempts[0].answer(fail(ErrorCode::shutting_down, "the client is closed"));
    EXPECT_TRUE(core->is_idle());
    EXPECT_EQ(stored(id).attempts, 0U);
    EXPECT_EQ(stored(id).state, CallbackState::waiting);
}

TEST_F(SenderCoreTest, GoesOnAfterARestartWithWhatWasNotDelivered) {
    const auto waiting = commit();
    start();
    ASSERT_EQ(attempts.size(), 1U);
    EXPECT_THAT(attempts[0].request.headers, HasSubstr("webhook-id: " + waiting.id.text()));

    // The process dies before the answer: the attempt is repeated under the same id.
    auto first_life = std::move(core);
    start();
    ASSERT_EQ(attempts.size(), 2U);
    EXPECT_THAT(attempts[1].request.headers, HasSubstr("webhook-id: " + waiting.id.text()));
}

TEST_F(SenderCoreTest, LeavesToTheDiskWhatMemoryIsTooSmallFor) {
    start({.per_origin_max = 1, .origin_memory_max = 4});
    std::vector<model::EventId> sent;
    for (int i = 0; i < 20; ++i) {
        sent.push_back(send());
        EXPECT_LE(core->counts().in_memory, 4U);
    }
    for (std::size_t place = 0; place < sent.size(); ++place) {
        ASSERT_EQ(attempts.size(), place + 1);
        EXPECT_THAT(attempts[place].request.headers, HasSubstr(sent[place].text()));
        answer(place, 200);
    }
    EXPECT_TRUE(core->is_idle());
    EXPECT_EQ(attempts_that(AttemptResult::delivered), sent.size());
}

TEST_F(SenderCoreTest, RefusesHttpUnlessTheOperatorAllowsIt) {
    start();
    auto callback = commit(7, "http://toko.example.com/status");
    const auto id = callback.id;
    core->add(std::move(callback));
    core->step();
    settle();
    EXPECT_TRUE(attempts.empty());
    EXPECT_EQ(stored(id).last_error, "refused: not an https URL");

    core = new_core({.allow_http = true});
    core->add(commit(8, "http://toko.example.com/status"));
    core->step();
    EXPECT_EQ(attempts.size(), 1U);
}

TEST_F(SenderCoreTest, SendsNothingUnsigned) {
    start();
    const auto signing = std::exchange(secrets, {});
    auto callback = commit();
    const auto id = callback.id;
    core->add(std::move(callback));
    core->step();
    settle();
    EXPECT_TRUE(attempts.empty());
    EXPECT_EQ(stored(id).last_error, "damaged: the account's signing secret cannot be read");
    secrets = signing;
    pass_time(10s);
    EXPECT_EQ(attempts.size(), 1U);
}

TEST_F(SenderCoreTest, AQueueThatCannotBeReadIsReportedCountedAndTriedAgain) {
    EXPECT_TRUE(committer.change_and_wait([](store::Tables& tables) -> Result<void> {
        EXPECT_EQ(tables.create_account({})->value, 1);
        return {};
    }));
    (void)commit();
    damage_page("callback_waiting");
    std::vector<Error> errors;
    start({.on_store_error = [&](const Error& error) { errors.push_back(error); }});
    ASSERT_EQ(errors.size(), 1U);
    EXPECT_EQ(errors[0].code, ErrorCode::damaged);
    EXPECT_EQ(core->counts().reads_failed_total, 1U);
    EXPECT_GT(store->condition().damages(), 0U);
    for (int second = 0; second < 59; ++second) {
        pass_time(1s);
    }
    EXPECT_EQ(core->counts().reads_failed_total, 1U) << "damage stays";
    pass_time(1s);
    EXPECT_EQ(core->counts().reads_failed_total, 2U);
    EXPECT_EQ(errors.size(), 2U);
}

TEST_F(SenderCoreTest, StartsNothingMoreWhileDrainingAndSaysWhenAllIsDurable) {
    start();
    const auto id = send();
    core->drain();
    auto late = commit();
    core->add(late);
    core->step();
    EXPECT_EQ(attempts.size(), 1U);
    EXPECT_FALSE(core->is_idle());
    answer(0, 200);
    EXPECT_TRUE(core->is_idle());
    EXPECT_EQ(stored(id).state, CallbackState::delivered);
    EXPECT_EQ(stored(late.id).state, CallbackState::waiting);
}

/// It is read from the store after its commit, but before `add`.
TEST_F(SenderCoreTest, ACallbackReadBeforeItIsHandedOverIsAttemptedOnce) {
    auto first = commit();
    core = new_core({.per_origin_max = 1});
    ASSERT_TRUE(core->recover(*store->open_reader()));
    auto second = commit();
    core->step();  // Reads both.
    EXPECT_EQ(attempts.size(), 1U);
    EXPECT_EQ(core->counts().in_memory, 1U);
    core->add(std::move(first));
    core->add(std::move(second));
    core->step();
    EXPECT_EQ(attempts.size(), 1U);
    EXPECT_EQ(core->counts().in_memory, 1U);
}

}  // namespace
}  // namespace merpati::callback
