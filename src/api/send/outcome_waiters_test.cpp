#include "api/send/outcome_waiters.hpp"

#include <optional>

#include <gtest/gtest.h>

#include "base/uuid.hpp"
#include "store/conformance/repeating_store.hpp"
#include "store/store.hpp"
#include "testing/fixed_random.hpp"
#include "testing/manual_clock.hpp"
#include "testing/temporary_folder.hpp"

namespace merpati::api {
namespace {

using namespace std::chrono_literals;

/// The caller, who keeps the answer.
struct CaughtAnswer final : http::ReplySink {
    void deliver(http::Reply&& reply) override { given = std::move(reply); }
    void abandon() override { abandoned = true; }
    [[nodiscard]] bool is_gone() const noexcept override { return gone; }
    std::optional<http::Reply> given;
    bool gone = false;
    bool abandoned = false;
};

struct OutcomeWaitersTest : ::testing::Test {
    OutcomeWaitersTest() {
        message.id = ids.next();
        message.recipient = "6281234567890";
        message.revision = model::Revision::b;
    }

    std::shared_ptr<CaughtAnswer> wait() {
        auto caught = std::make_shared<CaughtAnswer>();
        CallResponder responder{http::Responder{caught}, nobody};
        responder.add_headers("X-Api-Revision: B\r\n");
        waiters.add(message.id, {.responder = std::move(responder),
                                 .account = message.account,
                                 .pending_answer = "still pending",
                                 .idempotency = {},
                                 .deadline = clock.steady_now() + 15s});
        return caught;
    }

    std::optional<http::Reply> answer_to(model::MessageState state, model::StatusCode code) {
        const auto caught = wait();
        waiters.finished(message, {.state = state, .code = code});
        return std::move(caught->given);
    }

    const RefusalListener nobody;
    testing::TemporaryFolder folder;
    testing::ManualClock clock;
    testing::FixedRandom random;
    UuidSource ids{clock, random};
    model::Message message;
    std::unique_ptr<store::Store> store =
        store::open_repeating_store({.url = "sqlite:" + folder.file("merpati.db")});
    store::Committer committer{clock, *store, {}, [](const Error&) {}};
    OutcomeWaiters waiters{committer};
};

TEST_F(OutcomeWaitersTest, TheOutcomeIsTheAnswerInTheWordsOfRevisionB) {
    using model::MessageState;
    using model::StatusCode;
    EXPECT_EQ(answer_to(MessageState::sent, StatusCode::sent)->status, 200);
    const auto refused = answer_to(MessageState::failed, StatusCode::media_refused);
    EXPECT_EQ(refused->status, 415);
    EXPECT_NE(refused->body.find("Jenis file tidak didukung"), std::string::npos);
    for (const auto code :
         {StatusCode::recipient_unregistered, StatusCode::recipient_invalid, StatusCode::failed}) {
        const auto failure = answer_to(MessageState::failed, code);
        EXPECT_EQ(failure->status, 500);
        EXPECT_NE(failure->body.find("Gagal mengirim pesan"), std::string::npos);
    }
}

TEST_F(OutcomeWaitersTest, AWaitThatRanOutIsAnsweredPendingAndNothingElseLater) {
    const auto caught = wait();
    waiters.expire(clock.steady_now() + 14s);
    EXPECT_FALSE(caught->given);
    waiters.expire(clock.steady_now() + 15s);
    ASSERT_TRUE(caught->given);
    EXPECT_EQ(caught->given->body, "still pending");
    EXPECT_EQ(caught->given->headers, "X-Api-Revision: B\r\n");
    waiters.finished(message, {.state = model::MessageState::sent});
    EXPECT_EQ(caught->given->body, "still pending");
}

TEST_F(OutcomeWaitersTest, AClientThatHasHungUpIsForgottenLongBeforeItsDeadline) {
    const auto caught = wait();
    waiters.expire(clock.steady_now());
    EXPECT_FALSE(caught->abandoned);
    caught->gone = true;
    waiters.expire(clock.steady_now() + OutcomeWaiters::gone_every);
    EXPECT_TRUE(caught->abandoned);
    waiters.finished(message, {.state = model::MessageState::sent});
    waiters.expire(clock.steady_now() + 15s);
    EXPECT_FALSE(caught->given);
}

TEST_F(OutcomeWaitersTest, WhoWaitsForAnAccountThatMovesIsAnsweredPending) {
    message.account = {.value = 1};
    const auto moved = wait();
    const auto moved_id = message.id;
    message.account = {.value = 2};
    message.id = ids.next();
    const auto other = wait();
    waiters.release({.value = 1});
    ASSERT_TRUE(moved->given);
    EXPECT_EQ(moved->given->body, "still pending");
    EXPECT_FALSE(other->given);
    message.id = moved_id;
    waiters.finished(message, {.state = model::MessageState::sent});  // Nothing else later.
}

TEST_F(OutcomeWaitersTest, OnceAllAreReleasedWhoeverComesIsNotKeptWaiting) {
    const auto before = wait();
    waiters.release_all();
    ASSERT_TRUE(before->given);
    message.id = ids.next();  // For example, one whose file was still being probed.
    const auto after = wait();
    ASSERT_TRUE(after->given);
    EXPECT_EQ(after->given->body, "still pending");
}

}  // namespace
}  // namespace merpati::api
