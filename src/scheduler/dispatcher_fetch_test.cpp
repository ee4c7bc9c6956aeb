// Media messages and their files.
#include <algorithm>

#include <gtest/gtest.h>

#include "model/texts.hpp"
#include "scheduler/dispatcher_fixture.hpp"

namespace merpati::scheduler {
namespace {

using namespace std::chrono_literals;
using model::MessageState;
using model::StatusCode;
using Kind = model::Outcome::Kind;

/// Answers when the test says so.
class ScriptedFiles final : public media::FileSource {
public:
    struct Fetch {
        model::MessageId message;
        media::FetchDone done;
    };
    std::vector<Fetch> fetches;

    void fetch(const model::Message& message, media::FetchDone done) override {
        fetches.push_back({.message = message.id, .done = std::move(done)});
    }
};

struct DispatcherFetchTest : DispatcherFixture {
    DispatcherFetchTest() { options.files = &files; }

    [[nodiscard]] std::unique_ptr<model::Message> media(Millis delay = Millis{0}) {
        auto made = message(delay);
        made->type = model::MessageType::media;
        made->media_url = "https://toko.example.com/struk.pdf";
        return made;
    }

    [[nodiscard]] static std::unique_ptr<model::Message> of_campaign(
        std::unique_ptr<model::Message> made) {
        made->source = model::Source::campaign;
        return made;
    }

