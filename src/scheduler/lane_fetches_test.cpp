#include "scheduler/lane_fetches.hpp"

#include <gtest/gtest.h>

#include "scheduler/lane_memory.hpp"

namespace merpati::scheduler {
namespace {

using namespace std::chrono_literals;

struct LaneFetchesTest : ::testing::Test {
    /// A message that is due `due` from now awaits its file.
    model::MessageId await_file(Millis due = 0ms) {
        const model::MessageId id{++last_sequence, 0};
        await_file(id, due);
        return id;
    }
    void await_file(const model::MessageId& id, Millis due = 0ms) {
        store::QueuedMessage queued;
        queued.message = std::make_unique<model::Message>();
        queued.message->id = id;
        queued.message->type = model::MessageType::media;
        queued.queued_at = now + due;
        memory.await_file(source, std::move(queued), now);
    }
    /// The message whose fetch begins now.
    std::optional<model::MessageId> begin_next(std::size_t ahead) {
        const auto* next = source.fetches().begin_next(ahead);
        return next != nullptr ? std::optional{next->id} : std::nullopt;
    }
    void give_file(const model::MessageId& id) {
        ASSERT_TRUE(source.fetches().end_fetch(id));
        source.fetches().give_file(id, std::make_shared<const media::File>(), now);
    }

    Options options;
    LaneMemory memory{options};
    LaneSource source;
    Timestamp now = from_unix_millis(1'700'000'000'000);
    std::int64_t last_sequence = 0;
};

TEST_F(LaneFetchesTest, FetchesInTurnAsFarAheadAsItMay) {
    const auto first = await_file();
    const auto second = await_file();
    const auto third = await_file();
    EXPECT_EQ(begin_next(2), first);
    EXPECT_EQ(begin_next(2), second);
    EXPECT_EQ(begin_next(2), std::nullopt);
    give_file(first);
    EXPECT_EQ(begin_next(2), std::nullopt) << "its file waits to be sent";
    EXPECT_EQ(memory.pop_with_file(source).queued.message->id, first);
    EXPECT_EQ(begin_next(2), third);
    EXPECT_EQ(begin_next(9), std::nullopt);
}

TEST_F(LaneFetchesTest, TheEarliestMessageThatHasItsFileGoesFirst) {
    const auto later = await_file(2s);
    const auto earlier = await_file(1s);
    EXPECT_FALSE(source.fetches().has_file());
    for (const auto& id : {later, earlier}) {
        (void)begin_next(2);
        give_file(id);
    }
    EXPECT_EQ(source.fetches().due(), now + 1s);
    const auto taken = memory.pop_with_file(source);
    EXPECT_EQ(taken.queued.message->id, earlier);
    EXPECT_NE(taken.file, nullptr);
    EXPECT_EQ(taken.fetched_at, now);
}

TEST_F(LaneFetchesTest, AMessageThatWasTakenOutIsNeitherFetchedNorGivenItsFile) {
    const auto fetching = await_file();
    const auto waiting = await_file();
    EXPECT_EQ(begin_next(9), fetching);
    EXPECT_TRUE(memory.remove(source, fetching));
    EXPECT_TRUE(memory.remove(source, waiting));
    EXPECT_FALSE(memory.remove(source, waiting));
    EXPECT_EQ(begin_next(9), std::nullopt);
    EXPECT_TRUE(source.fetches().is_fetching());
    EXPECT_FALSE(source.fetches().end_fetch(fetching));
    EXPECT_FALSE(source.fetches().is_fetching());
    EXPECT_TRUE(source.idle());
}

TEST_F(LaneFetchesTest, AnEarlierFetchServesAMessageThatCameAgain) {
    const auto id = await_file();
    EXPECT_EQ(begin_next(1), id);
    ASSERT_TRUE(memory.remove(source, id));
    await_file(id);
    EXPECT_EQ(begin_next(1), std::nullopt);
    give_file(id);
    EXPECT_EQ(begin_next(9), std::nullopt) << "it has its file";
    EXPECT_EQ(memory.pop_with_file(source).queued.message->id, id);
    EXPECT_EQ(begin_next(9), std::nullopt);
}

TEST_F(LaneFetchesTest, MemoryCountsThoseThatAwaitTheirFiles) {
    const auto with_file = await_file();
    const auto gone = await_file();
    EXPECT_EQ(memory.messages(), 2U);
    EXPECT_EQ(memory.awaiting(), 2U);
    (void)begin_next(1);
    give_file(with_file);
    (void)memory.pop_with_file(source);
    (void)memory.stop_awaiting(source, gone);
    EXPECT_EQ(memory.messages(), 0U);
    EXPECT_EQ(memory.awaiting(), 0U);
}

}  // namespace
}  // namespace merpati::scheduler
