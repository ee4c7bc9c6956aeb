// Messages that were with their connector's program when that ended.
#include <algorithm>

#include "model/texts.hpp"
#include "scheduler/dispatcher_fixture.hpp"

namespace merpati::scheduler {
namespace {

using namespace std::chrono_literals;
using model::MessageState;

struct ConnectorCrashTest : DispatcherFixture {
    ConnectorCrashTest() { connector->abilities.recognises_repeats = true; }

    void report_unknown(const model::MessageId& id, bool crashed) {
        post(Reported{.message = id,
                      .outcome = {.kind = model::Outcome::Kind::unknown,
                                  .details = "Konektor tidak menjawab",
                                  .crashed = crashed}});
    }
    void crash(const model::MessageId& id) { report_unknown(id, true); }

    [[nodiscard]] auto sends_of(const model::MessageId& id) const {
        return std::ranges::count(connector->sent, id);
    }
    void expect_held_after_crashes(const model::MessageId& id) {
        EXPECT_EQ(state(id), MessageState::held);
        ASSERT_TRUE(stored(id).completion);
        EXPECT_EQ(stored(id).completion->details, model::details::held_after_crashes);
    }
};

TEST_F(ConnectorCrashTest, AMessageInFlightAtTwoCrashesIsHeldAndNotSentAgain) {
    start();
    const auto id = accept(message());
    crash(id);
    EXPECT_EQ(state(id), MessageState::pending);
    advance(10s);
    ASSERT_EQ(sends_of(id), 2);
    crash(id);
    expect_held_after_crashes(id);
    EXPECT_EQ(stored(id).completion->attempts, 2U);
    advance(24h);
    EXPECT_EQ(sends_of(id), 2);
}

TEST_F(ConnectorCrashTest, ARestartOfTheGatewayDoesNotResetTheCount) {
    start();
    const auto id = accept(message());
    crash(id);
    restart();
    advance(10s);
    ASSERT_EQ(sends_of(id), 1);
    crash(id);
    expect_held_after_crashes(id);
}

TEST_F(ConnectorCrashTest, NorDoesAPassingFailureOrAPersonWhoMakesItDue) {
    start();
    const auto id = accept(message());
    crash(id);
    advance(10s);
    report(id, model::Outcome::Kind::retry);
    auto record = stored(id);
    post(HastenRequested{
        .message = {.message = std::make_unique<model::Message>(std::move(record.message)),
                    .queued_at = record.queued_at},
        .done = [](const Result<void>& done) { EXPECT_TRUE(done); }});
    ASSERT_EQ(sends_of(id), 3);
    crash(id);
    expect_held_after_crashes(id);
}

TEST_F(ConnectorCrashTest, AnUnknownOutcomeWithoutACrashIsRetried) {
    start();
    const auto id = accept(message());
    for (int attempt = 1; attempt <= 5; ++attempt) {
        ASSERT_EQ(sends_of(id), attempt);
        report_unknown(id, false);
        advance(10min + 2min);
    }
    EXPECT_EQ(state(id), MessageState::pending);
}

TEST_F(ConnectorCrashTest, SuspectsAreTriedOneByOneSoThatNoneSharesTheBlame) {
    start();
    const auto guilty = accept(message());
    const auto innocent = accept(message());
    crash(guilty);
    crash(innocent);
    while (sends_of(guilty) + sends_of(innocent) == 2) {
        advance(1s);
    }
    const bool guilty_first = sends_of(guilty) == 2;
    const auto first = guilty_first ? guilty : innocent;
    const auto second = guilty_first ? innocent : guilty;
    advance(60s);
    EXPECT_EQ(sends_of(second), 1);
    const auto other = accept(message());
    EXPECT_EQ(sends_of(other), 1) << "only suspects wait";
    guilty_first ? crash(first) : report_sent(first);
    advance(10s);
    ASSERT_EQ(sends_of(second), 2);
    guilty_first ? report_sent(second) : crash(second);
    expect_held_after_crashes(guilty);
    EXPECT_EQ(state(innocent), MessageState::sent);
}

}  // namespace
}  // namespace merpati::scheduler