    void give(std::size_t place, media::FetchResult result) {
        files.fetches.at(place).done(std::move(result));
        settle();
    }
    void give_file(std::size_t place) {
        give(place, std::make_shared<const media::File>(media::File{
                        .path = "/file", .media_type = "application/pdf", .bytes = 1'000}));
    }
    void give_failure(std::size_t place, StatusCode code) {
        give(place, std::unexpected{model::Outcome{
                        .kind = Kind::failed, .code = code, .details = "File tidak ada"}});
    }

    ScriptedFiles files;
};

TEST_F(DispatcherFetchTest, AMediaMessageIsSentWithItsFileWhenThatHasCome) {
    start();
    const auto id = accept(media());
    ASSERT_EQ(files.fetches.size(), 1U);
    EXPECT_TRUE(connector->sent.empty());
    EXPECT_EQ(dispatcher->counts().awaiting_files, 1U);
    give_file(0);
    EXPECT_EQ(connector->sent, std::vector{id});
    EXPECT_EQ(connector->files, std::vector<std::string>{"application/pdf"});
    report_sent(id);
    EXPECT_EQ(state(id), MessageState::sent);
    EXPECT_EQ(dispatcher->in_flight(), 0U);
    EXPECT_EQ(dispatcher->counts().messages_in_memory, 0U);
}

TEST_F(DispatcherFetchTest, OthersPassWhileAFileIsFetchedAndItGoesNextWhenItIsThere) {
    connector->abilities.window = 1;
    start();
    const auto slow = accept(media());
    const auto first = accept(message());
    const auto second = accept(message());
    EXPECT_EQ(connector->sent, std::vector{first});  // The window is one.
    give_file(0);
    report_sent(first);
    EXPECT_EQ(connector->sent, (std::vector{first, slow}));
    report_sent(slow);
    EXPECT_EQ(connector->sent, (std::vector{first, slow, second}));
}

TEST_F(DispatcherFetchTest, AFileOnItsWayUsesUpNoPaceAndAMessageWithItsFileKeepsIt) {
    device.pace.gap_min = 10s;
    start();
    const auto slow = accept(media());
    const auto first = accept(message());
    EXPECT_EQ(connector->sent, std::vector{first});
    give_file(0);
    EXPECT_EQ(connector->sent.size(), 1U);
    advance(10s);
    EXPECT_EQ(connector->sent, (std::vector{first, slow}));
}

TEST_F(DispatcherFetchTest, AMessageWithoutItsFileFailsWithTheReason) {
    start();
    const auto wrong_type = accept(media());
    const auto vanished = accept(media());
    give_failure(0, StatusCode::media_refused);
    give_failure(1, StatusCode::failed);
    EXPECT_TRUE(connector->sent.empty());
    EXPECT_EQ(stored(wrong_type).completion->code, StatusCode::media_refused);
    EXPECT_EQ(stored(vanished).completion->code, StatusCode::failed);
    EXPECT_EQ(stored(vanished).completion->details, "File tidak ada");
    EXPECT_EQ(stored(vanished).completion->attempts, 0U);
    EXPECT_EQ(dispatcher->counts().messages_in_memory, 0U);
}

TEST_F(DispatcherFetchTest, ThePlatformsOwnListAndLimitAreKeptBeforeTheSend) {
    connector->abilities.media_types = {{"image/png"}};
    start();
    const auto type = accept(media());
    give_file(0);
    EXPECT_EQ(stored(type).completion->code, StatusCode::media_refused);
    EXPECT_EQ(stored(type).completion->details, model::details::platform_file_type);

    connector->abilities.media_types = {{"application/pdf"}};
    connector->abilities.media_bytes_max = 999;
    const auto size = accept(media());
    give_file(1);
    EXPECT_EQ(stored(size).completion->code, StatusCode::failed);
    EXPECT_EQ(stored(size).completion->details, model::details::platform_file_size);

    connector->abilities.media_bytes_max = 1'000;
    const auto good = accept(media());
    give_file(2);
    EXPECT_EQ(connector->sent, std::vector{good});
}

TEST_F(DispatcherFetchTest, AfterAPassingFailureTheFileIsAskedForAgain) {
    start();
    const auto id = accept(media());
    give_file(0);
    report(id, Kind::retry);
    advance(6s);
    ASSERT_EQ(files.fetches.size(), 2U);
    give_file(1);
    EXPECT_EQ(connector->sent, (std::vector{id, id}));
}

TEST_F(DispatcherFetchTest, AMessageThatAwaitsItsFileCanBeCancelled) {
    start();
    const auto id = accept(media());
    Result<void> answer = fail(ErrorCode::timeout, "not answered");
    store::QueuedMessage queued;
    queued.message = std::make_unique<model::Message>(stored(id).message);
    queued.queued_at = queued.message->due_at;
    post(CancelRequested{.message = std::move(queued),
                         .done = [&answer](Result<void> result) { answer = std::move(result); }});
    EXPECT_TRUE(answer);
    EXPECT_EQ(state(id), MessageState::cancelled);
    give_file(0);
    EXPECT_TRUE(connector->sent.empty());
    EXPECT_EQ(dispatcher->in_flight(), 0U);
}

TEST_F(DispatcherFetchTest, WhatAwaitsItsFileIsLeftToTheDiskWhenTheDeviceGoes) {
    start();
    const auto id = accept(media());
    device.state = model::DeviceState::disconnected;
    post(DeviceChanged{.device = device});
    EXPECT_EQ(dispatcher->counts().awaiting_files, 0U);
    EXPECT_EQ(dispatcher->counts().messages_in_memory, 0U);
    give_file(0);  // Too late for anyone.
    EXPECT_TRUE(connector->sent.empty());

    device.state = model::DeviceState::connected;
    post(DeviceChanged{.device = device});
    ASSERT_EQ(files.fetches.size(), 2U);
    give_file(1);
    EXPECT_EQ(connector->sent, std::vector{id});
}

TEST_F(DispatcherFetchTest, ALateFileOfAnEarlierFetchIsUsed) {
    start();
    const auto id = accept(media());
    for (const auto now : {model::DeviceState::disconnected, model::DeviceState::connected}) {
        device.state = now;
        post(DeviceChanged{.device = device});
    }
    ASSERT_EQ(files.fetches.size(), 2U);
    give_file(0);
    EXPECT_EQ(connector->sent, std::vector{id});
    give_file(1);
    EXPECT_EQ(connector->sent, std::vector{id});
    report_sent(id);
    EXPECT_EQ(dispatcher->in_flight(), 0U);
}

TEST_F(DispatcherFetchTest, AnEarlierFetchThatFailsEndsAMessageThatWaitsForItsTurn) {
    options.lane_files_max = 1;
    start();
    const auto id = accept(media());
    for (const auto now : {model::DeviceState::disconnected, model::DeviceState::connected}) {
        device.state = now;
        post(DeviceChanged{.device = device});
    }
    ASSERT_EQ(files.fetches.size(), 1U);
    give_failure(0, StatusCode::failed);
    EXPECT_EQ(state(id), MessageState::failed);
    const auto next = accept(media());
    ASSERT_EQ(files.fetches.size(), 2U);
    EXPECT_EQ(files.fetches[1].message, next);
}

TEST_F(DispatcherFetchTest, DrainingWaitsForNoFile) {
    start();
    const auto id = accept(media());
    dispatcher->drain();
    EXPECT_EQ(dispatcher->in_flight(), 0U);
    give_file(0);
    EXPECT_TRUE(connector->sent.empty());
    EXPECT_EQ(state(id), MessageState::pending);
}

TEST_F(DispatcherFetchTest, ManyDeadFilesOfOneDeviceLetItsTextsPass) {
    options.lane_files_max = 4;
    start();
    for (int i = 0; i < 20; ++i) {
        accept(media());
    }
    EXPECT_EQ(files.fetches.size(), 4U);
    const auto text = accept(message());
    EXPECT_EQ(connector->sent, std::vector{text});
    give_failure(0, StatusCode::failed);
    EXPECT_EQ(files.fetches.size(), 5U);
}

TEST_F(DispatcherFetchTest, FilesAreFetchedAFewAheadOfTheirSend) {
    options.lane_files_max = 4;
    connector->abilities.window = 1;
    start();
    std::vector<model::MessageId> ids;
    for (int i = 0; i < 20; ++i) {
        ids.push_back(accept(media()));
    }
    for (std::size_t place = 0; place < 5; ++place) {
        give_file(place);
    }
    EXPECT_EQ(files.fetches.size(), 5U) << "one is sent, four have theirs";
    report_sent(connector->sent.back());
    EXPECT_EQ(files.fetches.size(), 6U);
}

TEST_F(DispatcherFetchTest, AnotherDevicesTextsFindMemoryBesideMediaThatAwaitTheirFiles) {
    options.memory_max = 200;
    start();
    for (int i = 0; i < 150; ++i) {
        accept(media());
    }
    EXPECT_GE(dispatcher->counts().awaiting_files, 90U);
    EXPECT_LE(dispatcher->counts().awaiting_files, 100U) << "half of the memory";
}

TEST_F(DispatcherFetchTest, APacedDevicesFilesAreFetchedForTenSeconds) {
    device.pace.gap_min = 5s;
    start();
    for (int i = 0; i < 20; ++i) {
        accept(media());
    }
    EXPECT_EQ(files.fetches.size(), 2U);
}

TEST_F(DispatcherFetchTest, AFileIsLetGoOfWhereTheNextSendIsFarAway) {
    device.pace.gap_min = 60s;
    start();
    accept(media());
    accept(media());
    ASSERT_EQ(files.fetches.size(), 1U);
    give_file(0);
    EXPECT_EQ(connector->sent.size(), 1U);
    report_sent(connector->sent.back());
    EXPECT_EQ(dispatcher->counts().awaiting_files, 0U) << "the other waits on disk alone";
}

TEST_F(DispatcherFetchTest, MoreThanMemoryHoldsWaitsForThoseBeforeIt) {
    options.lane_memory_max = 16;
    start();
    for (int i = 0; i < 40; ++i) {
        accept(media());
    }
    EXPECT_EQ(dispatcher->counts().awaiting_files, 16U);
    for (std::size_t place = 0; place < 40; ++place) {
        ASSERT_GT(files.fetches.size(), place);
        give_file(place);
        report_sent(files.fetches[place].message);
    }
    EXPECT_EQ(connector->sent.size(), 40U);
    EXPECT_EQ(dispatcher->counts().messages_in_memory, 0U);
}

TEST_F(DispatcherFetchTest, FilesOfACampaignHoldUpNeitherApiMessagesNorThemselves) {
    options.lane_memory_max = 4;
    options.lane_files_max = 2;
    start();
    for (int count = 0; count < 8; ++count) {
        accept(of_campaign(media()));
    }
    ASSERT_EQ(files.fetches.size(), 2U);
    const auto with_file = accept(media());
    ASSERT_EQ(files.fetches.size(), 3U) << "its file does not queue behind those of the campaign";
    EXPECT_EQ(files.fetches[2].message, with_file);
    const auto text = accept(message());
    EXPECT_EQ(connector->sent, std::vector{text});
    for (std::size_t place = 0; place < 9; ++place) {
        ASSERT_GT(files.fetches.size(), place);
        give_file(place);
        report_sent(files.fetches[place].message);
    }
    EXPECT_EQ(connector->sent.size(), 10U);
}

TEST_F(DispatcherFetchTest, CampaignsWhoseFilesDoNotComeLeaveMemoryToMediaOfTheApi) {
    options.memory_max = 400;
    options.lane_files_max = 64;
    start();
    for (int count = 0; count < 250; ++count) {
        accept(of_campaign(media()));
    }
    EXPECT_LE(dispatcher->counts().messages_in_memory, 400U / LaneMemory::campaign_part);
    ASSERT_LE(files.fetches.size(), 64U);
    const auto of_campaigns = files.fetches.size();
    for (int count = 0; count < 40; ++count) {
        accept(media());
    }
    ASSERT_EQ(files.fetches.size(), of_campaigns + 40);
    give_file(of_campaigns + 39);
    EXPECT_EQ(connector->sent, std::vector{files.fetches.back().message});
}

TEST_F(DispatcherFetchTest, ACampaignGoesOnWhileTheNextApiMessageMustAwaitItsTurnForAFile) {
    options.lane_memory_max = 4;
    start();
    for (int count = 0; count < 5; ++count) {
        accept(media());
    }
    const auto campaign = accept(of_campaign(message()));
    EXPECT_EQ(connector->sent, std::vector{campaign});
    give_file(0);
    EXPECT_EQ(connector->sent.size(), 2U);
    EXPECT_EQ(files.fetches.size(), 5U);
}

TEST_F(DispatcherFetchTest, AMessageThatIsMadeDueWhileItWaitsForItsFetchIsFetchedOnce) {
    options.lane_files_max = 2;
    start();
    accept(media());
    accept(media());
    const auto last = accept(media());
    auto record = stored(last);
    bool hastened = false;
    post(HastenRequested{
        .message = {.message = std::make_unique<model::Message>(std::move(record.message)),
                    .queued_at = record.queued_at},
        .done = [&](const Result<void>& done) { hastened = done.has_value(); }});
    EXPECT_TRUE(hastened);
    ASSERT_EQ(files.fetches.size(), 2U);
    give_file(0);
    give_file(1);
    ASSERT_EQ(files.fetches.size(), 3U);
    EXPECT_EQ(files.fetches[2].message, last);
    give_file(2);
    EXPECT_EQ(connector->sent.size(), 3U);
}

}  // namespace
}  // namespace merpati::scheduler
