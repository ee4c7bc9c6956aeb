#include "scheduler/lane_memory.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace merpati::scheduler {
namespace {

using model::Source;

struct LaneMemoryTest : ::testing::Test {
    LaneMemoryTest() {
        options.lane_memory_max = 128;
        options.memory_max = 800;
    }

    /// Media messages that await their files, of one lane.
    void await_files(Lane& of, Source source, std::size_t count, std::size_t body_bytes = 10) {
        for (std::size_t made = 0; made < count; ++made) {
            store::QueuedMessage queued;
            queued.message = std::make_unique<model::Message>();
            queued.message->id = model::MessageId{++accepted, 1};
            queued.message->source = source;
            queued.message->type = model::MessageType::media;
            queued.message->body = std::string(body_bytes, 'a');
            memory.await_file(of.source(source), std::move(queued), {});
        }
    }
    /// As many of them as may.
    void await_all(Lane& of, Source source) {
        while (of.source(source).fetches().size() < memory.awaiting_max().of(source)) {
            await_files(of, source, 1);
        }
    }

    std::int64_t accepted = 0;
    Options options;
    LaneMemory memory{options};
    Lane lane{*model::PhoneNumber::parse("6289876543210")};
    Lane other{*model::PhoneNumber::parse("6289876543211")};
};

TEST_F(LaneMemoryTest, FilesOfACampaignAreAwaitedForAPartOfWhatALaneMayHold) {
    EXPECT_EQ(memory.awaiting_max().api, 128U);
    EXPECT_EQ(memory.awaiting_max().campaign, 128U / LaneMemory::campaign_part);
}

TEST_F(LaneMemoryTest, CampaignsThatAwaitTheirFilesTakeNothingFromTheApi) {
    std::vector<std::unique_ptr<Lane>> lanes;
    for (int count = 0; count < 8; ++count) {
        lanes.push_back(std::make_unique<Lane>(lane.device()));
        await_all(*lanes.back(), Source::campaign);
        EXPECT_GE(lanes.back()->source(Source::campaign).fetches().size(), LaneMemory::reserve);
    }
    EXPECT_LE(memory.awaiting(), 800U / LaneMemory::campaign_part);
    EXPECT_EQ(memory.awaiting_max().campaign, LaneMemory::reserve);
    EXPECT_EQ(memory.awaiting_max().api, 128U);
    await_all(lane, Source::api);
    EXPECT_EQ(lane.source(Source::api).fetches().size(), 128U);
    EXPECT_GT(memory.room(other, Source::api), LaneMemory::reserve);
}

TEST_F(LaneMemoryTest, TheBytesOfCampaignsAreBoundedAsTheirNumberIs) {
    options.memory_bytes_max = 800'000;
    await_files(lane, Source::campaign, 2, 60'000);
    EXPECT_EQ(memory.awaiting_max().campaign, LaneMemory::reserve);
    EXPECT_EQ(memory.awaiting_max().api, 128U);
}

TEST_F(LaneMemoryTest, WhereHalfOfTheMemoryIsTakenEachSourceOfALaneAwaitsAFewFiles) {
    await_files(lane, Source::api, 400);
    EXPECT_EQ(memory.awaiting_max().api, LaneMemory::reserve);
    EXPECT_EQ(memory.awaiting_max().campaign, LaneMemory::reserve);
    await_all(other, Source::api);
    await_all(other, Source::campaign);
    EXPECT_EQ(memory.awaiting(), 400 + 2 * LaneMemory::reserve);
}

TEST_F(LaneMemoryTest, NoSourceAwaitsMoreFilesThanALaneMayHold) {
    options.lane_memory_max = 4;
    EXPECT_EQ(memory.awaiting_max().api, 4U);
    EXPECT_EQ(memory.awaiting_max().campaign, 4U);
    await_files(lane, Source::api, 400);
    EXPECT_EQ(memory.awaiting_max().api, 4U);
    EXPECT_EQ(memory.awaiting_max().campaign, 4U);
}

}  // namespace
}  // namespace merpati::scheduler
