#include "api/manage/callbacks/callbacks_fixture.hpp"

namespace merpati::api::manage::testing {
namespace {

using namespace std::chrono_literals;
using model::CallbackState;
using model::MessageEvent;
using model::MessageState;
using model::MessageStep;
using model::WaitReason;

struct TimelineTest : CallbacksTest {
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
};

TEST_F(TimelineTest, ATimelineTellsWhatWasRecordedInOrder) {
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

TEST_F(TimelineTest, WhatAPlatformSaysInWholeSecondsStandsAfterTheStepsThatItFollowed) {
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

TEST_F(TimelineTest, ATimelineCountsWhatItLeavesOut) {
    const auto message = accept(account, device);
    for (int made = 0; made < 100; ++made) {
        note(message, {.step = MessageStep::hastened, .at = clock.now()});
    }
    const auto timeline = get("/messages/" + message.id.text() + "/timeline");
    EXPECT_EQ(timeline.items().size(), 65U);
    EXPECT_THAT(timeline.whole(), HasSubstr(R"("step":"folded")"));
    EXPECT_THAT(timeline.whole(), HasSubstr(R"("count":37)"));
}

}  // namespace
}  // namespace merpati::api::manage::testing
